//@ The script of a report's page: draws the document of 'lift report --json' (docs/report.md) as tables and
//@ charts. Texts of the document become text nodes, never markup.
//@define SCRIPT
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const dash = "\u2013", nbsp = "\u00a0", colours = 6;

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
const series = device => "s" + device.index % colours;

/* ---- numbers */

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
const plural = (n, one, many) => n === 1 ? one : many;

/* "nx 512 ny 512" of an object; another value as it is. */
function words(value) {
  if (value === null || typeof value !== "object") return String(value ?? "");
  return Object.entries(value).flatMap(([name, part]) => [el("span", {class: "pair"}, name + nbsp,
    el("b", {}, typeof part === "string" ? part : JSON.stringify(part))), " "]);
}

/* ---- the document as objects that refer to each other */

const byId = rows => new Map(rows.map(row => [row.id, row]));
const devices = byId(data.devices), problems = byId(data.problems), sessions = byId(data.sessions);
data.devices.forEach((device, index) => device.index = index);
data.sessions.forEach((session, index) => session.index = index);
const place = row => row.problem + " " + row.device, pairs = new Map();
for (const row of data.explored) {
  if (!problems.has(row.problem) || !devices.has(row.device)) continue;
  if (!pairs.has(place(row)))
    pairs.set(place(row), {problem: problems.get(row.problem), device: devices.get(row.device),
      explored: [], progress: [], causes: [], reasons: [], finals: [], kernels: [], best: []});
}
for (const table of ["explored", "progress", "causes", "reasons", "finals", "kernels", "best"])
  for (const row of data[table]) pairs.get(place(row))?.[table].push(row);

/* Sessions of a pair follow one another without a gap. Running minima are the steps. */
function layOut(pair) {
  const of = row => sessions.get(row.session) ?? {index: -1, seconds: 0};
  const roof = pair.device.copy_gbs * pair.problem.points / pair.problem.bytes;
  let before = 0, fastest = Infinity;
  pair.best = pair.best[0];
  pair.roof = roof > 0 ? roof : 0;
  pair.trials = sum(pair.explored, "trials");
  pair.gpts = seconds => pair.problem.points / seconds * 1e-9;
  pair.dots = [];
  for (const row of pair.explored.sort((a, b) => of(a).index - of(b).index)) {
    for (const part of pair.progress.filter(part => part.session === row.session))
      for (const [at, seconds] of part.trials) pair.dots.push({at: before + at, seconds});
    before += of(row).seconds;
  }
  pair.seconds = before;
  pair.dots.sort((a, b) => a.at - b.at);
  pair.steps = pair.dots.filter(dot => dot.seconds < fastest && (fastest = dot.seconds));
}
pairs.forEach(layOut);
for (const problem of data.problems)
  problem.pairs = data.devices.map(device => pairs.get(problem.id + " " + device.id))
    .filter(pair => pair);

/* ---- tables */

/* A column: head, value (of a row, to sort by), show (what a cell has; the value if left out),
 * number (aligned to the right), class. */
const text = (head, value, more) => ({head, value, ...more});
const number = (head, value, show, more) => ({head, value, show, number: true, ...more});
const bar = (head, device, value, share, show) => ({head, value, bar: true, show: row =>
  value(row) === undefined ? dash : el("div", {class: "bar " + series(device(row))},
    el("i", {}, el("s", {style: `width:${100 * Math.min(Math.max(share(row) || 0, 0), 1)}%`})),
    el("b", {}, show(row)))});

function compare(a, b) {
  const missing = v => v === undefined || v === null || Number.isNaN(v);
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  return typeof a === "number" && typeof b === "number" ? a - b :
    String(a).localeCompare(String(b), "en", {numeric: true});
}

function table(name, columns, rows, classOf) {
  const lines = rows.map(row => ({row, node: el("tr", {class: classOf?.(row) || undefined},
    columns.map((column, i) => el(i || column.number ? "td" : "th",
      {class: column.number ? "n" : column.class, scope: i || column.number ? undefined : "row"},
      (column.show ?? column.value)(row))))}));
  const body = el("tbody", {}, lines.map(line => line.node));
  const heads = columns.map(column => el("th", {scope: "col", class: column.number && "n"},
    column.head && el("button", {type: "button", click: () => sort(column)}, column.head)));
  const search = el("input", {type: "search", placeholder: "Filter rows", "aria-label":
    "Filter: " + name, input: () => {
      const parts = search.value.toLowerCase().split(/\s+/);
      for (const {node} of lines)
        node.hidden = !parts.every(part => node.textContent.toLowerCase().includes(part));
    }});
  function sort(column) {
    const head = heads[columns.indexOf(column)];
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    lines.sort((a, b) => (down ? -1 : 1) * compare(column.value(a.row), column.value(b.row)));
    body.append(...lines.map(line => line.node));
  }
  return [rows.length > 5 ? search : null,
    el("div", {class: "scroll", role: "region", tabindex: 0, "aria-label": name},
      el("table", {}, el("thead", {}, el("tr", {}, heads)), body))];
}
const details = (title, ...children) =>
  el("details", {}, el("summary", {}, title), ...children);
const note = (...children) => el("p", {class: "note"}, ...children);

/* ---- charts of 480 by 300 units */

const frame = {width: 480, height: 300, left: 60, right: 464, top: 30, bottom: 252};

function scale(lo, hi, log, from, to, ticks, label) {
  const share = v => log ? Math.log(v / lo) / Math.log(hi / lo) : (v - lo) / (hi - lo);
  return {lo, hi, ticks, label,
    at: v => from + Math.min(Math.max(share(v) || 0, 0), 1) * (to - from)};
}
const plain = value => String(Number(value.toPrecision(6)));
function roundStep(span) {
  const power = 10 ** Math.floor(Math.log10(span / 5)), times = span / 5 / power;
  return (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1) * power;
}
const multiples = (step, hi) =>
  Array.from({length: Math.min(Math.floor(hi / step + 1e-9), 24) + 1}, (_, i) => i * step);
function linear(hi, from, to) {
  const step = roundStep(hi * 1.04), top = Math.ceil(hi * 1.04 / step - 1e-9) * step;
  return scale(0, top, false, from, to, multiples(step, top), plain);
}
/* Powers of ten; with their double and fivefold where there are few. */
function logarithmic(lo, hi, from, to) {
  const first = Math.floor(Math.log10(lo /= 1.6)), last = Math.log10(hi *= 1.6);
  const every = Math.max(1, Math.ceil((last - first) / 7)), ticks = [];
  for (let power = first; power <= last; power += every)
    for (const part of last - first < 3.5 ? [1, 2, 5] : [1]) ticks.push(part * 10 ** power);
  return scale(lo, hi, true, from, to, ticks.filter(tick => tick >= lo && tick <= hi), plain);
}
/* Long searches find most at their beginning: their axis is logarithmic. */
function times(first, last) {
  const unit = v => plain(v >= 3600 ? v / 3600 : v >= 60 ? v / 60 : v) +
    (v >= 3600 ? " h" : v >= 60 ? " min" : " s");
  const rounds = [[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1200, 3600, 7200,
    18000, 36000, 72000, 180000, 360000, 720000], [0.01, 0.1, 1, 10, 60, 600, 3600, 36000, 360000, 3600000]];
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1200, 3600, 7200, 14400, 43200,
    86400, 604800];
  const step = steps.find(step => last / step <= 6) ?? last / 4;
  first = Math.max(first, 0.05);
  last = Math.max(last, first * 1.01);
  const [many, few] = rounds.map(list => list.filter(tick => tick >= first / 1.5 && tick <= last));
  return last / first > 20 ?
    scale(first / 1.5, last, true, frame.left, frame.right, many.length <= 7 ? many : few, unit) :
    scale(0, last, false, frame.left, frame.right, multiples(step, last), unit);
}

/* A mark of the shape of a series, half as wide as 'r'. */
function mark(device, x, y, r) {
  const corners = [null, [-1, -1, 1, -1, 1, 1, -1, 1], [0, -1.2, 1.1, 0.9, -1.1, 0.9],
    [0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0], [0, 1.2, 1.1, -0.9, -1.1, -0.9], [-1.4, -0.5, 1.4, -0.5, 1.4, 0.5, -1.4, 0.5]
  ][device.index % colours];
  const attributes = {class: "mark " + series(device)};
  return corners ? svg("polygon", {...attributes, points: corners.map((c, i) =>
    ((i % 2 ? y : x) + c * r).toFixed(2)).join(" ")}) : svg("circle", {...attributes, cx: x, cy: y, r});
}
const line = (name, x1, y1, x2, y2) => svg("line", {class: name, x1, y1, x2, y2});
const label = (name, anchor, x, y, string) => svg("text", {class: name, "text-anchor": anchor, x, y}, string);

/* 'draw' appends to the picture and returns the points that the pointer finds: {x, y, text}. */
function chart(title, alt, x, y, xName, yName, shown, legend, draw) {
  const picture = svg("svg", {viewBox: `0 0 ${frame.width} ${frame.height}`, role: "img", "aria-label": alt});
  const tip = el("div", {class: "tip", hidden: ""});
  const ring = svg("circle", {class: "ring", r: 7, visibility: "hidden"});
  for (const tick of y.ticks)
    picture.append(line("grid", frame.left, y.at(tick), frame.right, y.at(tick)),
      label("tick", "end", frame.left - 7, y.at(tick) + 4, y.label(tick)));
  for (const tick of x.ticks)
    picture.append(line("grid", x.at(tick), frame.top, x.at(tick), frame.bottom),
      label("tick", "middle", x.at(tick), frame.bottom + 18, x.label(tick)));
  picture.append(line("axis", frame.left, frame.bottom, frame.right, frame.bottom),
    line("axis", frame.left, frame.top, frame.left, frame.bottom),
    label("name", "start", 4, 16, yName), label("name", "end", frame.right, frame.height - 8, xName));
  const points = draw(picture);
  picture.append(ring);
  function leave() {
    tip.hidden = true;
    ring.setAttribute("visibility", "hidden");
  }
  function move(event) {
    const box = picture.getBoundingClientRect(), zoom = box.width / frame.width;
    const at = [(event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom];
    let nearest = null, least = 24;
    for (const point of points) {
      const far = Math.hypot(point.x - at[0], point.y - at[1]);
      if (far < least) [nearest, least] = [point, far];
    }
    if (!nearest) return leave();
    ring.setAttribute("cx", nearest.x);
    ring.setAttribute("cy", nearest.y);
    ring.setAttribute("visibility", "visible");
    tip.textContent = nearest.text;
    tip.hidden = false;
    tip.style.left = Math.min(nearest.x, frame.width - 190) * zoom + "px";
    tip.style.top = (nearest.y + 12) * zoom + "px";
  }
  picture.addEventListener("pointermove", move);
  picture.addEventListener("pointerleave", leave);
  return el("figure", {}, el("figcaption", {}, title), el("div", {class: "plot"}, picture, tip),
    el("ul", {class: "legend"}, shown.map(device => el("li", {},
      svg("svg", {viewBox: "0 0 14 14", "aria-hidden": "true"}, mark(device, 7, 7, 4.5)), legend(device)))));
}

function progress(problem) {
  const shown = problem.pairs.filter(pair => pair.steps.length);
  if (!shown.length) return null;
  const top = Math.max(...shown.map(pair => pair.gpts(pair.steps.at(-1).seconds)));
  const x = times(Math.min(...shown.map(pair => pair.steps[0].at)),
    Math.max(...shown.map(pair => Math.max(pair.seconds, pair.steps.at(-1).at))));
  const y = linear(top, frame.bottom, frame.top);
  return chart("Best over time", "The fastest kernel so far, in GPts/s, over the time of exploration", x, y,
    "time of exploration", "GPts/s", shown.map(pair => pair.device), device => device.label, picture =>
      shown.flatMap(pair => {
        const colour = series(pair.device), dots = pair.dots.map(dot => ({x: x.at(dot.at),
          y: y.at(pair.gpts(dot.seconds)), text: `${digits(pair.gpts(dot.seconds))} GPts/s after ${
            duration(dot.at)} on ${pair.device.label}`, dot}));
        const steps = dots.filter(point => pair.steps.includes(point.dot));
        if (pair.roof > 0 && pair.roof <= y.hi)
          picture.append(line("roof " + colour, frame.left, y.at(pair.roof), frame.right, y.at(pair.roof)),
            label("name", "end", frame.right, y.at(pair.roof) +
              (pair.gpts(pair.steps.at(-1).seconds) > pair.roof ? 14 : -5), "copy bandwidth"));
        picture.append(svg("path", {class: "dots " + colour, d: dots.map(p => `M${p.x},${p.y}h0`).join("")}),
          svg("path", {class: "steps " + colour, d: steps.map((p, i) =>
            (i ? `H${p.x}V${p.y}` : `M${p.x},${p.y}`)).join("") + `H${x.at(pair.seconds)}`}));
        picture.append(...steps.map((p, i) => mark(pair.device, p.x, p.y, i === steps.length - 1 ? 5 : 3)));
        return dots;
      }));
}

/* Of all problems, or with its trials of one. */
function roofline(title, all, only) {
  const shown = all.filter(pair => pair.best && pair.roof > 0 && pair.problem.ops > 0);
  if (!shown.length) return null;
  const intensity = pair => pair.problem.ops * pair.problem.points / pair.problem.bytes;
  const gops = (pair, seconds) => pair.problem.ops * pair.gpts(seconds);
  const xs = shown.map(intensity), ys = shown.flatMap(pair => [gops(pair, pair.best.seconds),
    pair.device.copy_gbs * intensity(pair), ...only ? pair.dots.map(dot => gops(pair, dot.seconds)) : []]);
  const low = list => list.reduce((a, b) => Math.min(a, b)), high = list => list.reduce((a, b) => Math.max(a, b));
  const x = logarithmic(low(xs) / 2, high(xs) * 2, frame.left, frame.right);
  const y = logarithmic(low(ys), high(ys), frame.bottom, frame.top);
  const used = data.devices.filter(device => shown.some(pair => pair.device === device));
  return chart(title, "Roofline: kernels under the copy bandwidth of each device", x, y, "operations a byte",
    "10\u2079 operations a second", used, device => `${device.label}: ${digits(device.copy_gbs)} GB/s`, picture => {
      for (const device of used) {
        const gbs = device.copy_gbs, from = Math.max(x.lo, y.lo / gbs), to = Math.min(x.hi, y.hi / gbs);
        if (from < to) picture.append(line("roof " + series(device), x.at(from), y.at(from * gbs),
          x.at(to), y.at(to * gbs)));
      }
      return shown.flatMap((pair, i) => {
        /* Devices of one problem stand side by side. */
        const at = x.at(intensity(pair)) + (only ? 12 * (i - (shown.length - 1) / 2) : 0);
        const point = (seconds, text) => ({x: at, y: y.at(gops(pair, seconds)), text});
        const share = seconds => `${digits(pair.gpts(seconds))} GPts/s, ${
          digits(100 * pair.gpts(seconds) / pair.roof)} % of copy bandwidth`;
        const dots = only ? pair.dots.map(dot => point(dot.seconds, `a trial on ${pair.device.label}: ${
          share(dot.seconds)}`)) : [];
        const best = point(pair.best.seconds, `${pair.problem.title} on ${pair.device.label}: ${
          share(pair.best.seconds)}`);
        picture.append(svg("path", {class: "dots " + series(pair.device), d: dots.map(p => `M${p.x},${p.y}h0`)
          .join("")}), mark(pair.device, best.x, best.y, 5));
        return [best, ...dots];
      });
    });
}

/* ---- the parts of the page */

const device = pair => pair.device;
const share = pair => bar("% of copy bandwidth", () => pair.device,
  row => pair.roof > 0 ? pair.gpts(row.seconds) / pair.roof : undefined,
  row => pair.gpts(row.seconds) / pair.roof, row => digits(100 * pair.gpts(row.seconds) / pair.roof));
const bestShare = bar("% of copy bandwidth", device, pair => pair.best?.copy_share ?? undefined,
  pair => pair.best?.copy_share, pair => digits(100 * pair.best.copy_share));
const time = kernel => launchTime(kernel.seconds) + (kernel.confirmed ? "" : ", unconfirmed");
const bestTime = number("Time a launch", pair => pair.best?.seconds, pair => pair.best ? time(pair.best) : dash);
const trials = number("Trials", row => row.trials, row => count(row.trials));
const code = string => el("code", {}, string);
const expr = text("Expression", row => row.expr, {show: row => code((row.expr ?? "").slice(0, 12)), class: "nowrap"});
const tunables = text("Tunables", row => JSON.stringify(row.tunables), {show: row => words(row.tunables),
  class: "tunables"});

function head() {
  const names = [...new Set(data.problems.map(problem => problem.program))], all = [...pairs.values()];
  const tile = (value, name) => el("li", {}, el("b", {}, value), name);
  const tiles = (n, one, many) => tile(count(n), plural(n, one, many));
  const verified = sum(data.causes.filter(row => row.status === "ok"), "trials");
  return el("header", {}, el("h1", {}, "Exploration report"),
    el("p", {class: "lead"}, names.slice(0, 12).join(", ") +
      (names.length > 12 ? ` and ${names.length - 12} more` : "")),
    note("From the database ", code(data.database)),
    el("ul", {class: "tiles"}, tiles(data.problems.length, "problem", "problems"),
      tiles(data.devices.length, "device", "devices"), tiles(data.sessions.length, "session", "sessions"),
      tiles(sum(all, "trials"), "trial", "trials"), tiles(verified, "verified kernel", "verified kernels"),
      tile(duration(sum(data.sessions, "seconds")), "of exploration")));
}

function machines() {
  const of = row => devices.get(row.device)?.label ?? "", newest = data.sessions.slice(-50).reverse();
  return el("section", {class: "card"}, el("h2", {}, "Devices"),
    table("Devices", [text("Device", d => d.name), text("Runtime", d => d.runtime), text("Architecture", d => d.arch),
      number("Units", d => d.compute_units), number("Copy bandwidth, GB/s", d => d.copy_gbs,
        d => known(d.copy_gbs, digits)), text("Measured", d => moment(d.copy_at).slice(0, 10), {class: "nowrap"})],
    data.devices),
    data.events.length ? details(`Device errors and measurements (${data.events.length})`, table("Events",
      [text("When (UTC)", e => moment(e.at), {class: "nowrap"}), text("Device", of), text("Event", e => e.kind),
        text("Text", e => e.text)], data.events)) : null,
    details(`Sessions (${data.sessions.length})`, table("Sessions", [
      text("Started (UTC)", s => moment(s.started), {class: "nowrap"}), number("Took", s => s.seconds,
        s => duration(s.seconds)), trials, text("Ended by", s => s.ended ? s.end_reason : "not ended"),
      text("Machine", s => s.host), text("Command", s => s.argv, {show: s => code(s.argv)})], newest),
    data.sessions.length > newest.length ? note(`The ${newest.length} newest sessions.`) : null));
}

function overview() {
  const all = data.problems.flatMap(problem => problem.pairs);
  if (data.problems.length < 2) return null;
  return el("section", {class: "card"}, el("h2", {}, "Best kernels"),
    table("Best kernels", [
      text("Program", pair => pair.problem.program, {show: pair => el("a", {href: "#p" + data.problems.indexOf(
        pair.problem)}, pair.problem.program + (pair.problem.steps > 1 ? `, ${pair.problem.steps} steps` : ""))}),
      text("Sizes", pair => pair.problem.points, {show: pair => words(pair.problem.sizes), class: "soft"}),
      text("Precision", pair => pair.problem.dtype), text("Device", pair => pair.device.label), bestTime,
      number("GPts/s", pair => pair.best?.gpts, pair => pair.best ? digits(pair.best.gpts) : dash), bestShare, trials],
    all),
    el("div", {class: "charts"}, roofline("Best kernels and the copy bandwidth", all, false),
      el("div", {}, el("h3", {}, "How to read it"),
        el("p", {}, "Each mark is the best kernel of a problem. A problem further right computes more for each " +
          "byte that it must move. A kernel further up is faster."),
        el("p", {}, "A dashed line is the copy bandwidth of a device: its limit if each input is read once and each " +
          "output is written once. A kernel far below the line can still become faster."),
        el("p", {}, "Kernels above the line, with more than 100 %, have their data in a cache."))));
}

function sideBySide(problem) {
  const most = Math.max(...problem.pairs.map(pair => pair.best?.gpts ?? 0));
  const gain = pair => pair.steps.length ? pair.steps[0].seconds / pair.steps.at(-1).seconds : undefined;
  const speed = bar("GPts/s", device, pair => pair.best?.gpts, pair => pair.best?.gpts / most,
    pair => digits(pair.best.gpts));
  return table("Devices of " + problem.title, [text("Device", pair => pair.device.label),
    {...speed, show: pair => pair.best ? speed.show(pair) : "no verified kernel"}, bestShare,
    number("GB/s", pair => pair.best?.gbs, pair => known(pair.best?.gbs, digits)), bestTime,
    number("Gain over the first", gain, pair => pair.steps.length ? digits(gain(pair)) + "\u00d7" : dash), trials],
  problem.pairs);
}

/* All intervals of a table are on one axis. */
function finals(pair) {
  if (!pair.finals.length) return null;
  const lo = Math.min(...pair.finals.map(row => row.low)), hi = Math.max(...pair.finals.map(row => row.high));
  const x = scale(lo, Math.max(hi, lo * (1 + 1e-6)), false, 8, 232), colour = series(pair.device);
  return [el("h3", {}, "Final benchmark on " + pair.device.label),
    table("Final benchmark", [number("#", row => row.place), number("Median", row => row.seconds,
      row => launchTime(row.seconds)), number("Confidence interval", row => row.low,
      row => `${launchTime(row.low)} ${dash} ${launchTime(row.high)}`),
    text("", row => row.high, {show: row => svg("svg", {class: "interval", viewBox: "0 0 240 18", "aria-hidden": "true"},
      [[row.low, 9, row.high, 9], [row.low, 5, row.low, 13], [row.high, 5, row.high, 13]].map(([a, y1, b, y2]) =>
        line("whisker " + colour, x.at(a), y1, x.at(b), y2)), mark(pair.device, x.at(row.seconds), 9, 4))}),
    text("Tie", row => row.tied ? "tied" : ""), tunables, expr], pair.finals),
    note("The best candidates, timed in alternation on fresh inputs. A tie cannot be told from the place before it.")];
}

/* A macro is an item with its steps below. */
function steps(derivation) {
  const list = el("ul", {class: "steps"}), open = [{list, last: Infinity}];
  derivation.steps.forEach((step, i) => {
    while (open.at(-1).last < i + 1) open.pop();
    for (const macro of step.macros.slice(open.length - 1)) {
      const inner = el("ul", {});
      open.at(-1).list.append(el("li", {}, el("b", {}, macro.macro), " at " + macro.position, inner));
      open.push({list: inner, last: macro.first + macro.steps - 1});
    }
    open.at(-1).list.append(el("li", {}, el("b", {}, step.rule), ` at ${step.position}${step.args ? ", " : ""}`,
      step.args));
  });
  if (!derivation.steps.length) list.append(el("li", {}, "the program as it is"));
  return list;
}

function fastest(pair) {
  if (!pair.kernels.length) return null;
  const resource = (name, key) => number(name, row => row[key], row => row[key] === null ? dash : count(row[key]));
  const hasResources = pair.kernels.some(row => row.registers !== null || row.spill_bytes !== null);
  const traffic = row => pair.problem.bytes > 0 ? pair.problem.bytes / row.seconds * 1e-9 : undefined;
  return [el("h3", {}, "Fastest kernels on " + pair.device.label),
    table("Fastest kernels", [number("#", row => row.place), number("Time", row => row.seconds, time),
      number("GPts/s", row => pair.gpts(row.seconds), row => digits(pair.gpts(row.seconds))),
      number("GB/s", traffic, row => known(traffic(row), digits)), share(pair), tunables,
      ...hasResources ? [resource("Registers", "registers"), resource("Spilled bytes", "spill_bytes"),
        resource("Local bytes", "local_bytes")] : [], expr], pair.kernels,
    row => row.trial === pair.best?.trial && "winner"),
    note("Derivations, by number:"),
    [...new Set(pair.kernels.map(row => row.expr))].map(id => {
      const derivation = data.derivations[id] ?? {how: "", steps: []};
      return details([el("b", {}, pair.kernels.filter(row => row.expr === id).map(row => row.place).join(", ")),
        " " + (derivation.how || "no rewrites")], steps(derivation),
      note(code(`lift show --expr ${id} --db ${data.database}`), " prints the expression"));
    })];
}

function causes(problem) {
  const names = [...new Set(problem.pairs.flatMap(pair => pair.causes.map(row => row.status)))].sort();
  const of = (pair, status) => pair.causes.find(row => row.status === status) ?? {trials: 0};
  const most = Math.max(1, ...problem.pairs.flatMap(pair => pair.causes.map(row => row.trials)));
  const meaning = status => problem.pairs.map(pair => of(pair, status).meaning).find(words => words) ?? "";
  const reasons = problem.pairs.flatMap(pair => pair.reasons.map(row => ({...row, label: pair.device.label})));
  const all = problem.pairs.reduce((n, pair) => n + (pair.reasons[0]?.reasons ?? 0), 0);
  return [el("h3", {}, "Trials by cause"),
    table("Trials by cause", [text("Cause", status => status, {show: code}),
      ...problem.pairs.map(pair => bar(problem.pairs.length > 1 ? pair.device.label : "Trials", () => pair.device,
        status => of(pair, status).trials, status => of(pair, status).trials / most,
        status => count(of(pair, status).trials))),
      text("Meaning", meaning, {class: "soft"})], names),
    reasons.length ? details(`Reasons of failures (${all})`, table("Reasons of failures", [trials,
      text("Cause", row => row.status, {show: row => code(row.status)}), text("Reason", row => row.reason || dash),
      text("Device", row => row.label, {class: "soft"})], reasons),
    all > reasons.length ? note(`The ${reasons.length} most frequent; all: lift show --failures`) : null) : null];
}

function cost(problem) {
  const seconds = (head, value) => number(head, value, pair => known(value(pair), duration));
  return [el("h3", {}, "What the search cost"), table("What the search cost", [
    text("Device", pair => pair.device.label), seconds("Explored", pair => pair.seconds),
    seconds("Compiling", pair => sum(pair.explored, "compile_s")),
    seconds("Checking", pair => sum(pair.explored, "check_s")),
    seconds("Measuring", pair => sum(pair.explored, "measure_s"))], problem.pairs)];
}

function commands(problem) {
  const found = problem.pairs.filter(pair => pair.best);
  return found.length ? [el("h3", {}, "Commands"), found.map(pair => {
    const kernel = pair.kernels.find(row => row.trial === pair.best.trial) ?? pair.kernels[0];
    const session = sessions.get(kernel?.session);
    return [note("The source of the best kernel on " + pair.device.label), el("pre", {}, pair.best.command),
      ...session?.argv ? [note(`The exploration that found it (seed ${session.seed}, ${session.versions})`),
        el("pre", {}, session.argv)] : []];
  })] : null;
}

function section(problem, index) {
  const facts = [`${count(problem.points)} points`, problem.dtype && ` of ${problem.dtype}`,
    problem.steps > 1 && ` in ${problem.steps} steps a launch`,
    problem.bytes > 0 && ` \u00b7 ${bytes(problem.bytes)} of compulsory traffic`,
    problem.ops > 0 && ` \u00b7 ${digits(problem.ops)} operations a point`];
  return el("section", {class: "card", id: "p" + index}, el("h2", {}, problem.title),
    el("p", {class: "facts"}, words(problem.sizes), " \u00b7 ", facts.filter(fact => fact).join("")),
    sideBySide(problem),
    el("div", {class: "charts"}, progress(problem), roofline("Kernels and the copy bandwidth", problem.pairs, true)),
    problem.pairs.map(finals), problem.pairs.map(fastest), causes(problem), cost(problem), commands(problem));
}

page.replaceChildren(head(), ...data.nothing ? [el("p", {class: "empty"}, data.nothing)] :
  [machines(), overview(), ...data.problems.map(section)].filter(part => part),
el("footer", {}, `Made by lift ${data.lift} on ${moment(data.made)} UTC. GPts/s: 10\u2079 grid points updated a ` +
  "second. GB/s: 10\u2079 bytes of compulsory traffic a second, each input read once and each output written once. " +
  "Copy bandwidth is the measured one of the device."));
})();
