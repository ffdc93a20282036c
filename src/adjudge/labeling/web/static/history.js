"use strict";
// One's own last answers; each can be opened, changed and commented.
let listed = 0;
let open = null; // the answer in the dialog

const saidText = (answer) => (answer.label === null ? "cannot be labeled" : answer.told);

function thumbnail(answer) {
  if (answer.kind !== "image") return element("span", { className: "excerpt quiet", textContent: answer.text || answer.name });
  const image = element("img", { src: answer.media, alt: `sample ${answer.name}`, loading: "lazy" });
  image.addEventListener("error", () => image.replaceWith(element("span", { className: "problem", textContent: "broken image" })));
  return image;
}

function entry(answer) {
  const button = element("button", { type: "button", className: "answer" },
    element("span", { className: "thumbnail" }, thumbnail(answer)),
    element("span", { className: "what" }, element("b", { textContent: saidText(answer) }), ` ${answer.name}`,
      ...(answer.decided ? [" · decided"] : []), ...(answer.note ? [element("span", { className: "quiet", textContent: ` “${answer.note}”` })] : [])),
    element("time", { className: "quiet", dateTime: new Date(1000 * answer.at).toISOString(), textContent: new Date(1000 * answer.at).toLocaleString() }));
  button.addEventListener("click", () => look(answer));
  return element("li", {}, button);
}

async function list(anew) {
  if (anew) listed = 0;
  const found = await ask(`api/history?start=${listed}`);
  const entries = found.answers.map(entry);
  if (anew) byId("answers").replaceChildren(...entries); else byId("answers").append(...entries);
  listed += found.answers.length;
  byId("older").hidden = !found.answers.length || listed >= found.total;
  byId("lead").textContent = found.total
    ? `Open an answer to look at it again, change it or add a note: ${counted(found.total, "answer", "answers")} of yours, the newest first.`
    : "You have not labeled anything yet; begin with the page “Label”.";
}

async function look(answer) {
  open = answer;
  const sample = await ask(`api/samples/${answer.place}`);
  byId("opened-name").textContent = answer.name;
  byId("opened-body").replaceChildren(...sampleBody(sample));
  byId("opened-label").replaceChildren("Your answer: ", element("b", { textContent: saidText(answer) }), ". Choose another one to change it.");
  byId("note").value = answer.note;
  openAnswers?.show(sample, answer.label);
  byId("opened").showModal();
}

async function change(label) {
  try {
    await ask("api/history", { lease: open.lease, label, note: byId("note").value, sample: open.name });
    tell("");
    byId("opened").close();
    await list(true);
  } catch (problem) {
    byId("opened").close();
    tell(`The answer was not changed: ${problem.status ? problem.message : "the server does not answer"}.`);
  }
}

choose = (label) => { change(label); };
byId("skip").addEventListener("click", () => change(null));
byId("save-note").addEventListener("click", () => change(open.label));
byId("older").addEventListener("click", () => list(false));
list(true).catch((problem) => tell(`The history cannot be read: ${problem.message}.`));
