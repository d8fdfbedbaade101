// The director's console: puts in the cases that the server draws, sends forms without leaving the page, and calls for
// attention where that is switched on. Ages, tables and the link are floor.js's. All words are the server's.
"use strict";

const READ_MS = 1000; // our choice: who acts sooner than this after a change has not read it
const SETTLED_MOST = 50;
const parts = { due: document.getElementById("due"), open: document.getElementById("open"), settled: document.getElementById("settled") };
const title = document.title;
const known = new Set([...parts.due.children].map((card) => card.id)); // announced, or there from the beginning
const releases = new Map();

// --- cases

function placeCase(fresh) {
  const list = parts[fresh.dataset.part];
  const after = [...list.children].find((card) => card !== fresh && card.dataset.place > fresh.dataset.place);
  list.insertBefore(fresh, after ?? null);
}

// What somebody is at, stays: what is typed, opened, focused and answered, and the version that was read.
function carry(old, fresh) {
  for (const open of old.querySelectorAll("details")) {
    const same = fresh.querySelector(`#${CSS.escape(open.id)}`);
    if (same) same.open = open.open;
  }
  for (const field of old.querySelectorAll("input[id], select[id]")) {
    const same = fresh.querySelector(`#${CSS.escape(field.id)}`);
    if (same) same.value = field.value;
  }
  const answer = old.querySelector(".answer");
  fresh.querySelector(".answer").replaceWith(answer);
  for (const name of ["begun", "mine", "sending"]) if (name in old.dataset) fresh.dataset[name] = old.dataset[name];
  const read = old.querySelector("[name=version]").value;
  if (Number(fresh.dataset.version) <= Number(old.dataset.mine ?? -1)) return; // one's own act
  if (read === fresh.dataset.version) return;
  setVersion(fresh, read);
  clearTimeout(releases.get(fresh.id));
  if (!("begun" in fresh.dataset)) releases.set(fresh.id, setTimeout(() => release(fresh.id), READ_MS));
}

function setVersion(card, version) {
  for (const field of card.querySelectorAll("[name=version]")) field.value = version;
}

function release(id) {
  const card = document.getElementById(id);
  if (card && !("begun" in card.dataset)) setVersion(card, card.dataset.version);
}

function dress(card) {
  showTimes(card);
  for (const field of card.querySelectorAll("[name=_csrf_token]")) field.value = document.body.dataset.proof;
  const take = card.querySelector(".take");
  const taken = card.querySelector("[value=given_back]");
  if (take && taken) take.hidden = card.dataset.by === document.body.dataset.author;
}

function putCase(fresh) {
  const old = document.getElementById(fresh.id);
  dress(fresh);
  if (!old) {
    placeCase(fresh);
    return;
  }
  const active = old.contains(document.activeElement) ? document.activeElement : null;
  const range = active?.matches("input") ? [active.selectionStart, active.selectionEnd] : null;
  carry(old, fresh);
  const stays = old.dataset.place === fresh.dataset.place && old.dataset.part === fresh.dataset.part;
  if (stays) {
    old.replaceWith(fresh);
  } else {
    old.remove();
    placeCase(fresh);
    if (active && fresh.dataset.part === "settled") document.getElementById("settled-part").open = true;
  }
  if (!active) return;
  const again = active.matches("summary") ? document.getElementById(active.parentElement.id)?.firstElementChild : document.getElementById(active.id);
  (again ?? fresh).focus({ preventScroll: stays });
  if (range && again) again.setSelectionRange(...range);
}

function putCases({ cards, gone, whole }) {
  const all = cards.map(parsed);
  const ids = new Set(all.map((card) => card.id));
  const leaving = whole ? [...document.querySelectorAll(".case")].filter((card) => !ids.has(card.id)) : gone.map((id) => document.getElementById(`case-${id}`));
  for (const card of leaving) card?.remove();
  all.forEach(putCase);
  while (parts.settled.children.length > SETTLED_MOST) parts.settled.lastElementChild.remove();
  filter();
  const fresh = [...parts.due.children].filter((card) => !known.has(card.id));
  fresh.forEach((card) => known.add(card.id));
  if (fresh.length > 0) call(fresh);
}

// --- which are shown

const form = document.getElementById("filter");

function filter() {
  const [table, rule] = [form.elements.table.value, form.elements.rule.value];
  const { youngest, oldest } = form.elements.age.selectedOptions[0].dataset;
  let hides = 0;
  for (const card of document.querySelectorAll(".case")) {
    const seconds = offset === null ? null : now() - Number(card.dataset.first);
    const aged = !youngest || seconds === null || (seconds >= Number(youngest) && (oldest === "inf" || seconds <= Number(oldest)));
    card.hidden = !(aged && (!table || card.dataset.table === table) && (!rule || card.dataset.rule === rule));
    if (card.hidden && card.dataset.part !== "settled") hides += 1;
  }
  tell("filter-hides", hides ? say("hidden", { number: hides }) : "");
  const waiting = parts.due.children.length;
  const text = waiting ? say("waiting", { number: waiting, title }) : title;
  if (document.title !== text) document.title = text;
}

function wish() {
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value)).toString();
  history.replaceState(null, "", query ? `?${query}` : location.pathname);
  filter();
}

// --- forms

async function proofAnew() {
  const page = await fetch(location.pathname);
  const fresh = new DOMParser().parseFromString(await page.text(), "text/html").body.dataset.proof;
  if (!fresh) return false;
  document.body.dataset.proof = fresh;
  document.querySelectorAll(".case").forEach(dress);
  return true;
}

async function answered(action, sent, again) {
  sent.set("_csrf_token", document.body.dataset.proof);
  const answer = await fetch(action, { method: "POST", body: sent, headers: { accept: "application/json" } });
  if (answer.ok) return answer.json();
  if (answer.status === 403 && again && (await proofAnew())) return answered(action, sent, false); // of before a restart
  return { good: false, text: answer.status < 500 ? words["signed-out"] : words["not-sent"] };
}

async function send(act, button) {
  const { id, dataset } = act.closest(".case");
  if ("sending" in dataset) return;
  dataset.sending = "";
  const sent = new URLSearchParams(new FormData(act));
  sent.set(button.name, button.value);
  tell(id.replace("case", "answer"), words.sending);
  let answer;
  try {
    answer = await answered(act.action, sent, true);
  } catch {
    answer = { good: false, text: words["not-sent"] };
  }
  const card = document.getElementById(id);
  if (!card) return;
  delete card.dataset.sending;
  const line = card.querySelector(".answer");
  line.className = `answer answer-${answer.good ? "good" : "bad"}`;
  line.textContent = answer.text;
  if (!("version" in answer)) return; // nobody has heard of it: all stays as it is
  delete card.dataset.begun;
  card.dataset.mine = answer.version;
  if (answer.good) {
    for (const field of card.querySelectorAll("input[id]")) field.value = "";
    for (const field of card.querySelectorAll("select")) field.selectedIndex = 0;
    card.querySelector(".rule").open = false;
  }
  release(id);
}

// --- calling for attention

const SWITCHES = { sound: ["sound-off", "sound-on"], notify: ["notify-off", "notify-on"] };
let audio = null;

function on(name) {
  return localStorage.getItem(`rackwatch.${name}`) === "on";
}

function showSwitch(name) {
  const blocked = name === "notify" && on(name) && Notification.permission !== "granted";
  tell(name, words[blocked ? "notify-blocked" : SWITCHES[name][Number(on(name))]]);
}

function beep() {
  audio ??= new AudioContext();
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = 660;
  volume.gain.setValueAtTime(0.2, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.4);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.4);
}

function call(fresh) {
  const heads = fresh.map((card) => card.querySelector("h3").textContent.trim().replace(/\s+/g, " "));
  document.getElementById("announce").textContent = say("new", { head: heads.join("; ") });
  if (on("sound")) beep();
  if (!on("notify") || Notification.permission !== "granted") return;
  fresh.forEach((card, index) => {
    const text = card.querySelector(".case-words").textContent;
    new Notification(heads[index], { body: text, tag: card.id });
  });
}

function switchable(name, begin) {
  const button = document.getElementById(name);
  button.hidden = false;
  button.addEventListener("click", async () => {
    localStorage.setItem(`rackwatch.${name}`, on(name) ? "off" : "on");
    if (on(name)) await begin();
    showSwitch(name);
  });
  showSwitch(name);
}

// --- beginning

document.addEventListener("stream", ({ detail: source }) => {
  source.addEventListener("cases", (event) => putCases(JSON.parse(event.data)));
  document.querySelectorAll(".case").forEach(dress);
  document.getElementById("filter-show").hidden = true;
  form.addEventListener("change", wish);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
  setInterval(filter, 5000); // cases grow old
  switchable("sound", beep);
  if ("Notification" in window) switchable("notify", () => Notification.requestPermission());
  addEventListener("pointerdown", () => audio?.resume(), { passive: true });
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches(".do")) return;
  event.preventDefault();
  send(event.target, event.submitter);
});
for (const kind of ["input", "toggle"]) {
  document.addEventListener(kind, ({ target }) => {
    const card = target.closest(".case");
    if (card && (kind === "input" || (target.matches(".rule") && target.open))) card.dataset.begun = "";
  }, true);
}
