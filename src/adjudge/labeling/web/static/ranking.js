"use strict";
// The ranking beside the card: what the server says whenever it has looked at the labels anew.
let curvesShown = "";
let curves = null;

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

function rank(look) {
  const all = look.models.flatMap((row) => Object.values(ends(row))).filter((end) => end !== null);
  const low = Math.min(...all), high = Math.max(...all);
  const likely = look.models.some((row) => row.behind !== undefined);
  const rows = look.models.map((row) => {
    const value = row.value_text || row.interval_text;
    const made = element("tr", {},
      element("td", { textContent: row.rank }), element("td", { className: "name", textContent: row.name, title: row.name }),
      element("td", { className: "number-cell", textContent: row.chance_text }),
      element("td", { className: "wide", title: likely ? `points behind: ${row.behind_text}` : row.interval_text }, interval(row, low, high)),
      element("td", { className: "number-cell", textContent: value, title: row.interval_text }));
    made.classList.toggle("first", row.rank === 1);
    made.classList.toggle("out", row.may_be_best === false);
    return made;
  });
  document.querySelector("#ranking tbody").replaceChildren(...rows);
  byId("picture").textContent = likely ? "behind the leader" : "";
  byId("value").textContent = look.quantity;
  byId("quantity").textContent = look.level ? `${Math.round(100 * look.level)} % intervals` : `by ${look.quantity}`;
}

function decide(look) {
  const [lead, ...lines] = look.recommendation.words;
  byId("verdict").classList.toggle("decided", look.recommendation.stop);
  byId("headline").textContent = lead;
  const unreachable = Boolean(look.standing && look.standing.out_of_reach);
  const told = [...lines, ...(unreachable ? [look.standing.sentence] : []), ...(look.no_rule ? [look.no_rule] : [])];
  byId("advice").replaceChildren(...told.map((line) => {
    const [heading, text] = line.split(/: (.*)/s);
    return text ? element("p", {}, element("b", { textContent: `${heading}: ` }), text) : element("p", { textContent: line });
  }));
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
