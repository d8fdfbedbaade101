// Keeps a page as it is now: swaps in cards that the server sends, and shows how long ago things were.
// The server's clock decides; this one only counts on between its words.
"use strict";

const cards = document.getElementById("cards");
const linkText = document.getElementById("link-text");
let offset = null; // the host's seconds minus ours

function now() {
  return performance.now() / 1000 + offset;
}

function age(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${String(whole % 60).padStart(2, "0")} min`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")} h`;
}

function showAges(root) {
  if (offset === null) return;
  for (const element of root.querySelectorAll("[data-since]")) {
    const text = age(now() - Number(element.dataset.since));
    if (element.textContent !== text) element.textContent = text;
  }
}

function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  return template.content.firstElementChild;
}

function swap(html) {
  const fresh = parsed(html);
  showAges(fresh);
  const old = document.getElementById(fresh.id);
  if (old) {
    for (const open of old.querySelectorAll("details[open]")) {
      const same = fresh.querySelector(`#${CSS.escape(open.id)}`);
      if (same) same.open = true; // whoever reads on is not interrupted
    }
    const focus = old.contains(document.activeElement) ? document.activeElement.closest("details") : null;
    old.replaceWith(fresh);
    if (focus) document.getElementById(focus.id)?.querySelector("summary").focus();
    return;
  }
  document.getElementById("empty")?.remove();
  const after = [...cards.children].find((card) => card.id > fresh.id);
  cards.insertBefore(fresh, after ?? null);
}

function connected(yes) {
  document.body.classList.toggle("lost", !yes);
  linkText.textContent = yes ? "Live" : "Connection lost; trying again";
}

const source = new EventSource(document.body.dataset.stream);
source.addEventListener("open", () => connected(true));
source.addEventListener("error", () => connected(false));
source.addEventListener("card", (event) => swap(JSON.parse(event.data)));
source.addEventListener("notices", (event) => swap(JSON.parse(event.data)));
source.addEventListener("clock", (event) => {
  offset = Number(event.data) - performance.now() / 1000;
  showAges(document);
});
setInterval(() => showAges(document), 250);
