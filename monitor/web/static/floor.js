// Keeps a page as it is now: puts in what the server sends, and fits the floor's cards to the screen. Times are shown by
// time.js. All words are the server's.
"use strict";

const cards = document.getElementById("cards");
const floor = document.body.classList.contains("public");

// --- what the server sends

function swap(old, fresh) {
  showTimes(fresh);
  for (const open of old.querySelectorAll("details[open]")) {
    const same = fresh.querySelector(`#${CSS.escape(open.id)}`);
    if (same) same.open = true; // whoever reads on is not interrupted
  }
  const focus = old.contains(document.activeElement) ? document.activeElement.closest("details") : null;
  old.replaceWith(fresh);
  if (focus) document.getElementById(focus.id)?.querySelector("summary").focus();
}

function putCard(fresh) {
  const old = document.getElementById(fresh.id);
  const stays = old && old.dataset.place === fresh.dataset.place;
  if (old) swap(old, fresh);
  if (stays) return;
  showTimes(fresh);
  const after = [...cards.children].find((card) => card !== fresh && card.dataset.place > fresh.dataset.place);
  cards.insertBefore(fresh, after ?? null);
}

function putChanges(changes) {
  let whole = false;
  for (const { id, card, parts } of changes) {
    if (card) {
      putCard(parsed(card));
      whole = true;
    } else {
      const children = document.getElementById(id).children;
      for (const [index, part] of Object.entries(parts)) swap(children[index], parsed(part));
    }
  }
  if (whole) arrange();
}

function putAll(all) {
  const fresh = all.map(parsed);
  const ids = new Set(fresh.map((card) => card.id));
  for (const old of [...cards.children]) if (!ids.has(old.id)) old.remove();
  fresh.forEach(putCard);
  arrange();
}

// --- the floor: who is needed where, which tables are looked for, and how large a card can be

const SHAPES = {
  wide: { width: 40, height: 21, least: 14 }, // the table from above beside the words
  tall: { width: 22, height: 35, least: 14 }, // the table from above below them
  card: { width: 17.5, height: 14.5, least: 12.5 },
  mini: { width: 11.8, height: 7.35, least: 12.5 },
}; // in units of the text's size, and the least size in px: our choice, by eye

function fitted(name, count, width, height) {
  const shape = SHAPES[name];
  let best = { name, columns: 1, unit: 0 };
  for (let columns = 1; columns <= count; columns += 1) {
    const high = height / Math.ceil(count / columns);
    const unit = Math.min(width / columns / shape.width, high / shape.height);
    if (unit > best.unit) best = { name, columns, unit, row: Math.min(high, unit * shape.height * 1.15) };
  }
  return best;
}

function scrolled(name, width) {
  const shape = SHAPES[name];
  const columns = Math.max(1, Math.floor(width / (shape.width * shape.least * 1.1)));
  const unit = Math.min(width / columns / shape.width, shape.least * 1.25);
  return { name, columns, unit, row: unit * shape.height };
}

function fit() {
  const shown = [...cards.children].filter((card) => !card.hidden).length;
  if (!floor || shown === 0) return;
  const style = getComputedStyle(cards);
  const width = cards.clientWidth;
  const top = cards.getBoundingClientRect().top + scrollY;
  const foot = document.querySelector(".foot").offsetHeight;
  const height = innerHeight - top - foot - parseFloat(style.marginBottom);
  const few = cards.querySelector(".table") !== null;
  const fits = (few ? ["wide", "tall"] : ["card", "mini"])
    .map((name) => fitted(name, shown, width, height))
    .filter(({ name, unit }) => unit >= SHAPES[name].least);
  const best = few
    ? fits.sort((one, other) => other.unit - one.unit)[0] ?? scrolled(width < 700 ? "tall" : "wide", width)
    : fits.find(({ name }) => name === "card" || width > 600) ?? scrolled(shown > 40 ? "mini" : "card", width);
  cards.dataset.shape = best.name;
  cards.style.setProperty("--columns", best.columns);
  cards.style.setProperty("--unit", `${best.unit.toFixed(2)}px`);
  cards.style.setProperty("--row", `${best.row.toFixed(1)}px`);
}

function arrange() {
  document.getElementById("empty").hidden = cards.children.length > 0;
  if (!floor) return;
  const all = [...cards.children];
  const waiting = all.filter((card) => card.classList.contains("card-waits"));
  const tables = waiting.slice(0, 3).map((card) => card.querySelector("h2").textContent).join(", ");
  const more = waiting.length - 3;
  tell("needed", waiting.length === 0 ? words.quiet : say(more > 0 ? "needed-more" : "needed", { tables, more }));
  document.getElementById("needed").classList.toggle("needed-someone", waiting.length > 0);
  document.getElementById("find").hidden = all.length < 9;
  const sought = document.getElementById("find-name").value.trim().toLowerCase();
  for (const card of all) card.hidden = !card.querySelector("h2").textContent.toLowerCase().includes(sought);
  const found = all.filter((card) => !card.hidden).length;
  tell("found", sought ? say("found", { found, all: all.length }) : "");
  fit();
}

// --- beginning

function connected(yes) {
  document.body.classList.toggle("lost", !yes);
  tell("link-text", yes ? words.live : words.lost);
}

if (floor) {
  document.getElementById("find").addEventListener("input", arrange);
  document.getElementById("find").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("resize", fit);
}
addEventListener("beforeprint", () => tell("printed", new Date().toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })));
arrange();

const source = new EventSource(document.body.dataset.stream);
document.dispatchEvent(new CustomEvent("stream", { detail: source })); // a page's own script listens too
source.addEventListener("open", () => connected(true));
source.addEventListener("error", () => connected(false));
source.addEventListener("all", (event) => putAll(JSON.parse(event.data)));
source.addEventListener("cards", (event) => putChanges(JSON.parse(event.data)));
source.addEventListener("notices", (event) => swap(document.getElementById("notices"), parsed(JSON.parse(event.data))));
source.addEventListener("round", (event) => {
  swap(document.getElementById("round"), parsed(JSON.parse(event.data)));
  fit();
});
source.addEventListener("clock", hear);
