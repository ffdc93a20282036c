"use strict";
// The classes as buttons, a field to find one or name a new one, or a field for a number. The page says what a choice does.
let choose = () => {};
let openAnswers = null; // what shows the answers to a sample, where each sample has its own: answers.js
const KEYS = [..."1234567890"];
let sure = ""; // the new class that Enter was pressed for once

const buttons = () => [...document.querySelectorAll(".class[data-label]")];
const alike = (text) => text.trim().toLowerCase();

// The class that was meant: the same text, or else the same but for capitals.
function known(text) {
  const all = buttons();
  return all.find((each) => each.dataset.label === text.trim()) || all.find((each) => alike(each.dataset.label) === alike(text));
}

function addClass(label) {
  if (!byId("other") || buttons().some((each) => each.dataset.label === label)) return;
  const used = buttons().map((each) => each.getAttribute("aria-keyshortcuts"));
  const key = used.some(Boolean) && KEYS.find((each) => !used.includes(each)); // only the card has keys
  const made = element("button", { type: "button", className: "class" }, ...(key ? [element("kbd", { textContent: key, ariaHidden: "true" })] : []), element("span", { textContent: label }));
  made.dataset.label = label;
  if (key) made.setAttribute("aria-keyshortcuts", key);
  byId("other").before(made);
}

function removeClass(label) { // that the server did not take
  buttons().find((each) => each.dataset.label === label)?.remove();
}

function narrow() {
  const typed = byId("search").value.trim();
  for (const button of buttons()) button.hidden = !alike(button.dataset.label).includes(alike(typed));
  sure = "";
  byId("search-hint").textContent = "";
  const fresh = typed && !known(typed);
  if (!byId("other")) return;
  byId("other-name").textContent = fresh ? `new class: ${typed}` : "another class";
  byId("other").hidden = !fresh && (typed || byId("search-row").dataset.away !== "yes"); // the field stands there anyway
}

function find() {
  byId("search-row").hidden = false;
  byId("search").focus();
}

function clearSearch() {
  if (!byId("search")) return;
  byId("search").value = "";
  narrow();
  byId("search").blur();
  byId("search-row").hidden = byId("search-row").dataset.away === "yes";
}

function chosen(label, event) {
  if (openAnswers?.takes(label)) return;
  addClass(label);
  clearSearch();
  choose(label, event);
}

// Enter: the class of that name; a new one only if it cannot be mistaken for part of another, or on a second Enter.
function found(event) {
  const typed = byId("search").value.trim();
  if (!typed) return;
  const same = known(typed);
  const partly = buttons().filter((each) => !each.hidden);
  if (same) return chosen(same.dataset.label, event);
  if (byId("search").dataset.open !== "yes") {
    if (partly.length) chosen(partly[0].dataset.label, event);
    else byId("search-hint").textContent = `There is no class “${typed}”.`;
  } else if (!partly.length || sure === typed) {
    chosen(typed, event);
  } else {
    sure = typed;
    const names = partly.slice(0, 3).map((each) => each.dataset.label).join(", ");
    byId("search-hint").textContent = `Press Enter again for the new class “${typed}”, or ↓ to choose ${names}.`;
  }
}

function searchKey(event) {
  if (event.key === "Enter") { event.preventDefault(); found(event); }
  if (event.key === "Escape") { event.preventDefault(); clearSearch(); }
  if (event.key === "ArrowDown") { event.preventDefault(); buttons().find((each) => !each.hidden)?.focus(); }
}

// ---- numbers ----

// What is wrong with a number that was typed; "": nothing.
function wrongNumber(text, { low, high }) {
  const value = Number(text.replace(",", "."));
  if (!text) return "Type a number first.";
  if (!Number.isFinite(value)) return `“${text}” is not a number; type one such as 3.5.`;
  return low !== undefined && (value < Number(low) || value > Number(high)) ? `${text} is outside ${low} to ${high}.` : "";
}

function submitNumber(event) {
  event.preventDefault();
  const field = byId("number-value");
  const wrong = wrongNumber(field.value.trim(), byId("number").dataset);
  byId("number-hint").textContent = wrong;
  if (!wrong && choose(field.value.trim(), event) !== false) field.value = "";
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.(".class");
  if (!button) return;
  if (button.dataset.label !== undefined) return chosen(button.dataset.label, event);
  const typed = byId("search").value.trim();
  if (typed && !known(typed)) chosen(typed, event); else find();
});
if (byId("search")) {
  byId("search").addEventListener("input", narrow);
  byId("search").addEventListener("keydown", searchKey);
}
if (byId("number")) byId("number").addEventListener("submit", submitNumber);
document.addEventListener("news", (event) => event.detail.progress.new_classes.forEach(addClass));
