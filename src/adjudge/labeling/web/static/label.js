"use strict";
// The card: shown at once from what was loaded ahead; answers wait in an outbox until the server has them.
const byId = (id) => document.getElementById(id);
const meta = (name) => document.querySelector(`meta[name="adjudge-${name}"]`).content;
const outboxKey = `adjudge ${meta("project")} ${meta("person")}`;
const outbox = JSON.parse(localStorage.getItem(outboxKey) || "[]");
let cards = [];
let sending = false;
let undoing = 0;
let away = false; // whether the banner says that the server does not answer
let pressedAt = null;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function tell(problem, gone = false) {
  away = gone;
  byId("banner").textContent = problem || "";
  byId("banner").hidden = !problem;
}

function tellBack() {
  if (away) tell("");
}

async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "content-type": "application/json", "x-adjudge-token": meta("token") },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, options);
  if (response.status === 401) location.href = "login";
  const told = await response.json();
  if (!response.ok) {
    const detail = typeof told.detail === "string" ? told.detail : "the answer was not understood";
    throw Object.assign(new Error(detail), { status: response.status });
  }
  return told;
}

// ---- the card ----

function body(card) {
  const parts = [];
  if (card.html !== null) {
    const made = element("div");
    made.innerHTML = card.html; // the owner's own template; what comes from the data was escaped by the server
    return [made];
  }
  if (card.kind === "image") parts.push(picture(card));
  if (card.kind === "audio") parts.push(element("audio", { src: card.media, controls: true, autoplay: true }));
  if (card.text !== null) parts.push(element("p", { className: "text", textContent: card.text }));
  const fields = Object.entries(card.fields);
  if (fields.length) {
    const rows = fields.map(([name, value]) => element("tr", {},
      element("th", { scope: "row", textContent: name }), element("td", { textContent: value })));
    parts.push(element("table", {}, element("tbody", {}, ...rows)));
  }
  return parts.length ? parts : [element("p", { className: "bare", textContent: card.name })];
}

const pictures = new Map(); // of the cards in hand, loaded before they are shown

function picture(card) {
  if (!pictures.has(card.media)) {
    const image = element("img", { src: card.media, alt: `sample ${card.name}` });
    image.addEventListener("load", () => image.classList.toggle("small", image.naturalWidth < 200));
    image.addEventListener("click", zoom);
    pictures.set(card.media, image);
  }
  return pictures.get(card.media);
}

function show() {
  const card = cards[0];
  const place = byId("card-body");
  if (card && place.dataset.lease === String(card.lease)) return;
  place.dataset.lease = card ? card.lease : "";
  place.classList.remove("zoomed");
  hideSaid();
  if (!card) return;
  byId("card-name").textContent = card.name;
  byId("card-place").textContent = `sample ${card.place + 1}`;
  place.replaceChildren(...body(card));
  place.scrollTop = 0;
  if (byId("number")) byId("number-value").focus();
  const since = pressedAt;
  pressedAt = null;
  if (since !== null) {
    requestAnimationFrame(() => performance.measure("key to card", { start: since, end: performance.now() }));
  }
  for (const next of cards.slice(1)) if (next.kind === "image") picture(next).decode().catch(() => {});
}

function take(hand, first) {
  const waiting = new Set(outbox.map((each) => each.lease));
  const fresh = hand.cards.filter((card) => !waiting.has(card.lease));
  const current = cards[0];
  const stays = !first && current && fresh.some((card) => card.lease === current.lease);
  cards = stays ? [current, ...fresh.filter((card) => card.lease !== current.lease)] : fresh;
  const kept = new Set(cards.map((card) => card.media));
  for (const media of pictures.keys()) if (!kept.has(media)) pictures.delete(media);
  byId("undo").disabled = hand.mine === 0 && outbox.length === 0;
  show();
  if (cards.length || waiting.size) return;
  byId("card-name").textContent = hand.state === "done" ? "Nothing is left to label" : "One moment";
  const why = hand.state === "done"
    ? "Every sample that was asked for has an answer, or is in somebody else's hands."
    : "The next sample is being chosen.";
  byId("card-body").replaceChildren(element("p", { className: "quiet waiting", textContent: why }));
  setTimeout(refresh, hand.state === "done" ? 5000 : 250);
}

async function refresh() {
  try {
    if (!cards.length) take(await ask("api/cards"), false);
  } catch (problem) {
    tell(`The page cannot reach its server (${problem.message}); it goes on trying.`, true);
    setTimeout(refresh, 1000);
    return;
  }
  if (!outbox.length) tellBack();
}

// ---- answers ----

function keep() {
  localStorage.setItem(outboxKey, JSON.stringify(outbox));
}

function answer(label, event) {
  const card = cards[0];
  if (!card || undoing) return; // while an answer is taken back, the next key is for a card that is not shown yet
  if (!away) tell("");
  pressedAt = event ? event.timeStamp : performance.now();
  outbox.push({ lease: card.lease, label, note: byId("note").value });
  keep();
  byId("note").value = "";
  flash(label);
  cards = cards.slice(1);
  show();
  send();
}

function flash(label) {
  const button = [...document.querySelectorAll(".class")].find((each) => each.dataset.label === label);
  if (!button) return;
  button.classList.add("pressed");
  setTimeout(() => button.classList.remove("pressed"), 150);
}

async function send() {
  if (sending) return;
  sending = true;
  let hand = null;
  while (outbox.length) {
    try {
      hand = await ask("api/answers", outbox[0]);
      outbox.shift();
      keep();
      tellBack();
      take(hand, false);
    } catch (problem) {
      if (problem.status === 401 || problem.status === 403) { // not the answer is wrong, but who sends it
        tell(`Your labels are kept here and sent when you are back: ${problem.message}.`);
        break;
      } else if (problem.status >= 400 && problem.status < 500) { // refused: it will not be taken later either
        outbox.shift();
        keep();
        tell(`An answer was not taken: ${problem.message}.`);
        cards = [];
        if (!outbox.length) await refresh();
      } else {
        tell("The server does not answer. Your labels are kept here and sent when it does.", true);
        await new Promise((done) => setTimeout(done, 1000));
      }
    }
  }
  sending = false;
}

async function undo() {
  undoing += 1;
  try {
    while (sending) await new Promise((done) => setTimeout(done, 20));
    take(await ask("api/undo", {}), true);
    tell("");
  } catch (problem) {
    tell(`Undo: ${problem.message}.`);
  } finally {
    undoing -= 1;
  }
}

// ---- what the models said, notes, zoom ----

function hideSaid() {
  byId("said").hidden = true;
  byId("models").setAttribute("aria-expanded", "false");
}

async function showSaid() {
  const card = cards[0];
  if (!card) return;
  if (!byId("said").hidden) return hideSaid();
  const groups = await ask(`api/said/${card.place}`);
  if (cards[0] !== card) return; // another one is shown by now
  const lines = groups.map((group) => element("li", {}, element("b", { textContent: group.answer }),
    ` · ${group.models.length} · `, element("span", { className: "quiet", textContent: group.models.slice(0, 12).join(", ") + (group.models.length > 12 ? ", …" : "") })));
  byId("said").replaceChildren(element("h2", { textContent: "What the models said" }), element("ul", {}, ...lines));
  byId("said").hidden = false;
  byId("models").setAttribute("aria-expanded", "true");
}

function zoom() {
  byId("card-body").classList.toggle("zoomed");
}

function narrow() {
  const wanted = byId("search").value.trim().toLowerCase();
  for (const button of document.querySelectorAll(".class[data-label]")) {
    button.hidden = !button.dataset.label.toLowerCase().includes(wanted);
  }
}

function find() {
  byId("search-row").hidden = false;
  byId("search").focus();
}

function found(event) {
  const typed = byId("search").value.trim();
  const all = [...document.querySelectorAll(".class[data-label]")];
  const exact = all.find((each) => each.dataset.label === typed);
  const first = exact || all.find((each) => !each.hidden);
  const label = first ? first.dataset.label : byId("search").dataset.open === "yes" ? typed : "";
  if (!typed || !label) return;
  byId("search").value = "";
  narrow();
  byId("search").blur();
  answer(label, event);
}

const keys = {
  s: (event) => answer(null, event), u: undo, backspace: undo, m: showSaid, z: zoom,
  n: () => byId("note").focus(),
  "/": () => byId("search") && find(),
  "?": () => byId("keys").showModal(),
  " ": () => { const sound = document.querySelector("audio"); if (sound) sound.paused ? sound.play() : sound.pause(); },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const field = event.target instanceof HTMLInputElement;
  if (event.key === "Escape" && field) return event.target.blur();
  if (field) {
    if (event.key !== "Enter") return;
    if (event.target.id === "search") { event.preventDefault(); found(event); }
    if (event.target.id === "note") event.target.blur();
    return;
  }
  if (event.key === " " && event.target instanceof HTMLButtonElement) return;
  const number = document.querySelector(`.class[aria-keyshortcuts="${CSS.escape(event.key)}"]`);
  if (number && !event.repeat) { event.preventDefault(); return answer(number.dataset.label, event); }
  const action = keys[event.key.toLowerCase()];
  if (action && !event.repeat) { event.preventDefault(); action(event); }
});

for (const button of document.querySelectorAll(".class[data-label]")) {
  button.addEventListener("click", (event) => answer(button.dataset.label, event));
}
byId("skip").addEventListener("click", (event) => answer(null, event));
byId("undo").addEventListener("click", undo);
byId("models").addEventListener("click", showSaid);
byId("keys-button").addEventListener("click", () => byId("keys").showModal());
byId("leave").addEventListener("click", async () => {
  await fetch("logout", { method: "POST", headers: { "x-adjudge-token": meta("token") } });
  location.href = "login";
});
if (byId("other")) byId("other").addEventListener("click", find);
if (byId("search")) byId("search").addEventListener("input", narrow);
if (byId("number")) {
  byId("number").addEventListener("submit", (event) => {
    event.preventDefault();
    answer(byId("number-value").value, event);
    byId("number-value").value = "";
  });
}
send().then(refresh);
