"use strict";
// Answers wait here until the server has them, also over a reload or a crash of the browser.
const outboxKey = `adjudge ${meta("project")} ${meta("person")}`;
const outbox = JSON.parse(localStorage.getItem(outboxKey) || "[]");
const TRIES = 3; // of an answer at which the server fails
const PASSING = [408, 425, 429, 502, 503, 504, 507]; // statuses of a server that is there again later
let sending = false;
let away = false; // whether the server does not answer

function keep() {
  try {
    localStorage.setItem(outboxKey, JSON.stringify(outbox));
  } catch {
    tell("This browser has no room to keep answers; leave the page open until all of them are sent.");
  }
}

function isAway(problem) {
  away = true;
  tell(problem.status
    ? `Your answers are kept here and sent when it works again: ${problem.message}.`
    : "The server does not answer. Your answers are kept here and sent when it does.");
  document.dispatchEvent(new Event("waiting"));
}

function isBack() {
  if (away) tell("");
  away = false;
  document.dispatchEvent(new Event("waiting"));
}

// Send what waits, one after the other. An answer that is refused, or at which the server fails, is set aside and told:
// those behind it go on.
async function send(taken, refused) {
  if (sending) return;
  sending = true;
  let tries = 0;
  while (outbox.length) {
    try {
      const hand = await ask("api/answers", outbox[0]);
      outbox.shift();
      keep();
      tries = 0;
      isBack();
      taken(hand);
    } catch (problem) {
      if (problem.status === 401 || problem.status === 403) { // not the answer is wrong, but who sends it
        tell(`Your answers are kept here and sent when you are back: ${problem.message}.`);
        break;
      }
      tries += 1;
      const failed = problem.status && !PASSING.includes(problem.status);
      if (failed && (problem.status < 500 || tries >= TRIES)) {
        const item = outbox.shift();
        keep();
        tries = 0;
        away = false;
        const why = problem.status < 500 ? problem.message : "the server failed at it; tell whoever runs it";
        await refused(item);
        tell(`The answer to ${item.sample ?? "a sample"} was not taken: ${why}.`);
      } else {
        if (!failed) isAway(problem);
        await new Promise((done) => setTimeout(done, failed ? 200 : 1000));
      }
    }
  }
  sending = false;
}
