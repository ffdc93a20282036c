"use strict";
// The ranking beside the card: what the server says whenever it has looked at the labels anew.
const figure = (value) => value === null ? "–" : Math.abs(value) < 10000 ? value.toFixed(3) : value.toPrecision(3);
let curvesShown = "";
let curves = null;

function svg(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function interval(row, low, high) {
  const at = (value) => `${(100 * (value - low)) / (high - low || 1)}%`;
  const drawn = svg("svg", { "aria-hidden": "true" });
  if (row.low !== null) drawn.append(svg("line", { x1: at(row.low), x2: at(row.high), y1: "50%", y2: "50%" }));
  if (row.value !== null) drawn.append(svg("circle", { cx: at(row.value), cy: "50%", r: 4.5 }));
  return drawn;
}

function rank(look) {
  const ends = look.models.flatMap((row) => [row.low, row.high, row.value]).filter((end) => end !== null);
  const low = Math.min(...ends), high = Math.max(...ends);
  let tier = null;
  const rows = look.models.map((row) => {
    const made = element("tr", {},
      element("td", { textContent: row.rank }), element("td", { className: "name", textContent: row.name, title: row.name }),
      element("td", { className: "wide", title: row.low === null ? "" : `${figure(row.low)} to ${figure(row.high)}` }, interval(row, low, high)),
      element("td", { className: "number-cell", textContent: figure(row.value) }),
      element("td", { className: "number-cell", textContent: row.best_text }));
    made.classList.toggle("first", row.rank === 1);
    made.classList.toggle("tier", tier !== null && row.tier !== tier);
    tier = row.tier;
    return made;
  });
  document.querySelector("#ranking tbody").replaceChildren(...rows);
  byId("quantity").textContent = `by ${look.quantity}${look.level ? `, ${Math.round(100 * look.level)} % intervals` : ""}`;
}

function decide(look) {
  const standing = look.standing;
  const decided = Boolean(standing && standing.may_stop);
  byId("verdict").classList.toggle("decided", decided);
  const more = standing && standing.more_labels;
  const unreachable = Boolean(standing && standing.out_of_reach);
  byId("headline").textContent = decided ? "Stop: decided"
    : unreachable ? "More labels may not decide"
    : more ? `About ${more.toLocaleString("en")} more label${more === 1 ? "" : "s"}`
    : look.labels ? "Keep labeling" : "Label the first samples";
  const able = look.models.filter((row) => row.may_be_best).length;
  const open = able > 1 ? `${able} of ${look.models.length} models may still be the best. ` : "";
  const range = more ? `An extrapolation from the gaps as they look now: ${standing.more_labels_low.toLocaleString("en")} to ${standing.more_labels_high.toLocaleString("en")}.` : "";
  const crowd = look.labels ? "" : "Until then models are ranked by how far they agree with each other, which is not accuracy.";
  byId("sentence").textContent = decided || unreachable ? standing.sentence : open + range + (look.no_rule || "") + crowd;
}

function state(told) {
  const count = told.progress;
  const people = Object.keys(count.people).length;
  byId("counts").textContent = `${count.labels.toLocaleString("en")} labels`
    + (count.skipped ? `, ${count.skipped} skipped` : "") + (people > 1 ? `, ${people} people` : "");
  const facts = [];
  if (told.problem) facts.push(`There is no ranking: ${told.problem}.`);
  if (told.look && told.look.crowd) facts.push(told.look.crowd);
  if (count.waiting) facts.push(`${count.waiting} label${count.waiting > 1 ? "s are" : " is"} not used yet: drawn after a sample that is still in somebody's hands.`);
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
  if (!window.vegaEmbed || !look.curves.length) return;
  byId("curves-panel").hidden = false;
  const names = [...new Set(look.curves.map((point) => point.model))];
  if (curves && curvesShown === names.join("\n")) {
    curves.data("points", look.curves).runAsync();
    return;
  }
  curvesShown = names.join("\n");
  const style = getComputedStyle(document.documentElement);
  const [ink, line] = ["--quiet", "--line"].map((name) => style.getPropertyValue(name).trim());
  const size = parseFloat(style.fontSize);
  const colors = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"];
  const spec = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    data: { name: "points", values: look.curves }, width: byId("curves").clientWidth, height: 12 * size, background: null, autosize: { type: "fit", contains: "padding" },
    mark: { type: "line", strokeWidth: 2.5, interpolate: "monotone", point: look.curves.length < 30 },
    encoding: {
      x: { field: "labels", type: "quantitative", title: "labels", axis: { tickMinStep: 1, tickCount: 6, grid: false } },
      y: { field: "chance", type: "quantitative", title: null, scale: { domain: [0, 1] }, axis: { format: "%", tickCount: 3 } },
      color: { field: "model", type: "nominal", title: null, scale: { domain: names, range: colors }, legend: { orient: "top", columns: byId("curves").clientWidth < 25 * size ? 2 : 3, labelLimit: 9 * size, symbolSize: 12 * size } },
      strokeDash: { field: "model", type: "nominal", scale: { domain: names, range: [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4]] } },
    },
    config: { font: "system-ui, sans-serif", view: { stroke: null }, axis: { labelFontSize: 0.72 * size, titleFontSize: 0.75 * size, titleFontWeight: "normal", labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line }, legend: { labelColor: ink, labelFontSize: 0.75 * size } },
  };
  // expressions are walked, not compiled: the page allows no code that is made at run time
  const made = await window.vegaEmbed(byId("curves"), spec, { ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: false });
  curves = made.view;
}

async function dispute(people) {
  const panel = byId("disputes");
  panel.hidden = !people.undecided;
  if (!people.undecided || panel.dataset.count === String(people.undecided)) return;
  panel.dataset.count = people.undecided;
  const open = await ask("api/disputes");
  const parts = open.slice(0, 5).map((each) => {
    const labels = [...new Set(each.said.map((one) => one.label))];
    const choices = labels.map((label) => {
      const button = element("button", { type: "button", textContent: label === null ? "skip" : label });
      button.addEventListener("click", async () => { await ask("api/decisions", { place: each.place, label }); panel.dataset.count = ""; });
      return button;
    });
    const said = each.said.map((one) => `${one.person}: ${one.label === null ? "skip" : one.label}`).join(" · ");
    return element("div", {}, element("b", { textContent: each.name }), ` ${said}`, element("div", { className: "choices" }, ...choices));
  });
  panel.replaceChildren(element("h2", { textContent: `People disagree on ${people.undecided}: decide` }), ...parts);
}

let last = null;
function update(told) {
  last = told;
  state(told);
  dispute(told.people);
  if (!told.look) return;
  decide(told.look);
  rank(told.look);
  draw(told.look);
}

const line = new EventSource("api/events");
line.onmessage = (event) => {
  const told = JSON.parse(event.data);
  // the card comes first: the ranking waits for a moment in which nothing else happens
  (window.requestIdleCallback || setTimeout)(() => update(told), { timeout: 500 });
};
window.addEventListener("load", () => last && update(last));
const again = () => { curvesShown = ""; if (last) update(last); };
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
let resized = 0;
window.addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(again, 200); });
