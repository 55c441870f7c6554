//@ Charts of a report's page: SVG, 480 units wide or as wide as the page, whose marks the pointer finds.
//@define CHARTS
const narrow = 480, broad = 900, top = 30;

/* ---- axes */

function scale(lo, hi, log, from, to, ticks, label) {
  const share = v => log ? Math.log(v / lo) / Math.log(hi / lo) : (v - lo) / (hi - lo);
  return {lo, hi, ticks, label, holds: v => v >= lo && v <= hi,
    at: v => from + Math.min(Math.max(share(v) || 0, 0), 1) * (to - from)};
}
const plain = value => value >= 10000 ? count(value) : String(Number(value.toPrecision(6)));
function roundStep(span) {
  const power = 10 ** Math.floor(Math.log10(span / 5)), parts = span / 5 / power;
  return (parts > 5 ? 10 : parts > 2 ? 5 : parts > 1 ? 2 : 1) * power;
}
const multiples = (step, hi) =>
  Array.from({length: Math.min(Math.floor(hi / step + 1e-9), 24) + 1}, (_, i) => i * step);
function linear(hi, from, to) {
  const step = roundStep(hi * 1.04), end = Math.ceil(hi * 1.04 / step - 1e-9) * step;
  return scale(0, end, false, from, to, multiples(step, end), plain);
}
/* Powers of ten; with their double and fivefold where there are few. */
function logarithmic(lo, hi, from, to) {
  const first = Math.floor(Math.log10(lo)), last = Math.log10(hi);
  const every = Math.max(1, Math.ceil((last - first) / 7)), ticks = [];
  for (let power = first; power <= last; power += every)
    for (const part of last - first < 3.5 ? [1, 2, 5] : [1]) ticks.push(part * 10 ** power);
  return scale(lo, hi, true, from, to, ticks.filter(tick => tick >= lo && tick <= hi), plain);
}
/* Long searches find most at their beginning: their axis is logarithmic. */
function elapsed(first, last, from, to) {
  const unit = (v, step = v) => step >= 3600 ? plain(v / 3600) + " h" : step >= 60 ? plain(v / 60) + " min" :
    plain(v) + " s";
  const rounds = [[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1200, 3600, 7200,
    18000, 36000, 72000, 180000, 360000, 720000], [0.01, 0.1, 1, 10, 60, 600, 3600, 36000, 360000, 3600000]];
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1200, 3600, 7200, 14400, 43200,
    86400, 604800];
  const step = steps.find(step => last / step <= 6) ?? last / 4;
  first = Math.max(first, 0.05);
  last = Math.max(last, first * 1.01);
  const [many, few] = rounds.map(list => list.filter(tick => tick >= first / 1.5 && tick <= last));
  return last / first > 20 ? scale(first / 1.5, last, true, from, to, many.length <= 7 ? many : few,
    v => unit(v)) : scale(0, last, false, from, to, multiples(step, last), v => unit(v, step));
}

/* ---- marks */

const shapes = {circle: null, square: [-1, -1, 1, -1, 1, 1, -1, 1], up: [0, -1.2, 1.1, 0.9, -1.1, 0.9],
  diamond: [0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0], down: [0, 1.2, 1.1, -0.9, -1.1, -0.9]};
/* Half as wide as 'r'. */
function mark(colour, shape, x, y, r) {
  const attributes = {class: "mark " + colour}, corners = shapes[shape];
  return corners ? svg("polygon", {...attributes, points: corners.map((c, i) =>
    ((i % 2 ? y : x) + c * r).toFixed(2)).join(" ")}) : svg("circle", {...attributes, cx: x, cy: y, r});
}
const line = (name, x1, y1, x2, y2) => svg("line", {class: name, x1, y1, x2, y2});
const label = (name, anchor, x, y, string) => svg("text", {class: name, "text-anchor": anchor, x, y}, string);

/* Writes names to marks where there is room, or which must have one: {x, y, name, colour, must}, the most
 * important first. 'boxes' are taken already. */
function nameMarks(picture, marks, boxes, right, bottom) {
  const free = box => box[0] >= 2 && box[2] <= right && box[1] >= 2 && box[3] <= bottom &&
    boxes.every(b => box[2] < b[0] || box[0] > b[2] || box[3] < b[1] || box[1] > b[3]);
  for (const m of marks) boxes.push([m.x - 4, m.y - 4, m.x + 4, m.y + 4]);
  for (const m of marks) {
    const w = m.name.length * 6.3, places = [["start", 8, 4], ["end", -8, 4], ["middle", 0, -8], ["middle", 0, 17],
      ["start", 7, -7], ["start", 7, 15], ["end", -7, -7], ["end", -7, 15]].map(([anchor, dx, dy]) => {
      const x = m.x + dx, y = m.y + dy, from = anchor === "start" ? x : anchor === "end" ? x - w : x - w / 2;
      return {anchor, x, y, box: [from, y - 10, from + w, y + 3]};
    });
    const found = places.find(spot => free(spot.box)) ?? (m.must ? places[0] : undefined);
    if (!found) continue;
    boxes.push(found.box);
    picture.append(label("name " + (m.colour ?? ""), found.anchor, found.x, found.y, m.name));
  }
}

/* ---- a figure */

/* 'draw' appends to the picture and returns the points that the pointer finds: {x, y, text}. */
function figure(title, alt, height, draw, legend, width = narrow) {
  const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": alt});
  const tip = el("div", {class: "tip", hidden: ""});
  const ring = svg("circle", {class: "ring", r: 7, visibility: "hidden"});
  const points = draw(picture);
  picture.append(ring);
  function leave() {
    tip.hidden = true;
    ring.setAttribute("visibility", "hidden");
  }
  function move(event) {
    const box = picture.getBoundingClientRect(), zoom = box.width / width;
    const at = [(event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom];
    let nearest = null, distance = 24;
    for (const point of points) {
      const far = Math.hypot(point.x - at[0], point.y - at[1]);
      if (far < distance) [nearest, distance] = [point, far];
    }
    if (!nearest) return leave();
    ring.setAttribute("cx", nearest.x);
    ring.setAttribute("cy", nearest.y);
    ring.setAttribute("visibility", "visible");
    tip.textContent = nearest.text;
    tip.hidden = false;
    tip.style.left = Math.min(nearest.x, width - 190) * zoom + "px";
    tip.style.top = (nearest.y + 12) * zoom + "px";
  }
  picture.addEventListener("pointermove", move);
  picture.addEventListener("pointerleave", leave);
  return el("figure", {class: width > narrow && "wide"}, el("figcaption", {}, title),
    el("div", {class: "plot"}, picture, tip), legend?.length ?
      el("ul", {class: "legend"}, legend.map(([colour, shape, name]) => el("li", {},
        svg("svg", {viewBox: "0 0 14 14", "aria-hidden": "true"}, mark(colour, shape, 7, 7, 4.5)), name))) : null);
}

/* Axes with their ticks and units around 'frame'. */
function axes(picture, frame, x, y, xName, yName) {
  for (const tick of y.ticks)
    picture.append(line("grid", frame.left, y.at(tick), frame.right, y.at(tick)),
      label("tick", "end", frame.left - 7, y.at(tick) + 4, y.label(tick)));
  for (const tick of x.ticks)
    picture.append(line("grid", x.at(tick), frame.top, x.at(tick), frame.bottom),
      label("tick", "middle", x.at(tick), frame.bottom + 18, x.label(tick)));
  picture.append(line("axis", frame.left, frame.bottom, frame.right, frame.bottom),
    line("axis", frame.left, frame.top, frame.left, frame.bottom),
    label("unit", "start", 4, 16, yName), label("unit", "end", frame.right, frame.bottom + 40, xName));
}

const frame = {left: 60, right: 464, top, bottom: 252};

/* ---- best so far */

/* 'by' is "at" (seconds) or "number" (trials). */
function bestSoFar(pair, by) {
  if (!pair.steps.length) return null;
  const end = Math.max(by === "at" ? pair.seconds : pair.searched, pair.steps.at(-1)[by]);
  const first = pair.steps[0][by], fastest = pair.gpts(pair.steps.at(-1).seconds);
  const x = by === "at" ? elapsed(first, end, frame.left, frame.right) :
    end > 300 ? logarithmic(Math.max(1, first), end, frame.left, frame.right) :
      linear(end / 1.04, frame.left, frame.right);
  const references = [["naive", pair.naive?.gpts], ["by hand", pair.hand?.gpts], ["copy bandwidth", pair.roof]]
    .filter(([, gpts]) => gpts > 0 && gpts < fastest * 1.5);
  const y = linear(Math.max(fastest, ...references.map(([, gpts]) => gpts)), frame.bottom, frame.top);
  return figure("Best so far over " + (by === "at" ? "seconds" : "trials"),
    "The fastest verified kernel so far in GPts/s", 300, picture => {
      axes(picture, frame, x, y, by === "at" ? "time of exploration" : "trials", "GPts/s");
      const points = pair.dots.map(dot => ({x: x.at(dot[by]), y: y.at(pair.gpts(dot.seconds)), dot, text:
        `${digits(pair.gpts(dot.seconds))} GPts/s, trial ${dot.number} after ${duration(dot.at)}`}));
      const steps = points.filter(point => pair.steps.includes(point.dot));
      for (const [name, gpts] of references)
        picture.append(line("roof " + ({naive: "s1", "by hand": "s2"}[name] ?? "s5"), frame.left, y.at(gpts), frame.right,
          y.at(gpts)),
          label("name", "end", frame.right - 2, y.at(gpts) - 4, name));
      picture.append(svg("path", {class: "dots s0", d: points.map(p => `M${p.x},${p.y}h0`).join("")}),
        svg("path", {class: "steps s0", d: steps.map((p, i) =>
          (i ? `H${p.x}V${p.y}` : `M${p.x},${p.y}`)).join("") + `H${x.at(end)}`}));
      picture.append(...steps.map((p, i) => mark("s0", "circle", p.x, p.y, i === steps.length - 1 ? 5 : 3)));
      return points;
    });
}

/* ---- rooflines */

const intensity = (pair, moved) => pair.problem.ops * pair.problem.points / (moved ?? pair.problem.bytes);
const peak = pair => pair.device[(pair.problem.dtype === "f64" ? "f64" : "f32") + "_gflops"] ?? 0;

/* Slanted lines of bandwidths and level ones of computing, each with its name. */
function ceilings(picture, x, y, lines, boxes) {
  for (const {colour, gbs, gflops, name, style, below} of lines) {
    const draw = (x1, y1, x2, y2) => picture.append(line(`roof ${style} ${colour}`, x1, y1, x2, y2));
    if (gbs > 0) {
      const ridge = gflops > 0 ? gflops / gbs : Infinity;
      const from = Math.max(x.lo, y.lo / gbs), to = Math.min(x.hi, y.hi / gbs, ridge);
      if (!(from < to)) continue;
      draw(x.at(from), y.at(from * gbs), x.at(to), y.at(to * gbs));
      const [px, py] = [x.at(from * 1.05), y.at(from * 1.05 * gbs)];
      const slope = Math.atan2(y.at(to * gbs) - y.at(from * gbs), x.at(to) - x.at(from));
      const text = label("name " + colour, "start", px, py + (below ? 13 : -5), name);
      text.setAttribute("transform", `rotate(${slope * 180 / Math.PI} ${px} ${py})`);
      picture.append(text);
      for (let along = 6; along < name.length * 6.3; along += 6) {
        const [bx, by] = [px + along * Math.cos(slope), py + (below ? 9 : -8) + along * Math.sin(slope)];
        boxes.push([bx - 6, by - 8, bx + 6, by + 8]);
      }
    } else if (y.holds(gflops)) {
      draw(frame.left, y.at(gflops), frame.right, y.at(gflops));
      picture.append(label("name " + colour, "end", frame.right, y.at(gflops) - 5, name));
      boxes.push([frame.right - name.length * 6.3, y.at(gflops) - 16, frame.right, y.at(gflops) + 2]);
    }
  }
}

/* Of one problem on a device, with its trials. */
function roofline(pair) {
  if (!pair.best || !(pair.roof > 0) || !(pair.problem.ops > 0)) return null;
  const gflops = gpts => pair.problem.ops * gpts, x0 = intensity(pair), compute = peak(pair);
  const copy = pair.copy, l2 = pair.device.l2_gbs;
  const kernels = [["lift", pair.best.gpts, "s0", "circle"], ["naive", pair.naive?.gpts, "s1", "square"],
    ["by hand", pair.hand?.gpts, "s2", "diamond"], ["peer", pair.peer?.gpts, "s3", "up"]].filter(row => row[1] > 0);
  const dram = pair.dram > 0 ? intensity(pair, pair.dram) : 0;
  const ys = [...kernels.map(row => row[1]), copy * x0 / pair.problem.ops,
    ...pair.dots.map(dot => pair.gpts(dot.seconds))].map(gflops);
  const x = logarithmic(Math.min(x0, dram || x0) / 4, Math.max(x0 * 4, compute / copy * 1.6), frame.left,
    frame.right);
  const high = Math.max(most(ys) * 2, compute * 1.5);
  const y = logarithmic(Math.min(Math.max(least(ys), most(ys) / 1e4) / 1.6, high / 300), high, frame.bottom, frame.top);
  const lines = [
    {colour: "s5", style: "solid", below: true, gbs: copy, gflops: compute, name: `copy bandwidth ${digits(copy)} GB/s`},
    {colour: "s4", style: "dashed", gbs: l2, gflops: compute, name: `L2 ${digits(l2)} GB/s, assumed`},
    {colour: "s5", style: "dotted", gflops: compute, name: `multiply-adds ${count(Math.round(compute))} GFlop/s`}];
  return figure("Roofline", "Kernels under the bandwidths and the peak of the device", 300, picture => {
    const boxes = [];
    axes(picture, frame, x, y, "operations a byte of compulsory traffic", "10\u2079 operations a second");
    ceilings(picture, x, y, lines, boxes);
    const point = (at, gpts, text) => ({x: x.at(at), y: y.at(gflops(gpts)), text: `${text}: ${digits(gpts)} GPts/s, ${
      digits(gflops(gpts))} GFlop/s, ${percent(gpts / pair.roof)} % of copy bandwidth`});
    const dots = pair.dots.map(dot => point(x0, pair.gpts(dot.seconds), "trial " + dot.number));
    const marks = kernels.map(([name, gpts, colour, shape]) => ({...point(x0, gpts, name), name, shape, colour,
      must: true}));
    if (dram) marks.push({...point(dram, pair.best.gpts, `lift, ${bytes(pair.dram)} of memory traffic by counters`),
      name: "lift, measured bytes", colour: "s0", shape: "down"});
    picture.append(svg("path", {class: "dots s0", d: dots.map(p => `M${p.x},${p.y}h0`).join("")}),
      ...marks.map(m => mark(m.colour, m.shape, m.x, m.y, 5)).reverse());
    nameMarks(picture, marks, boxes, narrow, frame.bottom);
    return [...marks, ...dots];
  });
}

/* The best kernels of many problems. */
function rooflines(pairs) {
  const shown = pairs.filter(pair => pair.best && pair.roof > 0 && pair.problem.ops > 0);
  if (!shown.length) return null;
  const height = 460, tall = {...frame, right: broad - 16, bottom: 412};
  const used = data.devices.filter(device => shown.some(pair => pair.device === device));
  const gflops = pair => pair.problem.ops * pair.best.gpts;
  const x = logarithmic(least(shown.map(pair => intensity(pair))) / 1.6, most(shown.map(pair => intensity(pair))) * 1.6,
    tall.left, tall.right);
  const ys = shown.flatMap(pair => [gflops(pair), pair.device.copy_gbs * intensity(pair)]);
  const y = logarithmic(least(ys) / 1.6, most(ys) * 1.8, tall.bottom, tall.top);
  return figure("Best kernels under the copy bandwidth", "Roofline of the best kernels", height, picture => {
    const boxes = [];
    axes(picture, tall, x, y, "operations a byte of compulsory traffic", "10\u2079 operations a second");
    ceilings(picture, x, y, used.map(d => ({colour: d.colour, style: "solid", gbs: d.copy_gbs,
      name: `${d.name}, ${digits(d.copy_gbs)} GB/s`})), boxes);
    const marks = shown.map(pair => ({x: x.at(intensity(pair)), y: y.at(gflops(pair)), name: pair.problem.program, pair,
      text: `${pair.problem.title}, ${pair.grid} on ${pair.device.label}: ${digits(pair.best.gpts)} GPts/s, ${
        percent(pair.best.copy_share)} % of copy bandwidth${pair.cached ? " in cache" : ""}`}));
    picture.append(...marks.map(m => mark(m.pair.device.colour, m.pair.device.shape, m.x, m.y, 4)));
    const names = new Set();
    nameMarks(picture, marks.filter(m => !names.has(m.name + m.pair.device.id) && names.add(m.name + m.pair.device.id)),
      boxes, broad, tall.bottom);
    return marks;
  }, used.map(d => [d.colour, d.shape, d.label]), broad);
}

/* ---- kernel families, parameters */

const familyName = row => row.family || "no family";
const shortened = (name, length) => name.length > length ? name.slice(0, Math.max(length - 1, 2)) + "\u2026" : name;

function strips(pair) {
  const rows = pair.families.filter(row => row.seconds > 0).sort((a, b) => a.seconds - b.seconds).slice(0, 16);
  if (!rows.length) return null;
  const place = {left: 214, right: 464, top, bottom: top + 20 * rows.length + 6};
  const x = linear(Math.max(pair.gpts(rows[0].seconds), pair.naive?.gpts ?? 0), place.left, place.right);
  return figure("Speed by kernel family", "Trials of each kernel family by GPts/s", place.bottom + 48, picture => {
    axes(picture, place, x, {ticks: []}, "GPts/s", "");
    if (pair.naive) {
      const at = x.at(pair.naive.gpts);
      picture.append(line("roof s1", at, place.top - 4, at, place.bottom),
        label("name s1", "middle", at, place.top - 8, "naive"));
    }
    return rows.flatMap((row, i) => {
      const y = place.top + 14 + 20 * i, name = familyName(row);
      const points = row.times.map((seconds, k) => ({x: x.at(pair.gpts(seconds)), y: y + (k * 7 % 9) - 4,
        text: `${name}: ${digits(pair.gpts(seconds))} GPts/s`}));
      picture.append(label("tick long", "end", place.left - 8, y + 4, shortened(name, 34)),
        svg("path", {class: "dots s0", d: points.map(p => `M${p.x},${p.y}h0`).join("")}));
      const best = {x: x.at(pair.gpts(row.seconds)), y, text: `${name}: ${
        digits(pair.gpts(row.seconds))} GPts/s, the fastest of ${plural(row.trials, "trial", "trials")}`};
      picture.append(mark("s0", "diamond", best.x, y, 4));
      return [best, ...points];
    });
  }, [["s0", "diamond", "the fastest of a family"]]);
}

function importance(pair) {
  const found = pair.importance;
  const rows = (found?.parameters ?? []).slice().sort((a, b) => b.share - a.share).slice(0, 12);
  if (!rows.length) return null;
  const place = {left: 176, right: 464, top, bottom: top + 22 * rows.length + 4};
  const x = linear(100 * rows[0].share, place.left, place.right);
  const drawn = figure("Importance of parameters", "Share of each parameter in the differences", place.bottom + 48,
    picture => {
      axes(picture, place, x, {ticks: []}, "% of the variance that the forest explains", "");
      return rows.map((row, i) => {
        const y = place.top + 3 + 22 * i, colour = row.kind === "decision" ? "s3" : "s0";
        picture.append(label("tick", "end", place.left - 8, y + 13, row.name), svg("rect", {class: "mark " + colour,
          x: place.left, y, width: Math.max(1, x.at(100 * row.share) - place.left), height: 16, rx: 2}));
        return {x: x.at(100 * row.share), y: y + 8, text: `${row.kind} ${row.name}: ${digits(100 * row.share)} %`};
      });
    }, [["s3", "square", "decision"], ["s0", "square", "tunable"]]);
  drawn.append(note(`A forest grown from half of ${plural(found.trials, "trial", "trials")} explains ${
    percent(found.explained)} % of the variance of log time in the other half.`, found.explained < 0.25 ?
    " That is too little to trust the order." : ""));
  return drawn;
}

/* The fastest trial for each two values of the two most important parameters. */
function heatMap(pair) {
  const map = pair.importance?.map;
  if (!map || !map.cells.length) return null;
  const order = axis => axis.values.map((value, i) => [value, i]).sort((a, b) => compare(a[0], b[0])).map(([, i]) => i);
  const columns = order(map.x), rows = order(map.y).reverse(), place = {left: 110, right: 464, top: 34};
  const w = Math.min(72, (place.right - place.left) / columns.length);
  const h = Math.min(34, Math.max(20, 240 / rows.length));
  const bottom = place.top + h * rows.length, all = map.cells.map(cell => pair.gpts(cell[2])), hi = most(all);
  return figure(`${map.y.name} and ${map.x.name}`, "The fastest trial for each two values", bottom + 48, picture => {
    picture.append(label("unit", "start", 4, 16, map.y.name + ", fastest trial in GPts/s"),
      label("unit", "end", Math.max(place.left + w * columns.length, 240), bottom + 38, map.x.name));
    rows.forEach((row, i) => picture.append(label("tick", "end", place.left - 8, place.top + h * (i + 0.5) + 4,
      String(map.y.values[row]))));
    columns.forEach((column, i) => {
      picture.append(label("tick", "middle", place.left + w * (i + 0.5), bottom + 17,
        shortened(String(map.x.values[column]), Math.floor(w / 6.2))));
    });
    return map.cells.map(([column, row, seconds, trials], i) => {
      const share = all[i] / hi || 0, x = place.left + w * columns.indexOf(column), y = place.top + h * rows.indexOf(row);
      picture.append(svg("rect", {class: "cell", x, y, width: w, height: h, style:
        `fill:color-mix(in oklab,var(--hot) ${Math.round(100 * share ** 1.5)}%,var(--cold))`}));
      if (w >= 20)
        picture.append(label("value" + (share > 0.72 ? " hot" : "") + (w < 30 ? " small" : ""), "middle", x + w / 2,
          y + h / 2 + 4, w < 30 ? plain(Number(all[i].toPrecision(2))) : digits(all[i])));
      return {x: x + w / 2, y: y + h / 2, text: `${map.y.name}=${map.y.values[row]} ${map.x.name}=${
        map.x.values[column]}: ${digits(all[i])} GPts/s, the fastest of ${plural(trials, "trial", "trials")}`};
    });
  });
}
