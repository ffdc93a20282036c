"use strict";
// Samples on which people disagree, one after the other; whoever decides does not see who said what, unless they ask.
let at = 0;
let shown = null;

function said() {
  const names = byId("names").checked;
  return shown.said.map((each, place) => element("li", {},
    element("b", { textContent: each.label === null ? "cannot be labeled" : each.told }),
    ` · ${names ? each.person : `person ${place + 1}`}`, ...(each.note ? [element("span", { className: "quiet", textContent: ` “${each.note}”` })] : [])));
}

async function load() {
  shown = await ask(`api/queue?start=${at}`);
  at = shown.at;
  byId("case").hidden = !shown.total;
  byId("lead").textContent = shown.total
    ? `Choose the right class: people disagree about this sample (${at + 1} of ${shown.total.toLocaleString("en")}).`
    : "There is nothing to decide: people do not disagree about any sample.";
  if (!shown.total) return;
  byId("case-name").textContent = shown.sample.name;
  byId("case-body").replaceChildren(...sampleBody(shown.sample));
  byId("case-said").replaceChildren(...said());
  openAnswers?.show(shown.sample, null);
  byId("previous").disabled = at === 0;
  byId("following").disabled = at + 1 >= shown.total;
}

const go = () => load().catch((problem) => tell(`The sample cannot be shown: ${problem.message}.`));

async function resolve(label) {
  const problem = unseen(shown.sample);
  if (label !== null && problem) return tell(problem);
  try {
    await ask("api/decisions", { place: shown.sample.place, label, note: byId("note").value });
    byId("note").value = "";
    tell("");
    await load();
  } catch (refused) {
    tell(`The decision was not taken: ${refused.status ? refused.message : "the server does not answer"}.`);
  }
}

choose = (label) => { resolve(label); };
byId("skip").addEventListener("click", () => resolve(null));
byId("names").addEventListener("change", () => byId("case-said").replaceChildren(...said()));
byId("previous").addEventListener("click", () => { at -= 1; go(); });
byId("following").addEventListener("click", () => { at += 1; go(); });
document.addEventListener("news", (event) => { if (!shown?.total && event.detail.people.undecided) go(); });
go();
