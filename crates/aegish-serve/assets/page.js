"use strict";

const one = (selector) => document.querySelector(selector);
const made = (name, text, className) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
};

const MOST = 500;
const decisions = new Map();
const counts = { allow: 0, warn: 0, block: 0 };
let token = "";
let current;

// The token is in the fragment, which no server sees; it is taken out of the address at once.
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  token = given;
  history.replaceState(null, "", location.pathname);
}

const call = async (path, options = {}) => {
  const headers = { authorization: `Bearer ${token}`, ...(options.body ? { "content-type": "application/json" } : {}) };
  const response = await fetch(path, { ...options, headers });
  if (response.status === 401) {
    ask();
    throw new Error("the token is missing or wrong");
  }
  return response;
};

const ask = () => {
  one("#token-form").hidden = false;
  one("main").hidden = true;
  one("#state").textContent = "waiting for the token";
};

const wanted = (decision) => {
  const actions = [...document.querySelectorAll("#filters [type=checkbox]:checked")].map((box) => box.value);
  const text = one("#search").value.toLowerCase();
  const all = `${decision.command} ${decision.rule} ${decision.reason}`.toLowerCase();
  return actions.includes(decision.action) && all.includes(text);
};

const row = (decision) => {
  const item = made("li");
  const button = made("button");
  const time = made("time", new Date(decision.time).toLocaleTimeString([], { hour12: false }));
  time.dateTime = decision.time;
  button.append(time, made("b", decision.action, decision.action), made("code", decision.command));
  if (decision.action !== "allow") button.append(made("small", `${decision.rule}: ${decision.reason}`));
  button.addEventListener("click", () => show(decision.number).catch(report));
  item.dataset.number = decision.number;
  item.append(button);
  return item;
};

const empty = () => {
  one("#empty").hidden = one("#list").children.length > 0;
};

const filter = () => {
  const shown = [...decisions.values()].filter(wanted).sort((a, b) => b.number - a.number);
  one("#list").replaceChildren(...shown.map(row));
  mark();
  empty();
};

const add = (decision) => {
  if (decisions.has(decision.number)) return;
  decisions.set(decision.number, decision);
  counts[decision.action] += 1;
  one(`[data-count=${decision.action}]`).textContent = counts[decision.action];
  if (decisions.size > MOST) decisions.delete(decisions.keys().next().value);
};

const live = (decision) => {
  add(decision);
  if (!wanted(decision)) return;
  const list = one("#list");
  list.prepend(row(decision));
  while (list.children.length > MOST) list.lastElementChild.remove();
  empty();
};

const mark = () => {
  for (const item of one("#list").children) {
    item.firstElementChild.setAttribute("aria-current", Number(item.dataset.number) === current);
  }
};

const show = async (number) => {
  const response = await call(`/v1/decisions/${number}`);
  if (!response.ok) throw new Error((await response.json()).error);
  const { decision, now } = await response.json();
  current = number;
  mark();
  const heading = one("#detail h2");
  heading.replaceChildren(made("b", decision.action, decision.action), ` ${decision.rule}`);
  one("#command").textContent = decision.command;
  one("#reason").textContent = now.action === decision.action ? now.reason : `${decision.reason}. By now: ${now.action}, ${now.reason}`;
  one("#findings").replaceChildren(...now.findings.map((finding) => {
    const item = made("li");
    item.append(made("b", finding.action, finding.action), ` ${finding.name}: ${finding.reason} `, made("code", finding.span.text));
    if (finding.instead) item.append(made("small", `Instead: ${finding.instead}`));
    return item;
  }));
  one("#commands").replaceChildren(...now.commands.map((command) => {
    const item = made("li");
    item.append(made("code", command.argv.join(" ")), made("small", command.effects.join(", ")));
    return item;
  }));
  one("#grant").hidden = now.action === "allow";
  one("#grant-answer").textContent = "";
  one("#detail").hidden = false;
};

const grants = async () => {
  const response = await call("/v1/grants");
  const list = response.ok ? await response.json() : [];
  one("#grants").replaceChildren(...list.map((grant) => {
    const item = made("li");
    const button = made("button", "Take back");
    button.addEventListener("click", async () => {
      await call(`/v1/grants/${encodeURIComponent(grant.name)}`, { method: "DELETE" });
      await grants();
    });
    item.append(made("span", grant.rule), made("small", `until ${new Date(grant.until).toLocaleString()}`), button);
    return item;
  }));
  one("#no-grants").hidden = list.length > 0;
};

const report = (error) => {
  one("#state").textContent = error.message;
};

// Server-sent events by hand: EventSource cannot send the token.
const listen = async () => {
  const response = await call("/v1/events");
  one("#state").textContent = "live";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the daemon has ended");
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const lines = part.split("\n");
      const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim()).join("\n");
      if (lines.includes("event: decision")) live(JSON.parse(data));
    }
  }
};

const start = async () => {
  if (!token) return ask();
  one("#token-form").hidden = true;
  one("main").hidden = false;
  const last = await (await call(`/v1/decisions?most=${MOST}`)).json();
  last.reverse().forEach(add);
  filter();
  await grants();
  // A new connection follows a lost one, after a pause.
  for (;;) {
    try {
      await listen();
    } catch (error) {
      report(error);
      if (!one("#token-form").hidden) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
};

one("#filters").addEventListener("input", filter);
one("#filters").addEventListener("submit", (event) => event.preventDefault());
one("#token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  token = one("#token").value.trim();
  start().catch(report);
});
one("#grant").addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = JSON.stringify({ decision: current, minutes: Number(one("#minutes").value) });
  const response = await call("/v1/grants", { method: "POST", body });
  const answer = await response.json();
  one("#grant-answer").textContent = response.ok ? answer.map((grant) => grant.rule).join("; ") : answer.error;
  await grants();
});
start().catch(report);
