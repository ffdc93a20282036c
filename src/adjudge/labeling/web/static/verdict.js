"use strict";
// What to do: the recommendation, how far it is to the goal of the stop rule, and why.
const OUT_OF_REACH = "As the gaps look now, no number of labels reaches this rule: too many of them may be wrong. Choose another rule.";

function line(text) {
  const [heading, rest] = text.split(/: (.*)/s);
  return rest ? element("p", {}, element("b", { textContent: `${heading}: ` }), rest) : element("p", { textContent: text });
}

function decide(told) {
  const { look, rules, progress } = told;
  const { recommendation: advice, standing } = look;
  const [lead, ...lines] = advice.words;
  const goal = rules.find((each) => standing && each.rule === standing.rule)?.goal;
  const toGo = standing && !standing.may_stop && standing.how_many;
  const next = lines.find((each) => each.startsWith("Next: "));
  byId("verdict").classList.toggle("decided", advice.stop);
  byId("headline").textContent = lead;
  const text = next && advice.verdict === "predictions missing" ? sentence(next.slice(6)) : standing && standing.out_of_reach ? OUT_OF_REACH : toGo ? `${sentence(toGo)} until ${goal}.` : next ? sentence(next.slice(6)) : "";
  // the ranking may know fewer answers than the page counts, so it counts more samples that are left
  byId("next").textContent = look.labels === progress.labels ? text : text.replace(/all [\d,]+ samples that are left/, "all samples that are left");
  bar(look.labels, standing);
  const why = [];
  const used = look.labels, all = progress.labels;
  if (used !== all) {
    const blocked = progress.waiting ? `; ${progress.waiting} wait for a sample that was drawn before them and has no answer yet` : "; the others come at the next look";
    why.push(`All of this is from ${used.toLocaleString("en")} of ${counted(all, "label", "labels")}${blocked}.`);
  }
  why.push(...lines.filter((each) => each !== next));
  if (look.no_rule) why.push(look.no_rule);
  byId("advice").replaceChildren(...why.map(line));
}

const sentence = (text) => text[0].toUpperCase() + text.slice(1);

// Filled as far as it is at least; lighter as far as it may be.
function bar(labels, standing) {
  const high = standing && (standing.may_stop ? 0 : standing.more_labels_high);
  byId("bar").hidden = !standing || high === null || (!labels && high !== 0);
  if (byId("bar").hidden) return;
  const low = standing.may_stop ? 0 : standing.more_labels_low;
  const share = (more) => (more === 0 ? 100 : Math.round((100 * labels) / (labels + more)));
  byId("bar-done").style.width = `${share(high)}%`;
  byId("bar-range").style.width = `${share(low)}%`;
  byId("bar").setAttribute("aria-valuenow", share(high));
  const text = share(high) === share(low) ? `${share(high)}% of the labels` : `${share(high)} to ${share(low)}% of the labels`;
  byId("bar").setAttribute("aria-valuetext", text);
  byId("bar").title = `${text} that the goal may take: an extrapolation, not a promise`;
}

function offer(rules) {
  byId("rule-row").hidden = !rules.length;
  const wanted = JSON.stringify(rules);
  if (byId("rule").dataset.shown === wanted) return;
  byId("rule").dataset.shown = wanted;
  byId("rule").replaceChildren(...rules.map((each) => element("option", { value: each.rule, textContent: each.name, title: each.goal, selected: each.chosen })));
}

byId("rule").addEventListener("change", async () => {
  const [next, bar] = [byId("next").textContent, byId("bar").hidden];
  byId("next").textContent = "Looking at the labels by this rule …";  // first: the new look may be here before the answer
  byId("bar").hidden = true;
  try {
    await ask("api/rule", { rule: byId("rule").value });
  } catch (problem) {
    [byId("next").textContent, byId("bar").hidden] = [next, bar];
    tell(`The rule was not changed: ${problem.message}.`);
  }
});
document.addEventListener("news", (event) => {
  offer(event.detail.rules);
  if (event.detail.look) decide(event.detail);
  else if (event.detail.problem) {
    byId("headline").textContent = "Label the sample below; there is no ranking yet.";
    byId("next").textContent = "";
    byId("bar").hidden = true;
    byId("advice").replaceChildren();
  }
});
