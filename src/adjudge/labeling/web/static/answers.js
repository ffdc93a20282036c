"use strict";
// The answers to a sample, where each sample has its own: one of them is right, or each gets a grade.
const givenPanel = byId("given");
const keyed = Boolean(byId("card")); // only the card has keys
const gradeRange = givenPanel.dataset.low === undefined ? null : [Number(givenPanel.dataset.low), Number(givenPanel.dataset.high)];
const MOST_BUTTONS = 10, SHORT = 18; // whole grades beyond the lowest; characters of an answer that stands beside others
let offered = []; // the answers, as they are listed
let grades = []; // by the number of the answer; null: none yet
let marked = 0; // the answer that a key grades
let merging = null; // those chosen so far of the two that are the same
let lastMerge = null; // what the next undo takes back

const models = (answer) => element("span", { className: "quiet models", textContent: counted(answer.models, "model", "models") });
const hintGiven = (...parts) => byId("given-hint").replaceChildren(...parts);

function showAnswers(sample, label) {
  offered = sample.answers;
  stopMerging();
  const silent = Number(givenPanel.dataset.models) - offered.reduce((sum, each) => sum + each.models, 0);
  byId("given-count").textContent = silent && offered.length ? `${counted(silent, "model", "models")} gave none` : "";
  givenPanel.classList.toggle("short", !gradeRange && offered.every((each) => each.text.length <= SHORT));
  byId("given-list").replaceChildren(...offered.map(gradeRange ? gradeRow : choice));
  byId("given-list").scrollTop = 0;
  if (!gradeRange) { byId("typed").value = ""; return; }
  grades = label ? JSON.parse(label) : offered.map(() => null);
  marked = 0;
  drawGrades();
}

// ---- one is right ----

function choice(answer, at) {
  const key = keyed && at < 9 ? String(at + 1) : null;
  const button = element("button", { type: "button", className: "class" }, ...(key ? [element("kbd", { textContent: key, ariaHidden: "true" })] : []),
    element("span", { className: "text", textContent: answer.text }), models(answer));
  button.dataset.label = answer.text;
  if (key) button.setAttribute("aria-keyshortcuts", key);
  return element("li", {}, button);
}

function typed(event) {
  event.preventDefault();
  const text = byId("typed").value.trim();
  if (!text) return byId("typed").focus();
  byId("typed").blur();
  choose(text, event);
}

// ---- two are the same ----

function stopMerging() {
  merging = null;
  givenPanel.classList.remove("merging");
  byId("merge")?.setAttribute("aria-pressed", "false");
  for (const each of givenPanel.querySelectorAll(".chosen")) each.classList.remove("chosen");
  if (!lastMerge) hintGiven();
}

function startMerging() {
  if (!byId("merge")) return;
  if (merging) return stopMerging();
  if (offered.length < 2) return hintGiven("There is only one answer.");
  merging = [];
  lastMerge = null;
  givenPanel.classList.add("merging");
  byId("merge").setAttribute("aria-pressed", "true");
  hintGiven("Choose two answers that mean the same, here and wherever they occur. Esc: never mind.");
}

// Whether a choice was one of the two.
function mergeWith(label) {
  if (!merging) return false;
  if (label === givenPanel.dataset.none) return true;
  merging = merging.includes(label) ? merging.filter((each) => each !== label) : [...merging, label];
  for (const each of givenPanel.querySelectorAll(".class")) each.classList.toggle("chosen", merging.includes(each.dataset.label));
  if (merging.length === 2) sendMerge(...merging);
  return true;
}

function sendMerge(one, other) {
  stopMerging();
  instead("Two are the same", async () => {
    const hand = await ask("api/merges", { one, other });
    lastMerge = hand.merge;
    showAgain(hand);
    const back = element("button", { type: "button", textContent: "Take back" });
    back.addEventListener("click", undoMerge);
    hintGiven(`“${one}” and “${other}” are one answer now, wherever they occur. `, back);
  });
}

// Whether there was a merge to take back.
function undoMerge() {
  if (lastMerge === null) return false;
  const merge = lastMerge;
  lastMerge = null;
  instead("Take back", async () => showAgain(await ask("api/merges/undo", { merge })));
  return true;
}

// ---- grades ----

function levels() {
  const [low, high] = gradeRange;
  if (!Number.isInteger(low) || !Number.isInteger(high) || high - low > MOST_BUTTONS) return null;
  return Array.from({ length: high - low + 1 }, (_, step) => low + step);
}

function gradeRow(answer, at) {
  const buttons = levels()?.map((grade) => {
    const button = element("button", { type: "button", className: "grade", textContent: grade });
    button.dataset.grade = grade;
    button.setAttribute("aria-label", `grade ${grade} for ${answer.text}`);
    button.addEventListener("click", (event) => {
      event.stopPropagation(); // the row would be marked again
      marked = at;
      giveGrade(grade, event);
    });
    return button;
  });
  const control = buttons ? element("div", { className: "grade-buttons" }, ...buttons) : numberField(answer, at);
  const row = element("li", { className: "grade-row" }, element("div", {}, element("span", { className: "text", textContent: answer.text }), models(answer)), control);
  row.addEventListener("click", () => { marked = at; drawGrades(); });
  return row;
}

function numberField(answer, at) {
  const field = element("input", { inputMode: "decimal", autocomplete: "off", ariaLabel: `grade from ${gradeRange[0]} to ${gradeRange[1]} for ${answer.text}`, placeholder: `${gradeRange[0]} to ${gradeRange[1]}` });
  field.addEventListener("change", (event) => {
    marked = at;
    const wrong = wrongNumber(field.value.trim(), { low: gradeRange[0], high: gradeRange[1] });
    hintGiven(wrong);
    if (!wrong) giveGrade(Number(field.value.replace(",", ".")), event);
  });
  return field;
}

// A grade for the marked answer; the last one that was missing saves them all.
function giveGrade(grade, event) {
  const missing = grades.filter((each) => each === null).length;
  const { number } = offered[marked];
  const fresh = grades[number] === null;
  grades[number] = grade;
  if (fresh && missing === 1 && keyed) return saveGrades(event);
  if (fresh) marked = Math.max(offered.findIndex((each) => grades[each.number] === null), 0);
  drawGrades();
}

function gradeRest(event) {
  grades = grades.map((each) => (each === null ? gradeRange[0] : each));
  if (keyed) return saveGrades(event);
  drawGrades();
}

function saveGrades(event) {
  if (grades.includes(null)) return hintGiven("Some answers have no grade yet.");
  if (choose(JSON.stringify(grades), event) === false) drawGrades();
}

function drawGrades() {
  for (const [at, row] of [...byId("given-list").children].entries()) {
    const grade = grades[offered[at].number];
    row.classList.toggle("marked", keyed && at === marked);
    for (const button of row.querySelectorAll(".grade")) button.setAttribute("aria-pressed", String(grade !== null && Number(button.dataset.grade) === grade));
    const field = row.querySelector("input");
    if (field) field.value = grade ?? "";
  }
  const left = grades.filter((each) => each === null).length;
  byId("save-grades").disabled = left > 0;
  byId("rest").disabled = left === 0;
  byId("given-list").children[marked]?.scrollIntoView({ block: "nearest" });
}

// Whether a key was about the grades.
function gradeKey(event, digit) {
  if (!gradeRange || !cards.length) return false;
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const level = digit === null ? undefined : levels()?.find((each) => String(each) === digit || (each === 10 && digit === "0" && gradeRange[0] > 0));
  if (step) {
    marked = Math.min(Math.max(marked + step, 0), offered.length - 1);
    drawGrades();
  } else if (level !== undefined) {
    if (!event.repeat) giveGrade(level, event);
  } else if (event.key === "Enter" && !event.target.closest("button, a, summary, select")) {
    saveGrades(event);
  } else {
    return false;
  }
  return true;
}

openAnswers = {
  show: showAnswers,
  takes: mergeWith,
  key: gradeKey,
  type: () => byId("typed")?.focus(),
  merge: startMerging,
  undo: undoMerge,
  rest: (event) => { if (gradeRange && grades.includes(null)) gradeRest(event); },
  cancel: stopMerging,
  forget: () => { lastMerge = null; },
};
byId("merge")?.addEventListener("click", startMerging);
byId("typed-form")?.addEventListener("submit", typed);
byId("typed")?.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.target.value = ""; event.target.blur(); } });
byId("rest")?.addEventListener("click", gradeRest);
byId("save-grades")?.addEventListener("click", saveGrades);
