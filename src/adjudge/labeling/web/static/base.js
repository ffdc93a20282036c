"use strict";
// What all pages share: elements, requests, the banner.
const byId = (id) => document.getElementById(id);
const meta = (name) => document.querySelector(`meta[name="adjudge-${name}"]`).content;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function tell(problem) {
  byId("banner").textContent = problem || "";
  byId("banner").hidden = !problem;
}

// What the server says; an error has its status, or none if the server did not answer at all.
async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "content-type": "application/json", "x-adjudge-token": meta("token") },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, options);
  if (response.status === 401) location.href = "login";
  const told = await response.json().catch(() => ({}));
  if (!response.ok) {
    const detail = typeof told.detail === "string" ? told.detail : "the server did not understand it";
    throw Object.assign(new Error(detail), { status: response.status });
  }
  return told;
}

const counted = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

function openGuidelines() {
  if (byId("guidelines")) byId("guidelines").showModal();
}

byId("leave").addEventListener("click", async () => {
  await fetch("logout", { method: "POST", headers: { "x-adjudge-token": meta("token") } });
  location.href = "login";
});
if (byId("guidelines-button")) byId("guidelines-button").addEventListener("click", openGuidelines);
