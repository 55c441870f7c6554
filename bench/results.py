#!/usr/bin/env python3
"""Makes the page of results and its pictures: python3 bench/results.py [FOLDER]

Reads the kernels that ship (programs/tuned/*.csv) and the figures of bench/results/*.csv, whose
columns bench/results/README.md describes. Writes FOLDER/docs/results.md, the pictures speed.svg and
copy-bandwidth.svg in FOLDER/docs/pictures, and, if FOLDER/README.md has their marks, its tables of
results and of explorations. FOLDER is the root of the repository unless given. Each figure comes
from a row of these files; a cell without a measured figure is empty. tests/house/results.sh
compares the pages with the output of this script.
"""

import csv
import json
import os
import re
import sqlite3
import statistics
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "docs", "pictures"))
from picture import FAINT, GREY, INK, Picture  # noqa: E402

H200, H100 = "NVIDIA H200", "NVIDIA H100"
XEON = "Intel(R) Xeon(R) Processor"
EPYC = "AMD EPYC, two cores, AVX-512"
COUNTED = {"f32": "single", "f64": "double"}
SUPERSCRIPT = {2: "²", 3: "³"}
MARKS = ("<!-- python3 bench/results.py -->", "<!-- end of results -->")
MINUTE_MARKS = ("<!-- python3 bench/results.py: explorations -->", "<!-- end of explorations -->")
README_ROWS = [
    ("acoustic_iso", "1000x1000x1000"),
    ("star3d1r", "512x512x512"),
    ("jacobi2d5", "8192x8192"),
    ("hotspot2d", "8192x8192"),
    ("srad", "8192x8192"),
    ("box3d2r", "512x512x512"),
]

# ---- the figures


def read(path):
    with open(os.path.join(ROOT, path), newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


LATER = {"cache_bytes", "cache_gbs"}  # columns of devices that older folders lack
NUMBERS = {"median_ns", "low_ns", "high_ns", "copy_gbs", "points", "bytes", "steps", "bad", "place"}
VIEWS = r"CREATE VIEW (\w+) AS .*?;\n"
DEFINITIONS = r"--@define (\w+)\n(.*?)(?=\n--@|\Z)"


def sql_of(name):
    """A file of the command's own SQL."""
    with open(os.path.join(ROOT, f"src/tuner/db/sql/{name}.sql"), encoding="utf-8") as f:
        return f.read()


def tuned_database():
    """The folder programs/tuned as a database with the views of the command's own schema."""
    db = sqlite3.connect(":memory:")
    folder = os.path.join(ROOT, "programs/tuned")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), newline="", encoding="utf-8") as f:
            rows = list(csv.reader(f))
        columns = [f'"{c}" {"REAL" if c in NUMBERS else "TEXT"}' for c in rows[0]]
        db.execute(f'CREATE TABLE "{name[:-4]}" ({", ".join(columns)})')
        marks = ",".join("?" * len(columns))
        db.executemany(
            f'INSERT INTO "{name[:-4]}" VALUES ({marks})',
            [[x or None for x in r] for r in rows[1:]],
        )
    have = {row[1] for row in db.execute("PRAGMA table_info(device)")}
    for column in LATER - have:  # of the folder's version, 'lift db import' adds them likewise
        db.execute(f'ALTER TABLE device ADD "{column}" REAL')
    views = {m[1]: m[0] for m in re.finditer(VIEWS, sql_of("schema"), re.DOTALL)}
    texts = {m[1]: m[2] for m in re.finditer(DEFINITIONS, sql_of("common"), re.DOTALL)}
    for name in ("trials", "verified", "fastest", "winner", "best_kernel"):
        if name in views:
            db.execute(re.sub(r"\$(\w+)", lambda m: texts[m[1]], views[name]))
    db.row_factory = sqlite3.Row
    return db


def tuned():
    """The kernels that ship: those of the view best_kernel, as 'lift best' prints them."""
    db = tuned_database()
    rows = []
    for k in db.execute(f"""SELECT k.*, p.dtype, p.points, f.low_ns, f.high_ns, s.started, s.argv
            FROM best_kernel k JOIN problem p ON p.id = k.problem_id
            JOIN trial t ON t.id = k.trial JOIN session s ON s.id = t.session
            LEFT JOIN finalist f ON f.trial = k.trial ORDER BY k.trial"""):
        rows.append(
            {
                "program": k["program"],
                "size": "x".join(str(n) for _, n in sorted(json.loads(k["sizes"]).items())),
                "precision": COUNTED[k["dtype"]],
                "device": k["device"],
                "gpts": k["gpts"],
                "low": k["points"] / k["high_ns"] if k["high_ns"] else "",
                "high": k["points"] / k["low_ns"] if k["low_ns"] else "",
                "gbs": k["gbs"],
                "percent": k["copy_percent"],
                "date": k["started"][:10],
                "argv": k["argv"],
            }
        )
    order = lambda r: (
        r["precision"] != "single",
        -len(r["size"].split("x")),
        r["program"],
        -len(r["size"]),
    )
    return sorted(rows, key=order)


def measured():
    names = sorted(os.listdir(os.path.join(ROOT, "bench/results")))
    rows = [r for n in names if n.endswith(".csv") for r in read(f"bench/results/{n}")]
    return [r for r in rows if r.get("kind")]


def find(rows, like=None, **wanted):
    """Rows with these values; the program, size and precision are those of the row 'like'."""
    if like:
        wanted = {k: like[k] for k in ("program", "size", "precision")} | wanted
    return [r for r in rows if all(r[k] == v for k, v in wanted.items())]


def newest(rows, column="gpts"):
    """The row of the newest date that has this figure, the first of these; None without one."""
    rows = [r for r in rows if r[column]]
    return max(rows, key=lambda r: r["date"]) if rows else None


# ---- text


def number(x):
    """A computed number with four digits, as 'lift best' prints it; a recorded one as it is."""
    if x in ("", None):
        return ""
    digits = sum(x < bound for bound in (1000, 100, 10, 1)) if isinstance(x, float) else 0
    if isinstance(x, str):
        digits = len(x.partition(".")[2])
    return f"{float(x):,.{digits}f}"


def span(low, high):
    return number(low) if number(low) == number(high) else f"{number(low)} to {number(high)}"


def bracket(low, high):
    return f" ({span(low, high)})" if low not in ("", None) and low != high else ""


def share(x):
    """A percentage, as 'lift best' prints it."""
    return f"{float(x):.1f}" if x not in ("", None) else ""


def confirmed(r):
    """The speed of a kernel with the interval of its final benchmark."""
    return number(r["gpts"]) + (bracket(r["low"], r["high"]) if r["low"] else " (unconfirmed)")


def shown(row):
    """The program with its size, as '512³' where all lengths are equal."""
    n = row["size"].split("x")
    size = n[0] + SUPERSCRIPT[len(n)] if len(n) > 1 and len(set(n)) == 1 else "×".join(n)
    double = ", double" if row["precision"] == "double" else ""
    return f"{row['program']} {size}{double}".rstrip()


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return lines + ["| " + " | ".join(r) + " |" for r in rows]


def options(argv):
    """The options of an exploration that its result depends on."""
    words = argv.split()
    kept = [f"{w} {words[i + 1]}" for i, w in enumerate(words) if w in ("--seconds", "--seed")]
    return " ".join(kept + [w for w in words if w == "--no-seeds"])


# ---- one row of the tables


def ratio_cell(row):
    """A ratio with its interval, if that is wider than a hundredth."""
    if not row:
        return ""
    low, high = (f"{float(row[k]):.2f}" if row[k] else "" for k in ("ratio_low", "ratio_high"))
    return f"{float(row['ratio']):.2f}" + bracket(low, high)


def by_hand(rows, row):
    """GPts/s of the kernel by hand, and the ratio with its interval, of the newest run."""
    hand = newest(find(rows, row, device=row["device"], kind="hand"))
    lift = [
        r for r in find(rows, row, device=row["device"], kind="lift") if r["run"] != "versus naive"
    ]
    ratio = newest(lift, "ratio")
    gpts = number(hand["gpts"]) if hand else ""
    if not ratio:
        return gpts, ""
    return gpts, ratio_cell(ratio)


def unshipped(rows, kernels):
    """Explorations on the H200 of programs of which no kernel ships, with their columns alike."""
    shipped = {k["program"] for k in kernels}
    return [
        r | {"argv": r["command"]}
        for r in find(rows, device=H200, kind="nothing")
        if r["program"] not in shipped and r["size"] and r.get("gbs")
    ]


def h200_row(rows, r):
    nothing = [
        x["gpts"] for x in find(rows, r, device=H200, kind="nothing") if x["seconds"] == "60"
    ]
    naive = newest(find(rows, r, device=H200, kind="naive"))
    plain = newest(find(rows, r, device=H200, kind="plain"))
    peer = newest([x for x in find(rows, r, device=H200, kind="peer") if x["steps"] == "1"])
    opencl = newest(find(rows, r, device=H200, runtime="opencl"), "percent")
    return [
        shown(r),
        confirmed(r),
        number(r["gbs"]),
        share(r["percent"]),
        number(naive["gpts"]) if naive else "",
        number(plain["gpts"]) if plain else "",
        *by_hand(rows, r),
        number(peer["gpts"]) if peer else "",
        share(opencl["percent"]) if opencl else "",
        span(min(nothing, key=float), max(nothing, key=float)) if nothing else "",
        f"`{options(r['argv'])}` {r['date']}",
    ]


def h100_line(rows):
    """The exploration on an H100; the page has a line for it, since no other kernel ran there."""
    return "".join(
        f"An H100 had {number(r['gpts'])} GPts/s for {shown(r)}, {r['percent']} % of copy "
        f"({r['date']}). No rival was timed.\n"
        for r in find(rows, device=H100, kind="nothing")
    )


def comparison(lift, hand):
    """How many times as fast as by hand: the median of pairs where the run has it."""
    if lift["ratio"]:
        return float(lift["ratio"])
    return float(lift["gpts"]) / float(hand["gpts"] or hand["high"])


def number_of(row):
    return float(row["gpts"] or 0)


def one_step(rows, kernels, r):
    """GPts/s of a single sweep of the same problem: of its run, or of the kernel that ships."""
    same = [
        x for x in find(rows, r, kind="lift", steps="1", run=r["run"]) if r["run"] and x["gpts"]
    ]
    single = same or find(kernels, r, device=r["device"])
    return float(single[0]["gpts"]) if single else None


def loss_rows(rows, kernels):
    """Where the kernel by hand of the newest run is at least 3 % faster, several steps a launch
    are slower than a single sweep, or a plan without a database is slower than another."""
    why = {
        (r["program"], r["precision"], r["steps"]): r["why"]
        for r in read("bench/results/losses.csv")
    }
    worst = {}

    def lose(lift, other, ratio):
        """Of several sizes the one that loses most is shown."""
        problem = lift["program"], lift["precision"], lift["steps"]
        device = "H200" if lift["device"] == H200 else "Xeon"
        steps = f", {lift['steps']} steps a launch" if lift["steps"] != "1" else ""
        reason = why.get(problem, "") if device == "H200" else ""
        cells = [shown(lift) + steps, device, number(lift["gpts"]), other, f"{ratio:.2f}"]
        at = *problem, device
        if at not in worst or ratio < worst[at][0]:
            worst[at] = ratio, cells + [lift["date"], reason]

    for hand in find(rows, device=H200, kind="hand"):
        hands = find(rows, hand, device=H200, kind="hand", steps=hand["steps"])
        lifts = find(rows, hand, device=H200, kind="lift", steps=hand["steps"])
        lift = newest([r for r in lifts if not hand["run"] or r["run"] == hand["run"]])
        if lift and hand is newest(hands, "date") and comparison(lift, hand) < 0.97:
            theirs = number(hand["gpts"]) or span(hand["low"], hand["high"])
            lose(lift, f"by hand {theirs}", comparison(lift, hand))
    for lift in find(rows, kind="lift"):
        rivals = find(rows, lift, kind="lift", device=lift["device"])
        if any(r["steps"] != "1" and number_of(r) > number_of(lift) for r in rivals):
            continue
        single = one_step(rows, kernels, lift)
        if lift["steps"] != "1" and lift["gpts"] and single and float(lift["gpts"]) < single:
            lose(lift, f"one step a launch {number(single)}", float(lift["gpts"]) / single)
        elif lift["run"] == "versus one step a launch" and float(lift["ratio_high"] or 1) < 1:
            lose(lift, "one step a launch", float(lift["ratio"]))
    for plan in find(rows, kind="plan"):
        lose(plan, plan["run"], float(plan["ratio"]))
    return [cells for _, cells in worst.values()]


def temporal_row(rows, kernels, r):
    hand = newest(find(rows, r, device=H200, kind="hand", steps=r["steps"]), "date")
    peer = newest(
        find(rows, program=r["program"], size=r["size"], device=H200, kind="peer", steps="several")
    )
    single = one_step(rows, kernels, r)
    times = f"{float(r['gpts']) / single:.2f}" if single else ""
    return [
        shown(r),
        r["steps"],
        number(r["gpts"]),
        number(single),
        times,
        (number(hand["gpts"]) or span(hand["low"], hand["high"])) if hand else "",
        number(peer["gpts"]) if peer else "",
        f"`{r['kernel'].replace(' ', '')}`",
    ]


def processor_rows(rows, kernels):
    """The kernels that ship for the Xeon, and explorations on it and on the EPYC."""
    ratio = lambda like, device, versus: ratio_cell(
        newest(find(rows, like, device=device, kind="lift", run=f"versus {versus}"), "ratio")
    )
    xeon = {shown(r): r for r in find(kernels, device=XEON)}
    epyc = {shown(r): r for r in find(rows, device=EPYC, kind="lift", run="versus naive")}
    out = []
    for name in sorted(xeon | epyc):
        x, e = xeon.get(name), epyc.get(name)
        left = (
            [
                confirmed(x),
                number(x["gbs"]),
                share(x["percent"]),
                ratio(x, XEON, "naive"),
                ratio(x, XEON, "hand"),
                f"`{options(x['argv'])}`",
            ]
            if x
            else [""] * 6
        )
        right = (
            [number(e["gpts"]), ratio_cell(e), ratio(e, EPYC, "hand"), e["seconds"]]
            if e
            else [""] * 4
        )
        out.append([name, *left, *right])
    return out


def devito_rows(rows):
    """The newest comparison of each program, and the range of the others' ratios."""
    newest_of = {shown(r): r for r in rows if r["kind"] == "lift" and r["run"].startswith("devito")}
    out = []
    for name, r in newest_of.items():
        peer = find(rows, run=r["run"], kind="peer")[0]
        others = [
            x["ratio"]
            for x in find(rows, r, kind="lift")
            if x["run"].startswith("devito") and x is not r
        ]
        out.append(
            [
                name,
                span(r["low"], r["high"]),
                span(peer["low"], peer["high"]),
                ratio_cell(r),
                span(min(others), max(others)) if others else "",
                r["seconds"],
            ]
        )
    return out


def scaling_rows():
    """For each program and number of GPUs the fastest way of exchanging."""
    best = {}
    for r in read("bench/results/scaling.csv"):
        at = r["program"], r["devices"], r["scaling"]
        if at not in best or float(r["gpts"]) > float(best[at]["gpts"]):
            best[at] = r
    cells = lambda r: (
        [number(r["gpts"]), r["efficiency"], r["exchange"], r["launches"]] if r else [""] * 4
    )
    return [
        [
            shown(r | {"precision": "single"}),
            number(best[program, "1", "one"]["gpts"]),
            devices,
            *cells(r),
            *cells(best.get((program, devices, "weak"))),
            r["date"],
        ]
        for (program, devices, scaling), r in best.items()
        if scaling == "strong"
    ]


# ---- explorations by the default command (bench/explore.py)


def best_known(like, kernels, rows, explored):
    """GPts/s and time steps of the fastest kernel of this problem on this device."""
    known = find(kernels, like, device=like["device"])
    for kind in ("lift", "nothing"):
        known += find(rows, like, device=like["device"], kind=kind)
    known = [
        (float(r["gpts"]), int(r.get("steps") or 1))
        for r in known + find(explored, like, device=like["device"])
        if r["gpts"]
    ]
    return max(known, default=(0, 1))


def explored_groups(explored, kernels, rows):
    """For each problem and device its lengths, in seconds: the rows of the newest commit, their
    median of GPts/s, which counts an exploration without a kernel as 0, and its share of the best
    known kernel."""
    groups = {}
    for r in explored:
        group = groups.setdefault(
            tuple(r[k] for k in ("program", "size", "precision", "device")),
            {k: r[k] for k in ("program", "size", "precision", "device")} | {"lengths": {}},
        )
        group["lengths"].setdefault(r["seconds"], []).append(r)
    for g in groups.values():
        g["best"], g["best_steps"] = best_known(g, kernels, rows, explored)
        lengths = sorted(g["lengths"].items(), key=lambda item: float(item[0] or 0))
        g["lengths"] = {}
        for seconds, all_rows in lengths:
            own = [r for r in all_rows if r["commit"] == all_rows[-1]["commit"]]
            gpts = statistics.median(number_of(r) for r in own)
            share_of = gpts / g["best"] if g["best"] else 0
            g["lengths"][seconds] = {"rows": own, "gpts": gpts, "share": share_of}
    return list(groups.values())


def explored_lengths(groups):
    """For each device and length: explorations, those with status 0 and a verified kernel, those on
    a busy machine, and the geometric mean of the ratio to the longest length of the device, which
    is None for the longest."""
    out = []
    for device in dict.fromkeys(g["device"] for g in groups):
        own = [g for g in groups if g["device"] == device]
        lengths = sorted({s for g in own for s in g["lengths"]}, key=lambda s: float(s or 0))
        for seconds in lengths:
            found = [r for g in own if seconds in g["lengths"] for r in g["lengths"][seconds]["rows"]]
            ratios = [
                g["lengths"][seconds]["gpts"] / g["lengths"][lengths[-1]]["gpts"]
                for g in own
                if seconds in g["lengths"] and g["lengths"].get(lengths[-1], {}).get("gpts")
            ]
            mean = None
            if ratios and seconds != lengths[-1]:
                mean = statistics.geometric_mean(ratios) if min(ratios) > 0 else 0
            counts = {
                "all": len(found),
                "good": sum(r["status"] == "0" and r["gpts"] != "" for r in found),
                "busy": sum(r["busy"] == "yes" for r in found),
            }
            out.append((device, seconds, counts | {"mean": mean, "longest": lengths[-1]}))
    return out


MINUTE_HEAD = """## How long to explore

The share of the best known kernel that `lift explore` finds, by its seconds: {runs},
with an empty database and without kernels that ship. The best known kernel is the fastest that was
measured on that device, also in longer explorations. `bench/README.md` has the command.
"""


def minute_section(explored, kernels, rows):
    """A table of the problems that were explored for the longest time on their device, and below it
    a line for each device and length."""
    groups = explored_groups([r for r in explored if r["seconds"]], kernels, rows)
    if not groups:
        return []
    lengths = explored_lengths(groups)
    seconds = sorted({s for _, s, _ in lengths}, key=float)
    body, runs = [], set()
    for g in groups:
        longest = next(x["longest"] for device, _, x in lengths if device == g["device"])
        if longest not in g["lengths"]:
            continue
        found = sorted({r["steps"] for r in g["lengths"][longest]["rows"] if r["steps"]}, key=int)
        shares = []
        for s in seconds:
            x = g["lengths"].get(s)
            shares.append(f"{100 * x['share']:.0f} %" if x else "")
            runs |= {len(x["rows"])} if x else set()
        best = [number(float(g["best"])), str(g["best_steps"])]
        body.append([shown(g), g["device"], *best, *shares, ", ".join(found)])
    head = ["program", "device", "best known, GPts/s", "steps a launch"]
    head += [f"{s} s" for s in seconds] + ["steps found"]
    said = []
    for device, s, x in lengths:
        said.append(f"* {device}, {s} s: {x['good']} of {x['all']} explorations ended with a")
        mean = "" if x["mean"] is None else f"; {100 * x['mean']:.0f} % of {x['longest']} s"
        busy = f"; other processes disturbed {x['busy']}" if x["busy"] else ""
        said.append(f"  verified kernel and status 0{mean}{busy}.")
    dates = sorted({r["date"] for r in explored})
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    measured_at = f"Measured {when}, commit {explored[-1]['commit']}. Ratios are geometric means."
    seeds = " or ".join(str(n) for n in sorted(runs))
    counted = "one exploration each" if runs == {1} else f"medians of {seeds} seeds"
    top = MINUTE_HEAD.format(runs=counted).split("\n")
    return top + table(head, body) + [""] + said + ["", measured_at]


# ---- pictures


def colour(share):
    """From pale to deep blue, for 0 to 100 %."""
    at = max(0, min(1, share / 100))
    mix = lambda a, b: round(a + (b - a) * at)
    return f"#{mix(247, 23):02x}{mix(251, 82):02x}{mix(255, 148):02x}"


def heat_map(rows, kernels):
    """% of copy bandwidth by program and device."""
    columns = [
        ("H200, CUDA", H200, "single"),
        ("H200, CUDA, double", H200, "double"),
        ("H200, OpenCL", None, None),
        ("Xeon, 2 cores", XEON, "single"),
    ]
    names = sorted({k["program"] for k in kernels})
    most = lambda found: max((float(k["percent"]) for k in found if k["percent"]), default=None)
    width, cell = 150 + 130 * len(columns), 20
    picture = Picture(
        width, 60 + cell * len(names), "Share of copy bandwidth by program and device"
    )
    for i, (title, device, precision) in enumerate(columns):
        picture.text(215 + 130 * i, 40, title, 12, "middle")
        for j, name in enumerate(names):
            found = (
                find(kernels, program=name, device=device, precision=precision)
                if device
                else find(rows, program=name, runtime="opencl")
            )
            value = most(found)
            x, y = 150 + 130 * i, 50 + cell * j
            picture.rect(x, y, 130, cell, FAINT if value is None else colour(value), "#ffffff")
            if value is not None:
                picture.text(
                    x + 65, y + 14, f"{value:.0f} %", 12, "middle", "#ffffff" if value > 55 else INK
                )
    for j, name in enumerate(names):
        picture.text(142, 64 + cell * j, name, 12, "end")
    picture.text(10, 18, "% of copy bandwidth of the fastest kernel of each program", 13, bold=True)
    return str(picture)


BARS = [
    ("naive", "naive kernel", "#c6cbd1"),
    ("plain", "plain CUDA", GREY),
    ("peer", "PPCG, tuned", "#d9a441"),
    ("hand", "by hand", "#7fa7d1"),
    ("lift", "lift", "#17528f"),
]


def speed(rows, kernels):
    """Naive, plain CUDA, a published tool, by hand and lift, for the programs of the first page."""
    groups, dates = [], []
    for program, size in README_ROWS:
        lift = find(kernels, program=program, size=size, device=H200, precision="single")[0]
        bars = []
        for kind, _, paint in BARS:
            others = [r for r in find(rows, lift, device=H200, kind=kind) if r["steps"] == "1"]
            r = lift if kind == "lift" else newest(others)
            if r:
                label = number(r["gpts"])
                if kind == "lift":
                    label += f", {lift['percent']:.0f} % of copy bandwidth"
                if kind == "hand":
                    label += f" (lift {by_hand(rows, lift)[1].split(' (')[0]} times in one run)"
                bars.append((kind, paint, float(r["gpts"]), label))
        groups.append((shown(lift), bars))
        dates.append(lift["date"])
    longest = max(bar[2] for _, bars in groups for bar in bars)
    picture = Picture(
        760,
        62 + sum(16 * len(bars) + 14 for _, bars in groups),
        "Speed of six programs on one NVIDIA H200",
    )
    title = "One NVIDIA H200, single precision, one step a launch: GPts/s"
    picture.text(10, 20, f"{title} ({min(dates)} to {max(dates)})", 14, bold=True)
    for i, (_, what, paint) in enumerate(BARS):
        picture.rect(150 + 120 * i, 32, 12, 12, paint, paint)
        picture.text(168 + 120 * i, 43, what, 12)
    y = 62
    for name, bars in groups:
        picture.text(142, y + 8 * len(bars) + 4, name, 12, "end")
        for kind, paint, value, label in bars:
            end = 150 + round(480 * value / longest)
            inside = end > 500 and kind != "peer"
            picture.rect(150, y, end - 150, 14, paint, paint)
            picture.text(
                end - 6 if inside else end + 5,
                y + 11,
                label,
                11,
                "end" if inside else "start",
                "#ffffff" if inside and kind == "lift" else INK,
                kind == "lift",
            )
            y += 16
        y += 14
    return str(picture)


# ---- files


def seconds_to_find(rows, r):
    """The shortest length of explorations from nothing whose median reached 95 % of the speed of
    this kernel, or the longest one, with the share that the median reached."""
    lengths = {}
    for x in find(rows, r, device=r["device"], kind="nothing"):
        lengths.setdefault(float(x["seconds"]), []).append(float(x["gpts"]) / r["gpts"])
    for seconds in sorted(lengths):
        share_reached = statistics.median(lengths[seconds])
        if share_reached >= 0.95:
            break
    return f"{seconds:.0f} ({100 * share_reached:.0f} %)" if lengths else ""


def readme_table(rows, kernels):
    lines = []
    for program, size in README_ROWS:
        r = find(kernels, program=program, size=size, device=H200, precision="single")[0]
        versus = by_hand(rows, r)[1].split(" (")[0]
        lines.append(
            [
                shown(r),
                r["device"],
                number(r["gpts"]),
                share(r["percent"]),
                versus,
                seconds_to_find(rows, r),
            ]
        )
    head = "program,device,GPts/s,% of copy bandwidth,times as fast as by hand,seconds to find (share reached)"
    return table(head.split(","), lines)


def page(rows, kernels):
    with open(os.path.join(ROOT, "bench/results/page.txt"), encoding="utf-8") as f:
        text = f.read()
    h200 = find(kernels, device=H200)
    devices = [
        [
            r["device"],
            r["hardware"],
            r["software"],
            number(float(r["copy_gbs"]) if r["copy_gbs"] else ""),
            r["commit"],
        ]
        for r in read("bench/results/devices.csv")
    ]
    steps = [
        r
        for r in rows
        if r["device"] == H200 and r["kind"] == "lift" and r["steps"] != "1" and r["seconds"]
        if number_of(r) >= (one_step(rows, kernels, r) or 0)
    ]
    parts = {
        "devices": (["device", "hardware", "software", "copy, GB/s", "commit"], devices),
        "h200": (
            [
                "program",
                "GPts/s (interval)",
                "GB/s",
                "% of copy",
                "naive",
                "plain CUDA",
                "by hand",
                "times by hand",
                "PPCG",
                "OpenCL, %",
                "60 s from nothing",
                "found by, date",
            ],
            [h200_row(rows, r) for r in h200 + unshipped(rows, kernels)],
        ),
        "losses": (
            ["program", "device", "lift, GPts/s", "other", "ratio", "date", "why"],
            loss_rows(rows, kernels),
        ),
        "temporal": (
            ["program", "steps", "GPts/s", "one step", "times", "by hand", "AN5D", "kernel"],
            [temporal_row(rows, kernels, r) for r in steps],
        ),
        "scaling": (
            [
                "program",
                "one GPU",
                "GPUs",
                "strong: GPts/s",
                "efficiency, %",
                "by",
                "every",
                "weak: GPts/s",
                "efficiency, %",
                "by",
                "every",
                "date",
            ],
            scaling_rows(),
        ),
        "processors": (
            [
                "program",
                "Xeon: GPts/s (interval)",
                "GB/s",
                "% of copy",
                "times naive",
                "times by hand",
                "found by",
                "EPYC: GPts/s",
                "times naive",
                "times by hand",
                "seconds",
            ],
            processor_rows(rows, kernels),
        ),
        "devito": (
            [
                "program",
                "lift, GPts/s",
                "Devito, GPts/s",
                "ratio (range)",
                "ratios before",
                "seconds",
            ],
            devito_rows(rows),
        ),
    }
    text = text.replace("<!-- h100 -->\n", h100_line(rows))
    for name, (head, body) in parts.items():
        mark = f"<!-- table {name} -->\n"
        assert mark in text, name
        text = text.replace(mark, "\n".join(table(head, body)) + "\n")
    return text


def replace(text, marks, lines):
    """Lines between two marks; a text without the marks remains."""
    if not all(m in text for m in marks):
        return text
    head, rest = text.split(marks[0])
    return head + "\n".join([marks[0], *lines, marks[1]]) + rest.split(marks[1])[1]


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else ROOT
    kernels, rows = tuned(), measured()
    os.makedirs(os.path.join(folder, "docs/pictures"), exist_ok=True)
    files = {
        "docs/results.md": page(rows, kernels),
        "docs/pictures/speed.svg": speed(rows, kernels),
        "docs/pictures/copy-bandwidth.svg": heat_map(rows, kernels),
    }
    readme = os.path.join(folder, "README.md")
    if os.path.exists(readme):
        with open(readme, encoding="utf-8") as f:
            text = f.read()
        explored = read("bench/results/explored.csv")
        text = replace(text, MARKS, readme_table(rows, kernels))
        files["README.md"] = replace(text, MINUTE_MARKS, minute_section(explored, kernels, rows))
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
