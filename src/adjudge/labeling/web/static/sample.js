"use strict";
// What there is to see of a sample: an image that can be zoomed, a sound, a text, the fields of a row, HTML of the owner.
const LARGEST_ZOOM = 20;
const light = { brightness: 100, contrast: 100 }; // kept from one image to the next
const pictures = new Map(); // images that are shown or soon will be, by address
let view = null; // of the image that is shown

function picture(card) {
  if (!pictures.has(card.media)) {
    const image = element("img", { alt: `sample ${card.name}`, draggable: false });
    image.dataset.state = "loading";
    image.addEventListener("load", () => {
      image.dataset.state = "ready";
      image.classList.toggle("small", image.naturalWidth < 200);
    });
    image.addEventListener("error", () => {
      image.dataset.state = "broken";
      image.dispatchEvent(new CustomEvent("broken", { bubbles: true }));
    });
    image.src = card.media;
    pictures.set(card.media, image);
  }
  return pictures.get(card.media);
}

function forgetPictures(cards) {
  const kept = new Set(cards.map((card) => card.media));
  for (const media of pictures.keys()) if (!kept.has(media)) pictures.delete(media);
}

// Why a sample cannot be judged now; null: it can.
function unseen(card) {
  if (card.missing) return "There is nothing to see of this sample: its file is missing. Skip it, or put the file there and load the page again.";
  if (card.kind !== "image" || card.html !== null) return card.broken || null;
  const state = picture(card).dataset.state;
  if (state === "broken") return "The image of this sample cannot be shown: it is broken or missing. Skip it, or mend the file and load the page again.";
  return state === "loading" ? "The image is still on its way." : null;
}

function sampleBody(card) {
  view = null;
  if (card.missing) return [element("p", { className: "problem", textContent: unseen(card) })];
  if (card.html !== null) return [ownHtml(card)];
  const parts = [];
  if (card.kind === "image") parts.push(imageView(card));
  if (card.kind === "audio") {
    const sound = element("audio", { src: card.media, controls: true, autoplay: true });
    sound.addEventListener("error", () => {
      card.broken = "The sound of this sample cannot be played: it is broken or missing. Skip it.";
      sound.replaceWith(element("p", { className: "problem", textContent: card.broken }));
    });
    parts.push(sound);
  }
  if (card.text !== null) parts.push(element("p", { className: "text", textContent: card.text }));
  const fields = Object.entries(card.fields);
  if (fields.length) {
    const rows = fields.map(([name, value]) => element("tr", {},
      element("th", { scope: "row", textContent: name }), element("td", { textContent: value })));
    parts.push(element("table", {}, element("tbody", {}, ...rows)));
  }
  return parts.length ? parts : [element("p", { className: "bare", textContent: card.name })];
}

// The owner's own template, in which what comes from the data was escaped by the server. It stands in a tree of its
// own, so that its styles touch nothing else; styles are set by script, which the policy of the page allows.
function ownHtml(card) {
  const host = element("div", { className: "own" });
  const parsed = new DOMParser().parseFromString(card.html, "text/html");
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [...parsed.querySelectorAll("style")].map((style) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style.textContent);
    style.remove();
    return sheet;
  });
  const styled = [...parsed.querySelectorAll("[style]")].map((each) => [each, each.getAttribute("style")]);
  for (const [each] of styled) each.removeAttribute("style");
  root.addEventListener("error", () => {
    card.broken = "An image of this sample cannot be shown: it is broken or missing. Skip it.";
    root.replaceChildren(element("p", { textContent: card.broken }));
  }, true);
  root.append(...parsed.head.children, ...parsed.body.childNodes);
  for (const [each, text] of styled) each.style.cssText = text;
  return host;
}

function imageView(card) {
  const image = picture(card);
  const frame = element("div", { className: "viewer" }, image);
  const broken = () => {
    view = null;
    frame.replaceChildren(element("p", { className: "problem", textContent: unseen(card) }));
  };
  if (image.dataset.state === "broken") broken();
  image.addEventListener("broken", broken);
  view = zoomable(frame, image);
  return element("div", { className: "picture" }, frame, viewTools(view));
}

function zoomable(frame, image) {
  let [scale, x, y] = [1, 0, 0];
  const shine = () => { image.style.filter = `brightness(${light.brightness}%) contrast(${light.contrast}%)`; };

  function place() {
    const [wide, high] = [(scale * image.offsetWidth - frame.clientWidth) / 2, (scale * image.offsetHeight - frame.clientHeight) / 2];
    x = Math.min(Math.max(x, -Math.max(wide, 0)), Math.max(wide, 0));
    y = Math.min(Math.max(y, -Math.max(high, 0)), Math.max(high, 0));
    image.style.transform = scale === 1 ? "" : `translate(${x}px, ${y}px) scale(${scale})`;
    frame.classList.toggle("zoomed", scale > 1);
  }

  // so that the point under the pointer stays where it is
  function zoom(factor, at) {
    const box = frame.getBoundingClientRect();
    const [left, top] = at ? [at.clientX - box.left - box.width / 2, at.clientY - box.top - box.height / 2] : [0, 0];
    const next = Math.min(Math.max(scale * factor, 1), LARGEST_ZOOM);
    [x, y] = [left - ((left - x) * next) / scale, top - ((top - y) * next) / scale];
    scale = next;
    place();
  }

  function move(right, down) {
    [x, y] = [x + right, y + down];
    place();
  }

  function reset() {
    [scale, x, y] = [1, 0, 0];
    place();
  }

  image.style.transform = "";
  shine();
  const made = { frame, zoom, move, reset, shine, zoomed: () => scale > 1 };
  followPointers(made);
  return made;
}

function followPointers(made) {
  const { frame } = made;
  const pointers = new Map();
  let moved = 0;
  frame.addEventListener("wheel", (event) => {
    event.preventDefault();
    made.zoom(Math.exp(-event.deltaY * 0.002), event);
  }, { passive: false });
  frame.addEventListener("pointerdown", (event) => {
    moved = pointers.size ? Infinity : 0; // with two fingers it is no click
    pointers.set(event.pointerId, event);
    if (made.zoomed()) frame.setPointerCapture(event.pointerId);
  });
  frame.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    const other = [...pointers.values()].find((each) => each.pointerId !== event.pointerId);
    if (other) {
      const apart = (each) => Math.hypot(each.clientX - other.clientX, each.clientY - other.clientY) || 1;
      const middle = { clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 };
      made.zoom(apart(event) / apart(before), middle);
    } else if (made.zoomed()) {
      made.move(event.clientX - before.clientX, event.clientY - before.clientY);
    }
    pointers.set(event.pointerId, event);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    frame.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  frame.addEventListener("click", (event) => {
    if (moved > 5 || event.detail > 1) return;
    if (made.zoomed()) made.reset(); else made.zoom(2.5, event);
  });
}

function viewTools(made) {
  const button = (text, name, action) => {
    const each = element("button", { type: "button", textContent: text, title: name });
    each.setAttribute("aria-label", name);
    each.addEventListener("click", action);
    return each;
  };
  const sliders = Object.keys(light).map((name) => {
    const slider = element("input", { type: "range", min: 20, max: 300, value: light[name] });
    slider.addEventListener("input", () => { light[name] = Number(slider.value); made.shine(); });
    return [name, slider];
  });
  const reset = () => {
    made.reset();
    for (const [name, slider] of sliders) slider.value = light[name] = 100;
    made.shine();
  };
  const labels = sliders.map(([name, slider]) => element("label", {}, name, slider));
  return element("div", { className: "view-tools" },
    button("−", "Zoom out", () => made.zoom(1 / 1.5)), button("+", "Zoom in", () => made.zoom(1.5)), button("Reset", "Reset zoom, brightness and contrast", reset),
    element("details", {}, element("summary", { textContent: "Light" }), ...labels));
}
