"use strict";
// The project as a whole: how far it is, who did what, which labels there are.
const cell = (text, kind = "number-cell") => element("td", { className: kind, textContent: text });

function people(found) {
  const rows = found.map((each) => element("tr", {}, cell(each.person, "name"), cell(each.answers.toLocaleString("en")), cell(each.skipped.toLocaleString("en")),
    cell(each.seconds === null ? "-" : each.seconds.toFixed(1)),
    Object.assign(cell(each.agreement === null ? "-" : `${Math.round(100 * each.agreement)}%`), { title: `of ${each.shared} answers` })));
  document.querySelector("#people tbody").replaceChildren(...rows);
}

function distribution(found) {
  const most = Math.max(...found.map((each) => each.count), 1);
  const rows = found.map((each) => {
    const share = element("span", { className: "share" });
    share.style.width = `${(100 * each.count) / most}%`;
    return element("tr", {}, cell(each.label, "name"), cell(each.count.toLocaleString("en")), element("td", { className: "wide" }, share));
  });
  document.querySelector("#distribution tbody").replaceChildren(...rows);
}

function merges(found) {
  byId("merges-panel").hidden = !found.length;
  const rows = found.map((each) => {
    const back = element("button", { type: "button", textContent: "Take back" });
    back.addEventListener("click", () => ask("api/merges/undo", { merge: each.id }).then(load).catch((problem) => tell(`It was not taken back: ${problem.message}.`)));
    return element("tr", {}, cell(each.answer, "name"), cell(each.meant, "name"), cell(each.person, "name"), element("td", {}, back));
  });
  document.querySelector("#merges tbody").replaceChildren(...rows);
}

async function load() {
  const found = await ask("api/project");
  people(found.people);
  if (byId("distribution")) distribution(found.labels);
  if (byId("merges")) merges(found.merges);
}

document.addEventListener("news", (event) => {
  const { labels, skipped, samples } = event.detail.progress;
  byId("far").textContent = `${labels.toLocaleString("en")} of ${samples.toLocaleString("en")} samples` + (skipped ? `, and ${skipped} skipped` : "");
  const agreed = event.detail.people;
  byId("agreement").textContent = agreed.samples
    ? `${agreed.samples} samples were labeled by several people, who differ on ${agreed.disputed}; ${agreed.undecided} wait for a decision.` : "";
  load().catch((problem) => tell(`The project cannot be read: ${problem.message}.`));
});
