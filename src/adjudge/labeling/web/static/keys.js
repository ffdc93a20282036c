"use strict";
// Keys, buttons and swipes of the card.
const STEP = 60; // pixels that an arrow moves a zoomed image
const SWIPE = 90; // pixels

const arrow = (right, down) => () => view && view.zoomed() && (view.move(STEP * right, STEP * down), true);
const actions = {
  s: (event) => { answer(null, event); }, l: later, u: undo, backspace: undo, m: showSaid, g: openGuidelines,
  n: () => byId("note").focus(),
  "/": () => (openAnswers ? openAnswers.type() : byId("search") && find()),
  e: () => openAnswers?.merge(), x: (event) => openAnswers?.rest(event),
  "?": () => byId("keys").showModal(),
  "+": () => view && view.zoom(1.5), "=": () => view && view.zoom(1.5), "-": () => view && view.zoom(1 / 1.5),
  z: () => view && (view.zoomed() ? view.reset() : view.zoom(2.5)),
  " ": () => { const sound = document.querySelector("audio"); if (sound) sound.paused ? sound.play() : sound.pause(); },
};
const arrows = { ArrowLeft: arrow(1, 0), ArrowRight: arrow(-1, 0), ArrowUp: arrow(0, 1), ArrowDown: arrow(0, -1) };

// The digit of a key, wherever the keyboard has it: rows of digits give other signs on some of them.
function digit(event) {
  if (/^[0-9]$/.test(event.key)) return event.key;
  const found = event.shiftKey ? null : /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
  return found && found[1];
}

// The action of a key; where letters are not Latin, the key at the place of the letter.
function action(event) {
  const key = event.key.toLowerCase();
  if (Object.hasOwn(actions, key)) return actions[key];
  const letter = /^Key([A-Z])$/.exec(event.code);
  return letter && !/^[\x00-\x7f]$/.test(key) ? actions[letter[1].toLowerCase()] : undefined;
}

function pressed(event) {
  const number = digit(event);
  if (openAnswers?.key(event, number)) return event.preventDefault();
  const button = number && document.querySelector(`.class[aria-keyshortcuts="${number}"]`);
  if (button && !event.repeat) { event.preventDefault(); return chosen(button.dataset.label, event); }
  if (arrows[event.key]?.()) return event.preventDefault();
  const act = action(event);
  if (act && !event.repeat) { event.preventDefault(); act(event); }
}

// Letters do what they do elsewhere, since a number has none but e.
function inNumber(event) {
  if (event.key === "Escape") return event.target.blur();
  if (/^[a-df-z?/]$/i.test(event.key) || (event.key.length === 1 && !/^[\x00-\x7f]$/.test(event.key))) {
    event.preventDefault();
    const act = action(event);
    if (act && !event.repeat) act(event);
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const field = event.target;
  if (field.id === "search") return; // it has keys of its own
  if (field.id === "number-value") return inNumber(event);
  if (field.id === "note") {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    field.blur();
    if (byId("number")) byId("number-value").focus();
    return;
  }
  if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) return;
  if (event.key === "Escape") { openAnswers?.cancel(); return clearSearch(); }
  if (event.key === " " && field.closest("button, summary, a")) return;
  pressed(event);
});

byId("skip").addEventListener("click", (event) => answer(null, event));
byId("later").addEventListener("click", later);
byId("undo").addEventListener("click", undo);
byId("models").addEventListener("click", showSaid);
byId("keys-button").addEventListener("click", () => byId("keys").showModal());

let touched = null;
byId("card-body").addEventListener("touchstart", (event) => {
  touched = event.touches.length === 1 && !(view && view.zoomed()) ? event.touches[0] : null;
}, { passive: true });
byId("card-body").addEventListener("touchend", (event) => {
  if (!touched) return;
  const [right, down] = [event.changedTouches[0].clientX - touched.clientX, event.changedTouches[0].clientY - touched.clientY];
  touched = null;
  if (right < -SWIPE && Math.abs(down) < SWIPE / 2) later();
}, { passive: true });
