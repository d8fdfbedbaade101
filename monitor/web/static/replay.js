// Plays a stored hand: where the slider stands is asked of the server, one question at a time, and put into the page.
"use strict";

const player = document.querySelector(".player");
const slider = document.getElementById("at");
const play = document.getElementById("play");
const length = Number(player.dataset.length);
const alerts = JSON.parse(player.dataset.alerts);
const STEP_MS = 200; // our choice: five pictures a second are enough for hands that move tiles
let playing = false;
let asking = false;
let wanted = null;
let at = 0;
let last = performance.now();

async function ask() {
  if (asking) return;
  asking = true;
  while (wanted !== null) {
    const s = wanted;
    wanted = null;
    try {
      const response = await fetch(`${player.dataset.at}?s=${s.toFixed(1)}`);
      const { clock, moment } = await response.json();
      putMoment(moment);
      document.getElementById("clock").textContent = clock;
      slider.setAttribute("aria-valuetext", clock);
      document.getElementById("trouble").textContent = "";
    } catch {
      document.getElementById("trouble").textContent = words.lost;
      run(false);
    }
  }
  asking = false;
}

function go(s) {
  at = Math.min(Math.max(s, 0), length);
  slider.value = at;
  wanted = at;
  ask();
}

function run(yes) {
  playing = yes;
  last = performance.now();
  play.textContent = playing ? words.pause : words.play;
}

function toggle() {
  if (!playing && at >= length) go(0);
  run(!playing);
}

function next() {
  const coming = alerts.find((one) => one > at + 0.05);
  if (coming !== undefined) go(coming);
}

function back() {
  const before = alerts.filter((one) => one < at - 0.05).at(-1);
  if (before !== undefined) go(before);
}

slider.addEventListener("input", () => go(Number(slider.value)));
play.addEventListener("click", toggle);
document.getElementById("next").addEventListener("click", next);
document.getElementById("back").addEventListener("click", back);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select")) return;
  if (event.key === " " && event.target.closest("button, summary, a")) return; // which it presses
  const act = { " ": toggle, n: next, p: back }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
setInterval(() => {
  const now = performance.now();
  if (playing) {
    go(at + ((now - last) / 1000) * Number(document.getElementById("speed").value));
    if (at >= length) run(false);
  }
  last = now;
}, STEP_MS);
go(0);
