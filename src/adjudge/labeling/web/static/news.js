"use strict";
// What the server says whenever it has looked at the labels anew; each page hears it as an event of the document.
function heard(data) {
  const told = JSON.parse(data);
  count(told);
  document.dispatchEvent(new CustomEvent("news", { detail: told }));
}

function count(told) {
  const { labels, skipped, people } = told.progress;
  const names = Object.keys(people).length;
  byId("counts").textContent = counted(labels, "label", "labels")
    + (skipped ? `, ${skipped} skipped` : "") + (names > 1 ? `, ${names} people` : "");
  const badge = byId("undecided");
  if (!badge) return;
  badge.textContent = told.people.undecided;
  badge.hidden = !told.people.undecided;
}

window.addEventListener("load", () => {
  if (window.SharedWorker) {
    const shared = new SharedWorker("static/stream.js", `adjudge ${meta("project")} ${meta("person")}`);
    shared.port.onmessage = (event) => heard(event.data);
  } else {
    new EventSource("api/events").onmessage = (event) => heard(event.data);
  }
});
