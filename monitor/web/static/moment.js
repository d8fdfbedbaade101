// Puts a table's moment into its page, live or played back: the parts that changed, and how long ago things were.
// All words are the server's.
"use strict";

const words = JSON.parse(document.body.dataset.words);
const shown = new Map(); // what each part was last, as it came

for (const plot of document.querySelectorAll(".plot")) plot.scrollLeft = plot.scrollWidth; // the present is at the right

function age(since) {
  const seconds = Math.max(0, Math.floor(since));
  const minutes = Math.floor(seconds / 60);
  const two = (number) => String(number).padStart(2, "0");
  const filled = (text, values) => text.replace(/{(\w+)}/g, (_, name) => values[name]);
  if (seconds < 60) return filled(words.seconds, { seconds });
  if (minutes < 60) return filled(words.minutes, { minutes, seconds: two(seconds % 60) });
  return filled(words.hours, { hours: Math.floor(minutes / 60), minutes: two(minutes % 60) });
}

function putPart(name, html) {
  if (shown.get(name) === html) return;
  shown.set(name, html);
  const part = document.querySelector(`[data-part="${name}"]`);
  const open = [...part.querySelectorAll("details[open]")].map((details) => details.id);
  const focused = part.contains(document.activeElement) ? document.activeElement.closest("[id], [tabindex]") : null;
  const scrolled = [...part.querySelectorAll("[tabindex]")].map((box) => [box.scrollLeft, box.scrollTop]);
  part.innerHTML = html;
  for (const id of open) {
    const same = document.getElementById(id);
    if (same) same.open = true; // whoever reads on is not interrupted
  }
  [...part.querySelectorAll("[tabindex]")].forEach((box, index) => {
    if (scrolled[index]) [box.scrollLeft, box.scrollTop] = scrolled[index];
    if (focused && !focused.id) box.focus({ preventScroll: true });
  });
  if (focused?.id) document.getElementById(focused.id)?.querySelector("summary")?.focus({ preventScroll: true });
}

function putMoment({ now_s: now, parts }) {
  for (const [name, html] of Object.entries(parts)) putPart(name, html);
  for (const element of document.querySelectorAll("[data-since]")) {
    const text = age(now - Number(element.dataset.since));
    if (element.textContent !== text) element.textContent = text;
  }
}
