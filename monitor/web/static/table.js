// Keeps a table's page as the table is, and sends what a referee says without leaving it.
"use strict";

const QUIET_MS = 5000; // the server speaks each second: our choice, when that it does not is told
const answer = document.getElementById("answer");
let heard = performance.now();

function connected(yes) {
  document.body.classList.toggle("lost", !yes);
  const link = document.getElementById("link-text");
  const text = yes ? words.live : words.lost;
  if (link.textContent !== text) link.textContent = text;
}

const source = new EventSource(document.getElementById("link").dataset.stream);
source.addEventListener("error", () => connected(false));
source.addEventListener("moment", (event) => {
  heard = performance.now();
  connected(true);
  putMoment(JSON.parse(event.data));
});
setInterval(() => {
  if (performance.now() - heard > QUIET_MS) connected(false);
}, 1000);

function told(done, text) {
  answer.classList.toggle("answer-refused", !done);
  answer.textContent = text;
}

for (const form of document.querySelectorAll("form.input")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const buttons = [...form.querySelectorAll("button")];
    const body = new URLSearchParams(new FormData(form, event.submitter));
    for (const button of buttons) button.disabled = true; // a second tap is no second word
    try {
      const headers = { accept: "application/json" };
      const response = await fetch(form.action, { method: "POST", body, headers });
      const { done, text } = await response.json();
      told(done, text);
      if (done) form.reset();
      if (done && form.closest("details")) form.closest("details").open = false;
    } catch {
      told(false, words.unheard);
    }
    for (const button of buttons) button.disabled = false;
    event.submitter?.focus();
  });
}
