//@ The script of a report's page: draws the document of 'lift report --json' (docs/report.md).
//@define PAGE

/* ---- the document as objects that refer to each other */

const byId = rows => new Map(rows.map(row => [row.id, row]));
const devices = byId(data.devices), problems = byId(data.problems), sessions = byId(data.sessions);
const tables = ["explored", "progress", "causes", "reasons", "finals", "kernels", "best", "families", "importance",
  "measured"];
data.devices.forEach((device, i) => {
  device.colour = "s" + i % 6;
  const unique = data.devices.filter(other => other.name === device.name).length === 1;
  device.short = device.name && unique ? device.name : device.label;
  device.shape = ["circle", "square", "diamond", "up", "down"][i % 5];
});
data.sessions.forEach((session, index) => session.index = index);
const place = row => row.problem + " " + row.device, pairs = new Map();
for (const row of data.explored) {
  if (!problems.has(row.problem) || !devices.has(row.device)) continue;
  if (!pairs.has(place(row)))
    pairs.set(place(row), {problem: problems.get(row.problem), device: devices.get(row.device),
      ...Object.fromEntries(tables.map(name => [name, []]))});
}
for (const name of tables)
  for (const row of data[name]) pairs.get(place(row))?.[name].push(row);

/* Sessions of a pair follow one another without a gap. Running minima are the steps. */
function layOut(pair) {
  const of = row => sessions.get(row.session) ?? {index: -1, seconds: 0};
  pair.cached = pair.device.cache_gbs > 0 && pair.problem.bytes > 0 && pair.problem.bytes <= pair.device.cache_bytes;
  pair.copy = pair.cached ? pair.device.cache_gbs : pair.device.copy_gbs;
  const roof = pair.copy * pair.problem.points / pair.problem.bytes, sizes = pair.problem.sizes;
  let seconds = 0, numbers = 0, fastest = Infinity;
  pair.grid = sizes && typeof sizes === "object" ? Object.values(sizes).join(times) : String(sizes ?? "");
  pair.roof = roof > 0 ? roof : 0;
  pair.gpts = s => pair.problem.points / s * 1e-9;
  pair.trials = sum(pair.explored, "trials");
  pair.best = pair.best[0];
  pair.importance = pair.importance[0];
  pair.naive = pair.best?.naive && {...pair.best.naive, gpts: pair.gpts(pair.best.naive.seconds)};
  const fastestOf = kind => pair.measured.filter(row => row.kind === kind && row.gpts > 0)
    .sort((a, b) => b.gpts - a.gpts)[0];
  pair.hand = fastestOf("hand");
  pair.peer = fastestOf("peer");
  pair.dram = most(pair.measured.map(row => row.dram_bytes ?? 0));
  pair.dots = [];
  for (const row of pair.explored.sort((a, b) => of(a).index - of(b).index)) {
    let last = 0;
    for (const part of pair.progress.filter(part => part.session === row.session))
      for (const [at, time, n] of part.trials) {
        pair.dots.push({at: seconds + at, seconds: time, number: numbers + n});
        last = Math.max(last, n);
      }
    seconds += of(row).seconds;
    numbers += last;
  }
  pair.seconds = seconds;
  pair.searched = numbers;
  pair.dots.sort((a, b) => a.at - b.at);
  pair.steps = pair.dots.filter(dot => dot.seconds < fastest && (fastest = dot.seconds));
}
pairs.forEach(layOut);
/* Kernels of the same program with other numbers of time steps a launch, on a device. */
const groups = new Map();
pairs.forEach(pair => {
  const key = (pair.problem.single ?? pair.problem.id) + " " + pair.device.id;
  groups.set(key, [...groups.get(key) ?? [], pair]);
});
groups.forEach(group => {
  const fastest = group.reduce((a, b) => (b.best?.gpts ?? 0) > (a.best?.gpts ?? 0) ? b : a);
  group.sort((a, b) => a.problem.steps - b.problem.steps);
  for (const pair of group)
    Object.assign(pair, {group, fastest, single: group.find(other => other.problem.steps === 1 && other.best)});
});
const all = data.problems.flatMap(problem => data.devices.map(device => pairs.get(problem.id + " " + device.id))
  .filter(pair => pair));
all.forEach((pair, i) => pair.id = "kernel-" + (i + 1));
/* The fastest of each group. */
const answers = all.filter(pair => pair === pair.fastest);
const oneProgram = new Set(answers.map(pair => pair.problem.single ?? pair.problem.id)).size === 1;

/* ---- what is said of a best kernel */

const ratio = (pair, other) => other?.gpts > 0 && pair.best ? pair.best.gpts / other.gpts : undefined;
const factor = value => value === undefined ? dash : digits(value) + times;
const state = pair => pair.best ? pair.best.confirmed ? "confirmed" : "unconfirmed" : "no verified kernel";
const badge = pair => el("span", {class: "badge " + (pair.best?.confirmed ? "good" : "doubt")}, state(pair));
const family = best => best.family ? `, family ${best.family}${best.changes ? ` with ${
  plural(best.changes, "other option", "other options")}` : ""}` : "";
const expr = text("Expression", row => row.expr, {show: row => code((row.expr ?? "").slice(0, 12)), class: "nowrap"});
const tunables = text("Tunables", row => JSON.stringify(row.tunables), {show: row => words(row.tunables),
  class: "tunables"});
const gpts = number("GPts/s", pair => pair.best?.gpts, pair => pair.best ? digits(pair.best.gpts) : dash, {down: true});
const copyShare = bar("% of copy bandwidth", pair => pair.device.colour, pair => pair.best?.copy_share ?? undefined,
  pair => pair.best.copy_share, pair => percent(pair.best.copy_share));
const confirmation = text("Final benchmark", state, {show: badge});
/* How many times as fast as another kernel, if there is one of any pair. */
const versus = (head, key) => all.some(pair => pair[key]) ? [number("\u00d7 " + head, pair => ratio(pair, pair[key]),
  pair => factor(ratio(pair, pair[key])), {down: true})] : [];
const ofSingle = pair => pair.single && pair.single !== pair ? ratio(pair, pair.single.best) : undefined;
const temporal = pair => pair.problem.steps > 1 ? `${pair.problem.steps} time steps a launch` : "single sweeps";
const trials = number("Trials", row => row.trials, row => count(row.trials), {down: true});

const title = pair => [pair.problem.title, " ", el("span", {class: "soft"}, pair.grid, " on ", pair.device.label)];

/* ---- the head and the overview */

function head() {
  const verified = sum(data.causes.filter(row => row.status === "ok"), "trials");
  const tile = (value, name) => el("li", {}, el("b", {}, value), name);
  const counted = (n, one, many) => tile(count(n), n === 1 ? one : many);
  return el("header", {}, el("h1", {}, all.length === 1 ? title(all[0]) : "lift report"),
    note("Database ", code(data.database), `, lift ${data.lift}, ${moment(data.made)} UTC`),
    all.length === 1 ? null : el("ul", {class: "tiles"}, counted(data.problems.length, "problem", "problems"),
      counted(data.devices.length, "device", "devices"), counted(sum(all, "trials"), "trial", "trials"),
      counted(verified, "verified trial", "verified trials"),
      tile(String(all.filter(pair => pair.best?.confirmed).length), "confirmed best kernels"),
      tile(duration(sum(data.sessions, "seconds")), "of exploration")));
}

function overview() {
  if (all.length < 2) return null;
  const chart = el("div", {}, rooflines(answers) ?? "");
  return el("section", {class: "card", id: "overview"}, el("h2", {}, "Best kernels"),
    note("Select a program for its charts, kernels and source. Select a column to sort.",
      answers.length < all.length ? " Of several numbers of time steps a launch, the fastest is listed." : ""),
    table("Best kernels", [
      text("Program", pair => pair.problem.title, {show: pair => el("a", {href: "#" + pair.id}, pair.problem.program +
        (pair.problem.steps > 1 ? `, ${pair.problem.steps} steps` : "")), class: "nowrap"}),
      gpts, copyShare, ...answers.some(pair => ofSingle(pair)) ? [number("\u00d7 single sweep", ofSingle,
        pair => factor(ofSingle(pair)), {down: true})] : [], ...versus("naive", "naive"),
      ...versus("by hand", "hand"), confirmation,
      text("Grid", pair => pair.problem.points, {show: pair => pair.grid, class: "nowrap"}),
      text("Type", pair => pair.problem.dtype), text("Device", pair => pair.device.short, {class: "nowrap"}), trials],
    answers, {filtered: left => chart.replaceChildren(rooflines(left) ?? "")}),
    chart);
}

/* ---- one problem on one device */

function hero(pair) {
  const {best, naive, hand, peer} = pair;
  if (!best) return el("p", {class: "empty"}, "No verified kernel. The failures below say why.");
  /* Ends of intervals in seconds. */
  const speeds = row => ({gpts: pair.gpts(row.seconds), low: row.high && pair.gpts(row.high),
    high: row.low && pair.gpts(row.low)});
  const rows = [["naive kernel", naive && speeds(naive), "s1", naive?.confirmed ? "" : "unconfirmed"],
    ["by hand", hand, "s2", hand?.kernel], ["published peer", peer, "s3", peer?.kernel],
    ["best single sweep", pair.single && pair.single !== pair && {gpts: pair.single.best.gpts}, "s3",
      pair.single?.best.confirmed ? "" : "unconfirmed"],
    ["lift", speeds(best), "s0", best.confirmed ? "" : "unconfirmed"]].filter(row => row[1]);
  const end = Math.max(pair.roof, ...rows.map(([, row]) => row.high ?? row.gpts)) * 1.02 || 1;
  const along = value => (Math.min(100 * value / end, 100) || 0) + "%";
  const gain = naive ? [el("b", {}, factor(best.gain)), " the naive kernel", best.gain_low ?
    el("span", {class: "soft"}, ` (${digits(best.gain_low)} to ${digits(best.gain_high)})`) : null] :
    [el("b", {}, digits(best.gpts)), " GPts/s"];
  const speed = [naive ? digits(best.gpts) + " GPts/s" : "", launchTime(best.seconds) + " a launch",
    best.copy_share > 0 ? percent(best.copy_share) + " % of copy bandwidth" + (pair.cached ? " in cache" : "") : "",
    pair.problem.steps > 1 ? "temporal blocking of " + temporal(pair) : "",
    ofSingle(pair) ? factor(ofSingle(pair)) + " the best single sweep" : "",
    hand ? factor(ratio(pair, hand)) + " the kernel by hand" : ""].filter(part => part).join(", ");
  const doubts = [best.confirmed ? "timed in the final benchmark" : "not timed in a final benchmark",
    best.busy ? "timed on a busy machine" : "",
    naive && !naive.confirmed ? "the naive kernel is unconfirmed" : "",
    naive?.spread ? "the times of the naive kernel vary by more than a quarter" : "",
    naive ? "" : "the database has no naive kernel"].filter(part => part).join("; ");
  return el("div", {class: "hero"},
    el("div", {}, el("p", {class: "gain"}, gain), el("p", {}, speed), el("p", {}, badge(pair), " ", doubts)),
    el("div", {class: "bars"}, rows.map(([name, row, colour, more]) => [
      el("span", {}, name, more ? el("small", {}, more) : null),
      el("div", {class: "track " + colour}, el("s", {style: "width:" + along(row.gpts)}),
        row.low > 0 && row.high > row.low ?
          el("em", {style: `left:${along(row.low)};width:${along(row.high - row.low)}`}) : null,
        pair.roof > 0 ? el("u", {style: "left:" + along(pair.roof)}) : null),
      el("b", {}, digits(row.gpts) + nbsp + "GPts/s")]),
    pair.roof > 0 ? [el("span", {}), note("The mark is copy bandwidth, ", digits(pair.roof),
      " GPts/s. Whiskers are 95 % intervals."), el("span", {})] : null));
}

/* Of one program on one device. */
function depths(pair) {
  if (pair.group.length < 2) return null;
  const end = most(pair.group.map(other => other.best?.gpts ?? 0));
  return [el("h3", {}, "Time steps a launch"), table("Time steps a launch of " + pair.problem.program, [
    number("Steps", other => other.problem.steps, other => other === pair ? temporal(other) :
      el("a", {href: "#" + other.id}, temporal(other))),
    bar("GPts/s", other => other.device.colour, other => other.best?.gpts, other => other.best.gpts / end,
      other => digits(other.best.gpts)),
    number("\u00d7 single sweep", ofSingle, other => factor(ofSingle(other)), {down: true}),
    number("A launch", other => other.best?.seconds, other => other.best ? launchTime(other.best.seconds) : dash),
    copyShare, confirmation, trials], pair.group, {classOf: other => other === pair.fastest && "winner"}),
  note("GPts/s count every step.")];
}

function sideBySide(pair) {
  const others = all.filter(other => other.problem === pair.problem);
  if (others.length < 2) return null;
  const end = most(others.map(other => other.best?.gpts ?? 0));
  return [el("h3", {}, "Devices"), table("Devices of " + pair.problem.title, [
    text("Device", other => other.device.label, {show: other => other === pair ? other.device.label :
      el("a", {href: "#" + other.id}, other.device.label)}),
    bar("GPts/s", other => other.device.colour, other => other.best?.gpts, other => other.best.gpts / end,
      other => digits(other.best.gpts)), copyShare, confirmation, trials], others)];
}

/* All intervals of a table are on one axis. */
function kernels(pair) {
  if (!pair.kernels.length) return null;
  const finals = new Map(pair.finals.map(row => [row.trial, row])), shown = pair.finals.length > 0;
  const lo = least(pair.finals.map(row => row.low)), hi = most(pair.finals.map(row => row.high));
  const x = scale(lo, Math.max(hi, lo * (1 + 1e-6)), false, 8, 152);
  const whisker = row => {
    const final = finals.get(row.trial);
    if (!final) return "unconfirmed";
    const words = `${launchTime(final.low)} to ${launchTime(final.high)}`, {low, high} = final;
    return svg("svg", {class: "interval", viewBox: "0 0 160 18", role: "img", "aria-label": words},
      svg("title", {}, words + (final.tied ? ", tied with the place before" : "")),
      [[low, 9, high, 9], [low, 5, low, 13], [high, 5, high, 13]].map(([a, y1, b, y2]) =>
        line("whisker s0", x.at(a), y1, x.at(b), y2)), mark("s0", "circle", x.at(final.seconds), 9, 4));
  };
  const resource = (name, key) => pair.kernels.some(row => row[key] !== null) ?
    [number(name, row => row[key], row => row[key] === null ? dash : count(row[key]))] : [];
  const occupancy = pair.kernels.some(row => row.occupancy) ? [number("Occupancy", row => row.occupancy?.share,
    row => row.occupancy ? percent(row.occupancy.share) : dash)] : [];
  return [el("h3", {}, "Fastest kernels"), table("Fastest kernels", [number("#", row => row.place),
    number("Time", row => row.seconds, row => launchTime(row.seconds)),
    ...shown ? [text("95 % interval", row => finals.get(row.trial)?.high, {show: whisker})] : [],
    number("GPts/s", row => pair.gpts(row.seconds), row => digits(pair.gpts(row.seconds)), {down: true}),
    ...pair.roof > 0 ? [number("% of copy", row => row.seconds,
      row => percent(pair.gpts(row.seconds) / pair.roof))] : [], tunables, ...resource("Registers", "registers"),
    ...resource("Spilled B", "spill_bytes"), ...resource("Shared B", "local_bytes"), ...occupancy, expr], pair.kernels,
  {classOf: row => row.trial === pair.best?.trial && "winner"}),
  shown ? note("The final benchmark times the best candidates in alternation. ",
    "Kernels with intervals in common are tied.") :
    note("No final benchmark: each time is of a trial of its own, unconfirmed."),
  details("Derivations, by place", [...new Set(pair.kernels.map(row => row.expr))].map(id => {
    const derivation = data.derivations[id] ?? {how: "", steps: [], macros: []};
    return details([el("b", {}, pair.kernels.filter(row => row.expr === id).map(row => row.place).join(", ")),
      " " + (derivation.how || "no rewrites")], steps(derivation),
    note(code(`lift show --expr ${id} --db ${data.database}`), " prints the expression"));
  }))];
}

/* A macro is an item with its steps below. */
function steps(derivation) {
  const list = el("ul", {class: "steps"}), open = [{list, last: Infinity}];
  derivation.steps.forEach(([rule, position, args], i) => {
    while (open.at(-1).last < i + 1) open.pop();
    for (const [macro, at, first, length] of derivation.macros.filter(m => m[2] === i + 1)) {
      const inner = el("ul", {});
      open.at(-1).list.append(el("li", {}, el("b", {}, macro), " at " + at, inner));
      open.push({list: inner, last: first + length - 1});
    }
    open.at(-1).list.append(el("li", {}, el("b", {}, rule), ` at ${position}${args ? ", " : ""}`, args));
  });
  if (!derivation.steps.length) list.append(el("li", {}, "the program as it is"));
  return list;
}

function causes(pair) {
  const end = most(pair.causes.map(row => row.trials)), failed = pair.reasons[0]?.reasons ?? 0;
  const colour = row => row.status === "ok" ? "s2" : ["slow", "slab"].includes(row.status) ? "s5" : "s1";
  const cause = text("Cause", row => row.status, {show: row => code(row.status)});
  return [el("h3", {}, "Trials by cause"),
    table("Trials by cause", [cause, bar("Trials", colour, row => row.trials, row => row.trials / end,
      row => count(row.trials)), text("Meaning", row => row.meaning ?? "", {class: "soft"})],
    pair.causes.slice().sort((a, b) => b.trials - a.trials)),
    pair.reasons.length ? details(`Reasons of failures (${failed})`, table("Reasons of failures", [trials, cause,
      text("Reason", row => row.reason || dash)], pair.reasons), failed > pair.reasons.length ?
      note(`The ${pair.reasons.length} most frequent; all: lift show --failures`) : null) : null];
}

function ending(pair) {
  const cost = [["explored", pair.seconds], ["compiling", sum(pair.explored, "compile_s")],
    ["checking", sum(pair.explored, "check_s")], ["measuring", sum(pair.explored, "measure_s")]];
  const kernel = pair.kernels.find(row => row.trial === pair.best?.trial), session = sessions.get(kernel?.session);
  return [el("h3", {}, "Cost of the search"), el("p", {class: "facts"}, cost.filter(([, s]) => s > 0).map(([name, s]) =>
    [el("span", {class: "pair"}, name + nbsp, el("b", {}, duration(s))), " "])),
    pair.best ? [el("h3", {}, "Source"), pair.best.source ?
      details("Source of the best kernel", source(pair.best.source)) :
      note("The database has no source of this kernel. This command makes it:"),
    el("pre", {}, pair.best.command)] : null,
    session?.argv ? [note(`The session that found the best kernel (seed ${session.seed}):`),
      el("pre", {}, session.argv)] : null];
}

function panel(pair) {
  const {problem} = pair, facts = [`${count(problem.points)} grid points`, problem.dtype && ` of ${problem.dtype}`,
    problem.steps > 1 && ` in ${problem.steps} time steps a launch`,
    problem.bytes > 0 && ` \u00b7 ${bytes(problem.bytes)} of compulsory traffic a launch`,
    problem.ops > 0 && ` \u00b7 ${digits(problem.ops)} operations a point`];
  const i = all.indexOf(pair), step = (other, name) => other ? el("a", {href: "#" + other.id}, name) : null;
  return el("section", {class: "card", id: pair.id}, all.length > 1 ? [el("nav", {},
    el("a", {href: "#overview"}, "All kernels"), step(all[i - 1], "Previous"), step(all[i + 1], "Next")),
  el("h2", {}, title(pair))] : null,
  el("p", {class: "facts"}, words(problem.sizes), " \u00b7 ", facts.filter(fact => fact).join("")),
  hero(pair), pair.best?.schedule ? el("p", {class: "schedule"}, el("b", {}, "Schedule: "), pair.best.schedule,
    el("span", {class: "soft"}, family(pair.best))) : null,
  depths(pair),
  sideBySide(pair),
  el("div", {class: "charts"}, bestSoFar(pair, "number"), bestSoFar(pair, "at"), roofline(pair), strips(pair),
    importance(pair), heatMap(pair)),
  kernels(pair), causes(pair), ending(pair));
}

/* ---- devices and sessions */

function machines() {
  const of = row => devices.get(row.device)?.label ?? "", newest = data.sessions.slice(-50).reverse();
  const column = (head, key) => number(head, d => d[key], d => known(d[key],
    v => v >= 1000 || Number.isInteger(v) ? count(Math.round(v)) : digits(v)));
  return el("section", {class: "card"}, el("h2", {}, "Devices and sessions"),
    table("Devices", [text("Device", d => d.name), text("Runtime", d => d.runtime), text("Architecture", d => d.arch),
      column("Units", "compute_units"), column("Copy bandwidth, GB/s", "copy_gbs"), column("L2, GB/s", "l2_gbs"),
      column("f32, GFlop/s", "f32_gflops"), column("f64, GFlop/s", "f64_gflops"), column("Clock, MHz", "mhz"),
      text("Measured", d => moment(d.copy_at).slice(0, 10), {class: "nowrap"})], data.devices),
    note("Copy bandwidth and clock are measured. The cost model assumes the bandwidth of L2. ",
      "GFlop/s are multiply-adds at the measured clock."),
    data.events.length ? details(`Device errors and measurements (${data.events.length})`, table("Events",
      [text("When (UTC)", e => moment(e.at), {class: "nowrap"}), text("Device", of), text("Event", e => e.kind),
        text("Text", e => e.text)], data.events)) : null,
    details(`Sessions (${data.sessions.length})`, table("Sessions", [
      text("Started (UTC)", s => moment(s.started), {class: "nowrap"}), number("Took", s => s.seconds,
        s => duration(s.seconds)), trials, text("Ended by", s => s.ended ? s.end_reason : "not ended"),
      text("Machine", s => s.host), text("Command", s => s.argv, {show: s => code(s.argv)})], newest),
    data.sessions.length > newest.length ? note(`The ${newest.length} newest sessions.`) : null));
}

/* The panel of the kernel that the address names; of the first answer if there is one program. */
const chosen = el("div", {});
function choose() {
  const pair = all.find(other => "#" + other.id === location.hash) ?? (oneProgram ? answers[0] : undefined);
  chosen.replaceChildren(...pair ? [panel(pair)] : []);
  if (pair && location.hash) chosen.firstChild.scrollIntoView();
}
document.title = data.problems.length === 1 ? `${data.problems[0].title}: lift report` : "lift report";
page.replaceChildren(head(), ...data.nothing ? [el("p", {class: "empty"}, data.nothing)] :
  [overview(), chosen, machines()].filter(part => part),
el("footer", {}, "GPts/s: 10\u2079 grid points updated a second. Compulsory traffic: each input read once, " +
  "each output written once. Copy bandwidth: the measured one of the device; " +
  "more than 100 % of it means that caches hold the data. " +
  "Unconfirmed: not timed in a final benchmark."));
addEventListener("hashchange", choose);
if (!data.nothing) choose();
