"use strict";
// The card: shown at once from what was loaded ahead.
let cards = [];
let busy = 0; // while a sample is taken back or put off, the next key is for a card that is not shown yet
let changes = 0; // answers and the like; what was asked for before the last one is out of date
let pressedAt = null;
let lastInput = Date.now();
const given = new Map(); // cards whose answers wait, by lease
const drafts = new Map(); // notes that were begun, by sample
const IDLE = 120_000, BEAT = 30_000; // milliseconds

function show() {
  const card = cards[0];
  const place = byId("card-body");
  if (card && place.dataset.lease === String(card.lease)) return;
  place.dataset.lease = card ? card.lease : "";
  hideSaid();
  if (!card) return waiting();
  byId("card-name").textContent = card.name;
  byId("card-place").textContent = `sample ${card.place + 1}`;
  place.replaceChildren(...sampleBody(card));
  place.scrollTop = 0;
  openAnswers?.show(card, card.grades);
  hint();
  byId("note").value = drafts.get(card.name) ?? card.note;
  if (byId("number")) byId("number-value").focus();
  const since = pressedAt;
  pressedAt = null;
  if (since !== null) {
    requestAnimationFrame(() => performance.measure("key to card", { start: since, end: performance.now() }));
  }
  for (const next of cards.slice(1)) if (next.kind === "image") picture(next).decode().catch(() => {});
}

function waiting(name = "Waiting for the next sample", why = "It comes as soon as it is chosen.") {
  byId("card-name").textContent = away ? "Waiting for the server" : name;
  byId("card-place").textContent = "";
  byId("note").value = "";
  openAnswers?.show({ answers: [] }, null);
  byId("card-body").replaceChildren(element("p", { className: "quiet waiting", textContent: away ? "No more samples are loaded here. Go on when it answers again." : why }));
  hint();
}

function hint() { // that there is more of a long text
  const place = byId("card-body");
  byId("more").hidden = place.scrollTop + place.clientHeight >= place.scrollHeight - 4;
}

function take(hand, first) {
  const sent = new Set(outbox.map((each) => each.lease));
  const fresh = hand.cards.filter((card) => !sent.has(card.lease));
  const current = cards[0];
  const stays = !first && current && fresh.some((card) => card.lease === current.lease);
  cards = stays ? [current, ...fresh.filter((card) => card.lease !== current.lease)] : fresh;
  forgetPictures(cards);
  byId("undo").disabled = hand.mine === 0 && outbox.length === 0;
  show();
  if (cards.length || sent.size) return;
  if (hand.state === "done") waiting("Nothing is left to label", "Every sample that was asked for has an answer, or is in somebody else's hands.");
  setTimeout(refresh, hand.state === "done" ? 5000 : 250);
}

async function refresh(also = false) {
  const before = changes;
  try {
    if (also || !cards.length) {
      const hand = await ask("api/cards");
      if (before === changes) take(hand, false);
    }
  } catch (problem) {
    if (problem.status === undefined || PASSING.includes(problem.status)) isAway(problem); else tell(`${problem.message}.`);
    if (!cards.length) waiting();
    if (!also) setTimeout(refresh, 1000);
    return;
  }
  if (!outbox.length) isBack();
}

// ---- answers ----

choose = (label, event) => answer(label, event);

function answer(label, event) {
  const card = cards[0];
  if (!card || busy) return refuse("There is no sample to answer yet.");
  const problem = unseen(card);
  if (label !== null && problem) return refuse(problem);
  if (!away) tell("");
  pressedAt = event ? event.timeStamp : performance.now();
  changes += 1;
  openAnswers?.forget();
  outbox.push({ lease: card.lease, label, note: byId("note").value, sample: card.name });
  keep();
  given.set(card.lease, card);
  drafts.delete(card.name);
  flash(label);
  cards = cards.slice(1);
  show();
  send(taken, refused);
  state();
  return true;
}

function refuse(why) {
  if (!away) tell(why);
  byId("card").classList.remove("no");
  void byId("card").offsetWidth; // so that it begins again
  byId("card").classList.add("no");
  return false;
}

function taken(hand) {
  const waits = new Set(outbox.map((each) => each.lease));
  for (const lease of given.keys()) if (!waits.has(lease)) given.delete(lease);
  take(hand, false);
}

async function refused(item) {
  removeUnknown(item.label);
  drafts.set(item.sample, item.note);
  cards = [];
  if (!outbox.length) await refresh();
}

let serverClasses = new Set(buttons().map((each) => each.dataset.label));
function removeUnknown(label) { // a new class that was not taken is none
  if (!openAnswers && label !== null && !serverClasses.has(label)) removeClass(label);
}

function flash(label) {
  const button = buttons().find((each) => each.dataset.label === label);
  if (!button) return;
  button.classList.add("pressed");
  setTimeout(() => button.classList.remove("pressed"), 150);
}

function state() { // whether answers wait for the server
  const many = outbox.length;
  byId("card-state").textContent = away ? `waiting${many ? `: ${counted(many, "answer is", "answers are")} kept here` : " for the server"}` : "";
  if (away && !cards.length) waiting();
}

// Take something back or put it off, and show what comes then.
async function instead(name, work) {
  busy += 1;
  changes += 1;
  try {
    while (sending && !away) await new Promise((done) => setTimeout(done, 20));
    if (away) return refuse("");
    await work();
    tell("");
  } catch (problem) {
    tell(`${name}: ${problem.status ? problem.message : "the server does not answer"}.`);
  } finally {
    busy -= 1;
  }
}

// The card once more: its answers have changed.
function showAgain(hand) {
  const now = cards[0];
  if (now) drafts.set(now.name, byId("note").value);
  byId("card-body").dataset.lease = "";
  hand.cards.sort((one, other) => (other.lease === now?.lease) - (one.lease === now?.lease));
  take(hand, true);
}

function undo() {
  if (openAnswers?.undo()) return;
  const last = outbox.at(-1);
  if (away && outbox.length > 1 && given.has(last.lease)) { // it was not sent yet; the first one may have been
    outbox.pop();
    keep();
    changes += 1;
    drafts.set(last.sample, last.note);
    cards.unshift(given.get(last.lease));
    show();
    return state();
  }
  return instead("Undo", async () => take(await ask("api/undo", {}), true));
}

function later() {
  const card = cards[0];
  if (!card || busy) return;
  instead("Ask me later", async () => {
    drafts.set(card.name, byId("note").value);
    take(await ask("api/later", { lease: card.lease }), false);
  });
}

// ---- what the models said ----

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
    ` · ${counted(group.models.length, "model", "models")} · `, element("span", { className: "quiet", textContent: group.models.slice(0, 12).join(", ") + (group.models.length > 12 ? ", …" : "") })));
  byId("said").replaceChildren(element("h2", { textContent: "What the models said" }), element("ul", {}, ...lines));
  byId("said").hidden = false;
  byId("models").setAttribute("aria-expanded", "true");
}

// ---- who is at work says so; samples of others are given to somebody else after a while ----

function beat() {
  if (document.visibilityState === "visible" && Date.now() - lastInput < IDLE && !sending && !busy && !outbox.length) refresh(true);
}
setInterval(beat, BEAT);
document.addEventListener("visibilitychange", () => { lastInput = Date.now(); beat(); });
for (const kind of ["pointerdown", "pointermove", "keydown", "wheel"]) {
  document.addEventListener(kind, () => {
    const idle = Date.now() - lastInput >= IDLE;
    lastInput = Date.now();
    if (idle && kind !== "keydown") beat(); // a key may be the answer to what is shown
  }, { passive: true });
}

document.addEventListener("waiting", state);
document.addEventListener("news", (event) => event.detail.progress.new_classes.forEach((label) => serverClasses.add(label)));
byId("card-body").addEventListener("scroll", hint);
window.addEventListener("resize", hint);
send(taken, refused).then(() => refresh());
