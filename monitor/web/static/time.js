// What every live page needs: its words, the server's clock, how long ago things were and how long there is left. The
// server's clock decides; this one only counts on between its words. All words are the server's.
"use strict";

const words = JSON.parse(document.body.dataset.words);
let offset = null; // the host's seconds minus ours

function say(key, values) {
  return words[key].replace(/{(\w+)}/g, (_, name) => values[name]);
}

function tell(id, text) {
  const element = document.getElementById(id);
  if (element.textContent !== text) element.textContent = text; // said again is said twice to who listens
}

function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  return template.content.firstElementChild;
}

function now() {
  return performance.now() / 1000 + offset;
}

function hear(event) {
  offset = Number(event.data) - performance.now() / 1000;
}

function two(number) {
  return String(number).padStart(2, "0");
}

function age(since) {
  const seconds = Math.max(0, Math.floor(since));
  const minutes = Math.floor(seconds / 60);
  if (seconds < 60) return say("seconds", { seconds });
  if (minutes < 60) return say("minutes", { minutes, seconds: two(seconds % 60) });
  return say("hours", { hours: Math.floor(minutes / 60), minutes: two(minutes % 60) });
}

function left(seconds) {
  const whole = seconds < 0 ? Math.floor(-seconds) : Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60), two(whole % 60)];
  const time = hours
    ? say("to-seconds", { hours, minutes: two(minutes % 60), seconds: rest })
    : say("minutes", { minutes, seconds: rest });
  return say(seconds < 0 ? "over" : "left", { time });
}

function write(element, text) {
  if (element.firstChild === null) element.textContent = text;
  else if (element.firstChild.data !== text) element.firstChild.data = text;
}

function showTimes(root) {
  if (offset === null) return;
  for (const element of root.querySelectorAll("[data-since]")) write(element, age(now() - Number(element.dataset.since)));
  for (const element of root.querySelectorAll("[data-ends]")) {
    const seconds = Number(element.dataset.ends) - now();
    write(element, left(seconds));
    element.classList.toggle("time-up", seconds < 0);
  }
}

setInterval(() => showTimes(document), 250);
