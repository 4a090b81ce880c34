"use strict";
// Lists the samples: filters them, and draws only what is scrolled into view.
// Everything from the data becomes text, never markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  if (data === null) return;
  const list = document.getElementById("list");
  const count = document.getElementById("count");
  const form = document.getElementById("filters");
  const fields = form.elements;
  const BATCH = 40;

  // Characters that act or cannot be seen, as in the rest of the page.
  const ODD = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]/gu;

  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  const spelled = (c) => {
    const number = c.codePointAt(0);
    const digits = number.toString(16);
    return number < 256 ? "\\x" + digits.padStart(2, "0") : "\\u" + digits.padStart(4, "0");
  };

  const put = (element, text) => {
    let from = 0;
    for (const match of text.matchAll(ODD)) {
      element.append(text.slice(from, match.index));
      const odd = make("span", "odd", spelled(match[0]));
      odd.title = "U+" + match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
      element.append(odd);
      from = match.index + match[0].length;
    }
    element.append(text.slice(from));
    return element;
  };

  // A row: [set, category, expected, id, epoch, command, answers, address]; an answer: [word, right, text, seconds].
  const [SET, CATEGORY, EXPECTED, ID, EPOCH, COMMAND, ANSWERS, ADDRESS] = [0, 1, 2, 3, 4, 5, 6, 7];

  const seconds = (value) =>
    value >= 10 ? value.toFixed(1) + " s" : value >= 1 ? value.toFixed(2) + " s" : Math.round(value * 1000) + " ms";

  const reasons = (row) => {
    const all = make("dl", "reasons");
    row[ANSWERS].forEach((answer, system) => {
      if (!answer) return;
      const name = put(make("dt"), data.systems[system]);
      const text = put(make("dd"), answer[2] || "(nothing)");
      if (answer[3] !== null) text.append(make("span", "sub", seconds(answer[3])));
      all.append(name, text);
    });
    return all;
  };

  const card = (row) => {
    const card = make("article", "sample");
    const meta = make("p", "meta");
    meta.append(make("b", "", row[EXPECTED] ? "attack: BLOCK is right" : "harmless: ALLOW or WARN is right"));
    put(meta.appendChild(make("span")), data.datasets[row[SET]]);
    if (row[CATEGORY] >= 0) put(meta.appendChild(make("span")), data.categories[row[CATEGORY]]);
    const link = put(make("a"), row[ID]);
    link.href = row[ADDRESS];
    meta.append(link);
    if (data.epochs) meta.append(make("span", "", "epoch " + row[EPOCH]));
    const answers = make("ul", "answers");
    row[ANSWERS].forEach((answer, system) => {
      if (!answer) return;
      const item = make("li", answer[1] ? "yes" : "no", answer[1] ? "✓ " : "✗ ");
      put(item.appendChild(make("span", "who")), data.systems[system]);
      item.append(" " + data.words[answer[0]]);
      answers.append(item);
    });
    const details = make("details");
    details.append(make("summary", "", "Reasons"));
    details.addEventListener("toggle", () => {
      if (details.open && details.childElementCount === 1) details.append(reasons(row));
    });
    card.append(meta, put(make("pre"), row[COMMAND]), answers, details);
    return card;
  };

  const texts = [];
  const text = (index) => {
    if (texts[index] === undefined) {
      const row = data.rows[index];
      const said = row[ANSWERS].map((answer) => (answer ? answer[2] : "")).join("\n");
      texts[index] = (row[ID] + "\n" + row[COMMAND] + "\n" + said).toLowerCase();
    }
    return texts[index];
  };

  const numberOf = (field) => (fields[field].value === "" ? null : Number(fields[field].value));

  const matching = () => {
    const set = numberOf("set");
    const category = numberOf("category");
    const expected = numberOf("expected");
    const system = numberOf("system");
    const word = numberOf("answer");
    const result = fields.result.value;
    const words = fields.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (answer) =>
      answer && (word === null || answer[0] === word) && (result === "" || answer[1] === (result === "right" ? 1 : 0));
    const found = [];
    data.rows.forEach((row, index) => {
      if (set !== null && row[SET] !== set) return;
      if (category !== null && row[CATEGORY] !== category) return;
      if (expected !== null && row[EXPECTED] !== expected) return;
      if (result === "split") {
        const asked = row[ANSWERS].filter(Boolean);
        const right = asked.filter((answer) => answer[1]).length;
        if (right === 0 || right === asked.length) return;
      } else if (word !== null || result !== "" || system !== null) {
        const answers = system === null ? row[ANSWERS] : [row[ANSWERS][system]];
        if (!answers.some(fits)) return;
      }
      if (words.length && !words.every((word) => text(index).includes(word))) return;
      found.push(index);
    });
    return found;
  };

  let found = [];
  let shown = 0;
  const more = () => {
    const part = document.createDocumentFragment();
    for (const index of found.slice(shown, shown + BATCH)) part.append(card(data.rows[index]));
    shown = Math.min(shown + BATCH, found.length);
    list.append(part);
    end.hidden = shown >= found.length;
    // Observed anew, so that an end still in view is reported again.
    observer.unobserve(end);
    if (!end.hidden) observer.observe(end);
  };

  const end = make("button", "", "Show more");
  end.type = "button";
  end.addEventListener("click", more);
  list.after(end);
  const observer = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) more();
  }, { rootMargin: "600px" });

  const update = () => {
    found = matching();
    shown = 0;
    list.replaceChildren();
    count.textContent = found.length.toLocaleString("en") + " of " + data.rows.length.toLocaleString("en") + " samples";
    more();
  };

  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(update, 120);
  });
  form.addEventListener("reset", () => setTimeout(update));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  update();
})();

// Sorts tables by a column: numbers by their value, everything else by its text, what is missing last.
(() => {
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const key = (row, column) => {
      const cell = row.cells[column];
      const value = cell.dataset.value ?? cell.textContent.trim();
      const number = Number(value);
      return value === "" || value === "–" ? null : Number.isNaN(number) ? value.toLowerCase() : number;
    };
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].map((row) => [key(row, column), row]);
        rows.sort(([a], [b]) => {
          if (a === null || b === null) return (a === null) - (b === null);
          const order = typeof a === typeof b ? (a > b) - (a < b) : typeof a === "number" ? -1 : 1;
          return down ? -order : order;
        });
        body.append(...rows.map(([, row]) => row));
      });
    });
  }
})();
