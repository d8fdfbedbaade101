// A page that shows one thing: puts in what the server sends, and finds back by itself after any loss, be it of the
// server, the network or a tablet's sleep. What somebody is typing stays.
"use strict";

const PATIENCE_MS = 8000; // the server tells its time each second; our choice
let source = null;
let heard = performance.now();

function put(html) {
  const old = document.getElementById("shown");
  const fresh = parsed(html);
  const proof = document.querySelector("input[name=_csrf_token]");
  if (proof) for (const input of fresh.querySelectorAll("input[name=_csrf_token]")) input.value = proof.value;
  for (const field of old.querySelectorAll("input[id], select[id]")) {
    const same = fresh.querySelector(`#${CSS.escape(field.id)}`);
    if (same && field.dataset.touched) {
      same.value = field.value;
      same.dataset.touched = "yes";
    }
  }
  for (const open of old.querySelectorAll("details[open]")) {
    const same = fresh.querySelector(`#${CSS.escape(open.id)}`);
    if (same) same.open = true;
  }
  const focus = old.contains(document.activeElement) ? document.activeElement.id : "";
  showTimes(fresh);
  old.replaceWith(fresh);
  if (focus) document.getElementById(focus)?.focus();
}

function connected(yes) {
  document.body.classList.toggle("lost", !yes);
  tell("link-text", yes ? words.live : words.lost);
}

function connect() {
  source?.close();
  heard = performance.now();
  source = new EventSource(document.body.dataset.stream);
  source.addEventListener("open", () => connected(true));
  source.addEventListener("error", () => connected(false));
  source.addEventListener("shown", (event) => put(JSON.parse(event.data)));
  source.addEventListener("clock", (event) => {
    heard = performance.now();
    hear(event);
  });
}

document.addEventListener("input", (event) => {
  event.target.dataset.touched = "yes";
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && performance.now() - heard > 2000) connect();
});
setInterval(() => {
  if (performance.now() - heard < PATIENCE_MS) return;
  connected(false);
  connect(); // a stream that was refused, or that fell silent, does not come back by itself
}, 1000);
connect();
