"use strict";
// The ranking beside the card, sorted by the column that has the arrow.
let curvesShown = "";
let curves = null;
let sorted = "rank";

function svg(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// What is likely between a model and the leader where the consensus says so, else the interval of its value.
function ends(row) {
  return row.behind === undefined || row.behind === null
    ? { low: row.low, middle: row.supported ? row.value : null, high: row.high }
    : { low: -row.behind_high, middle: -row.behind, high: -row.behind_low };
}

function interval(row, low, high) {
  const at = (value) => `${(100 * (value - low)) / (high - low || 1)}%`;
  const drawn = svg("svg", { "aria-hidden": "true" });
  const shown = ends(row);
  if (shown.low !== null) drawn.append(svg("line", { x1: at(shown.low), x2: at(shown.high), y1: "50%", y2: "50%" }));
  if (shown.middle !== null) drawn.append(svg("circle", { cx: at(shown.middle), cy: "50%", r: 4.5 }));
  return drawn;
}

// name, heading, what it means, text of a row, number to sort by (the smallest first)
function columns(look) {
  const likely = look.models.some((row) => row.behind !== undefined && row.behind !== null);
  const none = (value) => (value === undefined || value === null ? Infinity : value);
  const all = [
    ["rank", "#", "rank", (row) => row.rank, (row) => row.rank],
    ["name", "model", "model", (row) => row.name, null],
    ["chance", "best", "how likely it is the best model", (row) => row.chance_text, (row) => -(row.chance_of_best ?? -1)],
  ];
  if (likely) {
    all.push(["behind", "points behind", "points behind the leader, as is likely", (row) => (row.behind === null || row.behind === undefined ? "-" : (100 * row.behind).toFixed(1)), (row) => none(row.behind)]);
  }
  if (look.models.some((row) => row.supported)) {
    all.push(["value", `measured ${look.quantity}`, "from the drawn labels alone", (row) => row.value_text || "-", (row) => (row.supported ? -row.value : Infinity)]);
  }
  return all;
}

function heading([name, text, meaning, , order]) {
  const cell = element("th", { scope: "col", title: meaning, className: name === "name" ? "" : "number-cell" });
  if (!order) { cell.textContent = text; return cell; }
  const button = element("button", { type: "button", className: "sort", textContent: text });
  button.dataset.by = name;
  cell.append(button);
  if (sorted === name) cell.ariaSort = name === "rank" || name === "behind" ? "ascending" : "descending";
  return cell;
}

function rank(look) {
  const all = look.models.flatMap((row) => Object.values(ends(row))).filter((end) => end !== null);
  const low = Math.min(...all), high = Math.max(...all);
  const shown = columns(look);
  const by = (shown.find(([name]) => name === sorted) || shown[0])[4];
  const likely = shown.some(([name]) => name === "behind");
  const meaning = likely ? "points behind the leader, with a 95% interval" : "interval";
  const rows = [...look.models].sort((one, other) => by(one) - by(other) || one.rank - other.rank).map((row) => {
    const cells = shown.map(([name, , , text]) => element("td", { className: name === "name" ? "name" : "number-cell", textContent: text(row), title: name === "name" ? row.name : name === "value" ? row.interval_text : "" }));
    const made = element("tr", {}, ...cells, element("td", { className: "wide", title: likely ? `points behind: ${row.behind_text}` : row.interval_text }, interval(row, low, high)));
    made.classList.toggle("first", row.rank === 1);
    made.classList.toggle("out", row.may_be_best === false);
    return made;
  });
  const picture = element("th", { scope: "col", className: "wide", title: meaning }, element("span", { className: "hidden", textContent: meaning }));
  document.querySelector("#ranking thead tr").replaceChildren(...shown.map(heading), picture);
  document.querySelector("#ranking tbody").replaceChildren(...rows);
  byId("quantity").textContent = `from ${counted(look.labels, "label", "labels")}`;
}

function about(told) {
  const facts = [];
  if (told.problem) facts.push(`There is no ranking: ${told.problem}.`);
  if (told.look && told.look.crowd) facts.push(told.look.crowd);
  const agreed = told.people;
  if (agreed.samples) {
    const kappa = agreed.kappa === null ? "" : `, ${agreed.measure} ${agreed.kappa.toFixed(2)}`;
    const noise = agreed.noise ? ` About ${agreed.noise_text} of single labels may be wrong, which the intervals allow for.` : "";
    facts.push(`${agreed.people} people labeled ${agreed.samples} samples twice or more and differ on ${agreed.disputed}${kappa}.${noise}`);
  }
  byId("facts").replaceChildren(...facts.map((fact) => element("p", { textContent: fact })));
  byId("facts").hidden = !facts.length;
}

async function draw(look) {
  if (!window.vegaEmbed || !look.curves) return;
  byId("curves-panel").hidden = false;
  const points = look.curves.data.values, names = look.curves.encoding.color.scale.domain.join("\n");
  if (curves && curvesShown === names) {
    curves.data("rows", points).runAsync();
    return;
  }
  curvesShown = names;
  const style = getComputedStyle(document.documentElement);
  const [ink, line] = ["--quiet", "--line"].map((name) => style.getPropertyValue(name).trim());
  const size = parseFloat(style.fontSize);
  // the chart is that of the report; only its size, its colors and the room for names are the page's own
  const spec = { ...look.curves, width: byId("curves").clientWidth, height: 12 * size, autosize: { type: "fit", contains: "padding" } };
  spec.encoding.y.title = null;  // the panel has it as its heading
  spec.encoding.color.legend.columns = spec.width < 25 * size ? 2 : 3;
  spec.config = {
    ...spec.config,
    axis: { labelFontSize: 0.72 * size, titleFontSize: 0.75 * size, titleFontWeight: "normal", labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line },
    legend: { labelColor: ink, labelFontSize: 0.75 * size, labelLimit: 9 * size },
  };
  // expressions are walked, not compiled: the page allows no code that is made at run time
  const made = await window.vegaEmbed(byId("curves"), spec, { ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: false });
  curves = made.view;
}

let last = null;
function update(told) {
  last = told;
  about(told);
  if (!told.look) {  // not yet, or no more: the last label was undone
    document.querySelector("#ranking thead tr").replaceChildren();
    document.querySelector("#ranking tbody").replaceChildren();
    byId("quantity").textContent = "";
    byId("curves-panel").hidden = true;
    return;
  }
  rank(told.look);
  draw(told.look);
}

document.addEventListener("news", (event) => {
  // the card comes first: the ranking waits for a moment in which nothing else happens
  (window.requestIdleCallback || setTimeout)(() => update(event.detail), { timeout: 500 });
});
document.querySelector("#ranking thead").addEventListener("click", (event) => {
  if (!event.target.dataset.by) return;
  sorted = event.target.dataset.by;
  rank(last.look);
  document.querySelector(`#ranking [data-by="${sorted}"]`).focus();
});
window.addEventListener("load", () => last && update(last));
const again = () => { curvesShown = ""; if (last) update(last); };
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
let resized = 0;
window.addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(again, 200); });
