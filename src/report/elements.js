//@ Elements, numbers and tables of a report's page. Texts of the document become text nodes, never markup.
//@define ELEMENTS
const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const dash = "\u2013", nbsp = "\u00a0", times = "\u00d7";

/* ---- elements */

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value);
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
  return node;
}
const el = (name, attributes, ...children) =>
  fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
const code = string => el("code", {}, string);
const note = (...children) => el("p", {class: "note"}, ...children);
const details = (title, ...children) => el("details", {}, el("summary", {}, title), ...children);

/* ---- numbers */

/* A share of copy bandwidth, as commands print it. */
const percent = share => Number.isFinite(share) ? (100 * share).toFixed(1) : dash;

function digits(value) {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return dash;
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(2);
  return value.toFixed(size >= 99.95 || size === 0 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 :
    size >= 0.00995 ? 3 : 4);
}
function scaled(value, step, units) {
  let unit = 0;
  for (; value >= 0.9995 * step && unit < units.length - 1; unit++) value /= step;
  return digits(value) + nbsp + units[unit];
}
const launchTime = seconds => scaled(seconds * 1e9, 1000, ["ns", "\u00b5s", "ms", "s"]);
const bytes = value => scaled(value, 1000, ["B", "kB", "MB", "GB", "TB", "PB"]);
const count = value => Number(value).toLocaleString("en-US");
function duration(seconds) {
  const s = Math.round(seconds), two = n => String(n).padStart(2, "0");
  if (seconds < 60) return seconds.toFixed(seconds < 9.95 ? 1 : 0) + nbsp + "s";
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)} min`;
}
const known = (value, text) => value > 0 ? text(value) : dash;
const moment = text => text ? text.slice(0, 16).replace("T", " ") : "";
const sum = (rows, key) => rows.reduce((total, row) => total + (row[key] || 0), 0);
const plural = (n, one, many) => count(n) + " " + (n === 1 ? one : many);
const least = list => list.reduce((a, b) => Math.min(a, b), Infinity);
const most = list => list.reduce((a, b) => Math.max(a, b), -Infinity);

/* "tile_x 32 tile_y 8" of an object; another value as it is. */
function words(value) {
  if (value === null || typeof value !== "object") return String(value ?? "");
  return Object.entries(value).flatMap(([name, part]) => [el("span", {class: "pair"}, name + nbsp,
    el("b", {}, typeof part === "string" ? part : JSON.stringify(part))), " "]);
}

function compare(a, b) {
  const missing = v => v === undefined || v === null || Number.isNaN(v);
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  return typeof a === "number" && typeof b === "number" ? a - b :
    String(a).localeCompare(String(b), "en", {numeric: true});
}

/* ---- tables */

/* A column: head, value (of a row, to sort by), show (what a cell has; the value if left out),
 * number (aligned to the right), class. */
const text = (head, value, more) => ({head, value, ...more});
const number = (head, value, show, more) => ({head, value, show, number: true, ...more});
const bar = (head, colour, value, share, show) => ({head, value, show: row =>
  value(row) === undefined ? dash : el("div", {class: "bar " + colour(row)},
    el("i", {}, el("s", {style: `width:${100 * Math.min(Math.max(share(row) || 0, 0), 1)}%`})),
    el("b", {}, show(row)))});

/* 'filtered' is told which rows the reader's filter leaves. */
function table(name, columns, rows, {classOf, filtered} = {}) {
  const lines = rows.map(row => ({row, node: el("tr", {class: classOf?.(row) || undefined},
    columns.map((column, i) => el(i || column.number ? "td" : "th",
      {class: column.number ? "n" : column.class, scope: i || column.number ? undefined : "row"},
      (column.show ?? column.value)(row))))}));
  const body = el("tbody", {}, lines.map(line => line.node));
  const heads = columns.map(column => el("th", {scope: "col", class: column.number && "n"},
    column.head && el("button", {type: "button", title: "Sort", click: () => sort(column)}, column.head)));
  const found = el("span", {class: "found", role: "status"});
  const search = el("input", {type: "search", placeholder: "Filter rows", "aria-label": "Filter: " + name,
    input: filter});
  function filter() {
    const parts = search.value.toLowerCase().split(/\s+/);
    for (const line of lines) {
      const all = line.node.textContent.toLowerCase();
      line.node.hidden = !parts.every(part => all.includes(part));
    }
    const left = lines.filter(line => !line.node.hidden).map(line => line.row);
    found.textContent = left.length < rows.length ? `${left.length} of ${rows.length}` : "";
    filtered?.(left);
  }
  function sort(column) {
    const head = heads[columns.indexOf(column)];
    const down = head.hasAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : !!column.down;
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    lines.sort((a, b) => (down ? -1 : 1) * compare(column.value(a.row), column.value(b.row)));
    body.append(...lines.map(line => line.node));
  }
  return [rows.length > 5 ? el("p", {class: "search"}, search, found) : null,
    el("div", {class: "scroll", role: "region", tabindex: 0, "aria-label": name},
      el("table", {}, el("thead", {}, el("tr", {}, heads)), body))];
}

/* ---- source, coloured by the words of C */

const token = new RegExp(["(\\/\\/[^\\n]*|\\/\\*[^]*?\\*\\/)", "(^[ \\t]*#[^\\n]*)", "(\"(?:[^\"\\\\\\n]|\\\\.)*\")",
  "\\b(0[xX][0-9a-fA-F]+|\\d+\\.?\\d*(?:[eE][+-]?\\d+)?[fFuUlL]*)\\b",
  "\\b(if|else|for|while|do|return|break|continue|switch|case|struct|static|const|restrict|inline|extern|typedef|" +
  "__global__|__device__|__shared__|__launch_bounds__|__restrict__|__kernel|__local|kernel|asm|volatile)\\b",
  "\\b(void|int|long|short|char|float|double|unsigned|size_t|bool|u?int\\d+_t|float[248]|double[248]|half2?)\\b"]
  .join("|"), "gm");
const kinds = ["comment", "directive", "string", "literal", "keyword", "type"];

function source(string) {
  const lines = [el("span", {class: "line"})];
  const add = (part, kind) => part.split("\n").forEach((piece, i) => {
    if (i) lines.push(el("span", {class: "line"}));
    if (piece) lines.at(-1).append(kind ? el("span", {class: kind}, piece) : piece);
  });
  let end = 0;
  for (const match of string.matchAll(token)) {
    add(string.slice(end, match.index));
    add(match[0], kinds[match.slice(1).findIndex(group => group !== undefined)]);
    end = match.index + match[0].length;
  }
  add(string.slice(end));
  if (!lines.at(-1).hasChildNodes()) lines.pop();
  const copy = el("button", {type: "button", class: "copy", click: () =>
    navigator.clipboard?.writeText(string).then(() => copy.textContent = "Copied")}, "Copy");
  return el("div", {class: "viewer"}, copy, el("pre", {class: "source", tabindex: 0}, lines));
}
