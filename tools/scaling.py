#!/usr/bin/env python3
"""Predict how a time loop scales over devices, without running it.

Weak: each device has the grid of --size; strong: all have it together. Facts about the program come
from 'lift check', the rate of a device from 'lift best'.

The equations: the grid has Z planes of Y rows of X points. P devices cut the planes into Pz parts
and the rows into Py (1: slabs): z = Z / Pz, y = Y / Py. The slowest part has sz = min(2, Pz - 1)
neighbours along the planes and sy = min(2, Py - 1) along the rows. After a launch r planes are
invalid, and parts exchange after m launches: h = m r planes, which are computed twice until then. R
is the rate in points a second, L the time of an empty launch.

    (1)  K = L + (z + sz h) (y + sy h) X / R                     a launch
    (2)  E = max over links (a + bytes one way / B) + G          an exchange
    (3)  T = K + E / m                                           a launch, without overlap
    (4)  T = ((m - 1) K + D + max(I, E)) / m                     a launch, with overlap
         D = (sz + sy) L + h (sz y + sy z) X / R                 the boundary planes
         I = L + (z y - h (sz y + sy z)) X / R                   the interior
    (5)  z >= (E - L) R / (X Y) + sz h                           planes that hide the exchange

(1) is the roofline's view of a kernel: a time for each point. (2) is Hockney's model of a message,
latency a and bandwidth B; links within a node and the network work at the same time. A part sends h
planes of all fields of the state to each neighbour; with m = 1 each field only as far as it is
read. G packs and unpacks rows at 3 TB/s; slabs need none. Efficiency is the speed of P devices over
P times that of one."""
import argparse
import json
import math
import re
import subprocess
import sys

USAGE, FAILED = 2, 1
MOST = 1 << 20
# Nominal figures of eight H100 or H200 on NVLink, each with a network card of 400 Gbit/s.
LAUNCH, COPY, LINK, NETWORK, NODE = 5e-6, 3e12, (300e9, 10e-6), (40e9, 20e-6), 8


def fail(status, message):
    print(f"scaling.py: {message}", file=sys.stderr)
    sys.exit(status)


# ---- the model: equations (1) to (5)


class Part:
    """The slowest part of a grid of Z x Y x X points on P devices, 'along' parts along the planes."""

    def __init__(self, machine, stencil, grid, case, along):
        planes, rows, self.points = grid
        across = case["devices"] // along
        weak = case.get("weak")
        self.machine, self.stencil, self.cuts = machine, stencil, (along, across)
        self.planes = planes if weak else planes / along
        self.rows = rows if weak else rows / across
        self.every = case["every"]
        self.halo = self.every * stencil["halo"]
        self.sides = min(2, along - 1), min(2, across - 1)
        self.far = case.get("far", case["devices"] > machine["node"])

    def messages(self):
        """Bytes of one message along the planes, and of one along the rows."""
        point = self.stencil["read"] if self.every == 1 else self.halo * self.stencil["state"]
        return point * self.points * self.rows, point * self.points * self.planes

    def exchange(self):
        (along, across), m = self.messages(), self.machine
        near, far = along * self.sides[0] + across * self.sides[1], 0
        if self.far:
            far = across * self.sides[1] + along * (self.sides[0] if m["node"] == 1 else min(self.sides[0], 1))
        times = [link[1] + n / link[0] if n > 0 else 0 for link, n in ((m["link"], near - far), (m["network"], far))]
        return max(times) + 4 * across * self.sides[1] / m["copy"]

    def computing(self, rows):
        return self.machine["launch"] + rows * self.points / self.machine["rate"]

    def predict(self, overlap):
        sides = sum(self.sides)
        edges = self.halo * (self.sides[0] * self.rows + self.sides[1] * self.planes)
        kernel = self.computing((self.planes + self.sides[0] * self.halo) * (self.rows + self.sides[1] * self.halo))
        interior = self.computing(max(self.planes * self.rows - edges, 0))
        exchange = self.exchange()
        seconds = kernel + exchange / self.every
        if overlap and sides:
            apart = sides * self.machine["launch"] + edges * self.points / self.machine["rate"]
            seconds = ((self.every - 1) * kernel + apart + max(interior, exchange)) / self.every
        least = max(self.halo, 1)
        return {
            "possible": (not self.sides[0] or self.planes >= least) and (not self.sides[1] or self.rows >= least),
            "parts": list(self.cuts),
            "planes": self.planes,
            "rows": self.rows,
            "bytes": sum(n * side for n, side in zip(self.messages(), self.sides)),
            "kernel": kernel,
            "exchange": exchange,
            "seconds": seconds,
            "hidden": exchange <= interior,
        }


def predict(machine, stencil, grid, case):
    """case: devices, every, and whether there is overlap, it is weak, rows may be cut (the fastest cut is taken)."""
    size = math.prod(grid)
    single = size / Part(machine, stencil, grid, {"devices": 1, "every": 1}, 1).predict(False)["seconds"]
    devices = case["devices"]
    cuts = [n for n in range(devices, 0, -1) if devices % n == 0] if case.get("cut_rows") else [devices]
    points = [Part(machine, stencil, grid, case, n).predict(case.get("overlap")) for n in cuts]
    best = min(points, key=lambda p: (not p["possible"], p["seconds"]))
    best["rate"] = size * (devices if case.get("weak") else 1) / best["seconds"]
    best["efficiency"] = best["rate"] / single / devices
    return best


def least_planes(machine, stencil, grid, every, far):
    """(5): planes of a slab with two neighbours that hide its exchange."""
    part = Part(machine, stencil, grid, {"devices": 3, "every": every, "far": far}, 3)
    seconds = part.exchange() - machine["launch"]
    return max(seconds * machine["rate"] / (grid[1] * grid[2]), 0) + 2 * part.halo


# ---- measured runs, as bench/scaling.sh prints them

UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60}
TITLE = re.compile(r"([^,]{1,127}), (\d+)x(\d+) points a plane, (\d+) planes a device \(weak\) or in all "
                   r"\(strong\), (\d+) steps")
ROW = re.compile(r"(one|weak|strong) +([1-9]\d*) +(-|[1-9]\d*) +(\S+) +(\S+) +([\d.e+-]+) +[\d.e+-]+ %(?: +(.*))?$")


def read_measured(path):
    def wrong(line, expected):
        fail(USAGE, f"cannot read '{path}': line {line}: expected {expected}, as bench/scaling.sh prints it")

    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().replace("\u00a0", " ").splitlines()
    except OSError as error:
        fail(FAILED, f"cannot read '{path}': {error.strerror}")
    runs, title = [], TITLE.match(lines[0]) if lines else None
    if lines and not (title and all(int(n) for n in title.groups()[1:])):
        wrong(1, '"PROGRAM, XxY points a plane, Z planes ..."')
    for number, line in enumerate(lines[2:], 3):
        if not line or line[0] == " " or " lift: " in line:
            continue  # events of the run above, or the reason why there is none
        row = ROW.match(line)
        try:
            scaling, devices, every, by, overlap, gpts, rest = row.groups()
            devices, every, gpts = int(devices), 1 if scaling == "one" else int(every), float(gpts)
        except (AttributeError, ValueError):
            wrong(number, "a row of 'one', 'weak' or 'strong'")
        if not gpts > 0:
            wrong(number, "a row of 'one', 'weak' or 'strong'")
        waited = re.match(r"([\d.]+) (\S+)", rest or "")
        waited = float(waited[1]) * UNITS[waited[2]] if waited and waited[2] in UNITS else 0
        runs.append({"scaling": scaling, "devices": devices, "every": every, "by": by, "overlap": overlap == "yes",
                     "weak": scaling == "weak", "gpts": gpts, "exchange": waited / int(title[5])})
    if not runs or runs[0]["scaling"] != "one":
        wrong(max(len(lines), 1), "a first row of one device")
    points, rows, planes = (float(n) for n in title.groups()[1:4])
    for run in runs:
        run["seconds"] = planes * rows * points * (run["devices"] if run["weak"] else 1) / run["gpts"] * 1e-9
    return title[1], (planes, rows, points), runs


def fit(machine, stencil, grid, runs):
    """Sets the rate to that of one device, and the link to the exchanges from device to device or by NCCL without
    overlap, by least squares; exchanges of one size leave the latency as it is. Returns how many there were."""
    seconds = runs[0]["seconds"]
    machine["rate"] = math.prod(grid) / (seconds - machine["launch"] if seconds > machine["launch"] else seconds)
    pairs = []
    for run in runs:
        if run["overlap"] or not run["exchange"] > 0 or run["devices"] > machine["node"]:
            continue
        size = predict(machine, stencil, grid, run)["bytes"]
        if (run["by"] == "peer" or "nccl" in run["by"]) and size > 0:
            pairs.append((size, run["exchange"] * run["every"]))
    if not pairs:
        return 0
    n, x, y = len(pairs), sum(p[0] for p in pairs), sum(p[1] for p in pairs)
    xx, xy = sum(p[0] ** 2 for p in pairs), sum(p[0] * p[1] for p in pairs)
    spread = xx - x * x / n
    slope = (xy - x * y / n) / spread if spread > 1e-9 * xx else 0
    latency = (y - slope * x) / n
    if slope > 0 and latency >= 0:
        machine["link"] = 1 / slope, latency
    elif y > n * machine["link"][1]:
        machine["link"] = x / (y - n * machine["link"][1]), machine["link"][1]
    else:
        machine["link"] = x / y, 0  # less than the latency
    return n


# ---- facts from lift


def ask(args, *command):
    words = [args.lift, *command, "--json", args.file]
    for option in ("steps", "precision"):
        if getattr(args, option):
            words += [f"--{option}", str(getattr(args, option))]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, check=False)
    except OSError as error:
        fail(FAILED, f"cannot run '{args.lift}': {error.strerror} (--lift)")
    if done.returncode:
        sys.exit(done.returncode if done.returncode > 0 else FAILED)  # lift has said why
    return json.loads(done.stdout)


def facts(args):
    """The program's name, what it exchanges, and its grid: the first two dimensions of the largest output, and all
    others as one."""
    p = ask(args, "check", *(["--size", args.size] if args.size else []))[0]
    if not p["time_loop"]:
        fail(FAILED, f"program '{p['program']}' has no time loop: nothing is exchanged")
    if "why" in p["exchange"]:
        fail(FAILED, f"program '{p['program']}' cannot be cut over devices: {p['exchange']['why']}")
    grid, largest = [1, 1, 1], max(p["outputs"], key=lambda o: math.prod(o["shape"]))
    for d, length in enumerate(largest["shape"]):
        grid[min(d, 2)] *= length
    stencil = {"halo": sum(p["exchange"]["wrong"]) / 2, "read": 0, "state": 0}
    for field in p["exchange"]["fields"]:
        stencil["read"] += sum(field["planes"]) / 2 * field["bytes"]
        stencil["state"] += field["bytes"]
    return p["program"], stencil, tuple(grid)


def best_rate(args, program):
    """Of the largest grid: a small one may fit a cache."""
    rows = ask(args, "best", "--db", args.db, *(["--device", args.device] if args.device else []))
    rows = [row for row in rows if row["chosen"] == "exact"]
    if not rows:
        fail(FAILED, f"'{args.db}' has no verified kernel of '{program}': explore it, or give the speed of one "
             "device (--rate)")
    row = max(rows, key=lambda r: r["gpts"] * r["seconds"])
    return row["gpts"] * 1e9, f"{json.dumps(row['sizes'], separators=(',', ':'))} on {row['device']}"


# ---- output


def digits(value):
    for least, places in ((99.95, 0), (9.995, 1), (0.0995, 2), (0.00995, 3)):
        if value >= least:
            return f"{value:.{places}f}" if value < 1e6 else f"{value:.2e}"
    return f"{value:.2e}" if 0 < value < 1e-3 else f"{value:.4f}" if value > 0 else "0"


def time_text(seconds):
    for factor, unit in ((1e9, "ns"), (1e6, "us"), (1e3, "ms"), (1, "s")):
        if seconds * factor < 999.5 or unit == "s":
            return f"{digits(seconds * factor)} {unit}" if seconds > 0 else "-"


def bytes_text(size):
    for unit in ("B", "kB", "MB", "GB", "TB", "PB"):
        if size < 999.5 or unit == "PB":
            return f"{digits(size)} {unit}" if size > 0 else "-"
        size /= 1000


class View:
    def __init__(self, args, program, stencil, grid):
        self.args, self.program, self.stencil, self.grid = args, program, stencil, grid
        self.machine = {"rate": 0, "launch": args.launch * 1e-6 if args.launch else LAUNCH, "copy": COPY,
                        "link": LINK, "network": NETWORK, "node": args.node}
        self.from_, self.fitted, self.measured_grid, self.runs = None, 0, None, []
        if args.measured:
            name, self.measured_grid, self.runs = read_measured(args.measured)
            if name != program:
                fail(USAGE, f"'{args.measured}' is of '{name}', not of '{program}'")
            self.fitted = fit(self.machine, stencil, self.measured_grid, self.runs)
            self.from_ = "measured"
        if args.rate:
            self.machine["rate"], self.from_ = args.rate * 1e9, "given"
        elif not self.from_:
            self.machine["rate"], self.from_ = best_rate(args, program)
        # A launch computes several steps, and GPts/s count each of them.
        self.steps = args.steps if args.steps and not self.runs else 1
        self.machine["rate"] /= self.steps
        self.machine["link"] = args.link or self.machine["link"]
        self.machine["network"] = args.network or self.machine["network"]

    def point(self, devices, weak, overlap):
        p = predict(self.machine, self.stencil, self.grid,
                    {"devices": devices, "every": self.args.exchange_every, "overlap": overlap, "weak": weak,
                     "cut_rows": self.args.cut == 2})
        p["gpts"] = p.pop("rate") * self.steps * 1e-9
        return p

    def of_run(self, run):
        return predict(self.machine, self.stencil, self.measured_grid, run)

    def limit(self, far):
        return least_planes(self.machine, self.stencil, self.grid, self.args.exchange_every, far)


def print_row(v, devices, weak):
    p, o = v.point(devices, weak, False), v.point(devices, weak, True)
    head = f"{devices:7d} {'%dx%d' % tuple(p['parts']):>7} "
    if not p["possible"]:
        print(f"{head} a part has {p['planes']:.4g} planes of {p['rows']:.4g} rows, fewer than are exchanged"
              + (": --cut 2" if v.args.cut == 1 else ""))
        return
    print(f"{head}{p['planes']:6.5g} {p['rows']:6.5g} {bytes_text(p['bytes']):>8} {time_text(p['kernel']):>8} "
          f"{time_text(p['exchange']):>8} {p['gpts']:8.4g} {100 * p['efficiency']:6.1f} % {o['gpts']:8.4g} "
          f"{100 * o['efficiency']:6.1f} %" + ("" if devices == 1 else "  hidden" if o["hidden"] else "  not hidden"))


def print_measured(v):
    print("\nmeasured at %.0f planes of %.0f rows of %.0f points" % v.measured_grid)
    print("%-8s %7s %2s  %-9s %-7s %10s %10s %10s %12s %10s %10s" % (
        "scaling", "devices", "m", "by", "overlap", "GPts/s", "model", "", "kernels", "exchange", "model"))
    for run in v.runs:
        p = v.of_run(run)
        kernels = run["gpts"] * run["seconds"] / run["devices"] / (
            run["seconds"] - (0 if run["overlap"] else run["exchange"]))
        overlap = "-" if run["devices"] == 1 else "yes" if run["overlap"] else "no"
        print(f"{run['scaling']:<8} {run['devices']:7d} {run['every']:2d}  {run['by']:<9} {overlap:<7} "
              f"{run['gpts']:10.4g} {p['rate'] * 1e-9:10.4g} {100 * (p['rate'] * 1e-9 / run['gpts'] - 1):+8.1f} % "
              f"{kernels:12.4g} {time_text(run['exchange'] * run['every']):>10} {time_text(p['exchange']):>10}")
    print("kernels: GPts/s of a device without its exchanges; where they are far from those of one\n"
          "device, the kernel is another one, and the model does not know it")


def print_text(v):
    m, a = v.machine, v.args
    print(f"program       {v.program}, {v.stencil['halo']:.3g} planes wrong after a launch, exchanged after "
          f"{a.exchange_every}")
    print(f"one device    {m['rate'] * 1e-9 * v.steps:.4g} GPts/s ({v.from_}), {m['launch'] * 1e6:.3g} us a launch")
    print(f"link          {m['link'][0] * 1e-9:.4g} GB/s, {m['link'][1] * 1e6:.3g} us (%s)" % (
        "given" if a.link else "of the measured exchanges" if v.fitted else "assumed"))
    print(f"network       {m['network'][0] * 1e-9:.4g} GB/s, {m['network'][1] * 1e6:.3g} us "
          f"({'given' if a.network else 'assumed'}), {m['node']} devices a node")
    for name, where in (("weak", " on each device"), ("strong", " in all")):
        print("\n%s: %.0f planes of %.0f rows of %.0f points%s" % (name, *v.grid, where))
        print("%7s %7s %6s %6s %8s %8s %8s %8s %8s %8s %8s" % (
            "devices", "parts", "planes", "rows", "sends", "kernel", "exchange", "GPts/s", "of ideal", "overlap",
            "of ideal"))
        for devices in a.devices:
            print_row(v, devices, name == "weak")
    print("\noverlap hides the exchange in slabs of at least")
    for far, where in ((False, "within a node"), (True, "between nodes")):
        planes = v.limit(far)
        print(f"  {planes:.4g} planes {where}" + (
            f": {v.grid[0] // planes:.0f} devices share {v.grid[0]:.0f} planes" if planes >= 1 else ""))
    if v.runs:
        print_measured(v)


def as_json(v):
    m = v.machine
    points = [{"scaling": "weak" if weak else "strong", "devices": n, "overlap": overlap, **v.point(n, weak, overlap)}
              for n in v.args.devices for weak in (True, False) for overlap in (False, True)]
    measured = []
    for run in v.runs:
        p = v.of_run(run)
        measured.append({"scaling": run["scaling"], "devices": run["devices"], "exchange_every": run["every"],
                         "by": run["by"], "overlap": run["overlap"], "gpts": run["gpts"],
                         "model_gpts": p["rate"] * 1e-9, "exchange": run["exchange"] * run["every"],
                         "model_exchange": p["exchange"]})
    links = {name: dict(zip(("bandwidth", "latency"), m[name])) for name in ("link", "network")}
    return {"program": v.program, "rate": m["rate"], "launch": m["launch"], **links, "node": m["node"],
            "halo": v.stencil["halo"], "exchange_every": v.args.exchange_every,
            "least_planes": [v.limit(False), v.limit(True)], "points": points, "measured": measured}


# ---- the command line


def integer(most):
    def take(text):
        if not text.isdecimal() or not 1 <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}': expected a whole number from 1 to {most}")
        return int(text)

    return take


def positive(text):
    try:
        if 0 < float(text) < math.inf:
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"'{text}': expected a number above 0")


def link(text):
    try:
        bandwidth, latency = (float(word) for word in text.split(","))
        if 0 < bandwidth <= 1e9 and 0 <= latency <= 1e9:
            return bandwidth * 1e9, latency * 1e-6
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"'{text}': expected GB/s and microseconds, like 300,10")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n")[1],
                                     allow_abbrev=False)
    add = parser.add_argument
    add("file", metavar="FILE", help="a program")
    add("-s", "--size", metavar="NAME=N,...", help="sizes instead of the program's defaults")
    add("--precision", metavar="WORD", help="as in 'lift check'")
    add("--steps", metavar="N", type=integer(1000), help="steps of a launch")
    add("--devices", metavar="N,...", default=[1, 2, 4, 8], help="numbers of devices (1,2,4,8)",
        type=lambda text: [integer(MOST)(word) for word in text.split(",")])
    add("--exchange-every", metavar="M", type=integer(1000), default=1, help="parts exchange after M launches (1)")
    add("--cut", type=int, choices=(1, 2), default=1,
        help="dimensions that are cut: planes alone (1), or planes and rows as is fastest")
    add("--rate", metavar="GPTS", type=positive,
        help="GPts/s of one device, instead of those of the best kernel in the database")
    add("-D", "--db", metavar="FILE", default="lift.db", help="the database with that kernel (lift.db)")
    add("-d", "--device", metavar="WORDS", help="the device of that kernel: a part of its name")
    add("--launch", metavar="US", type=positive, help="microseconds that a launch takes besides (5)")
    add("--link", metavar="GBS,US", type=link,
        help="between devices of a node: GB/s in one direction, and microseconds (300,10)")
    add("--network", metavar="GBS,US", type=link, help="between nodes, for a device (40,20)")
    add("--node", metavar="N", type=integer(MOST), default=NODE, help="devices of a node (8)")
    add("--measured", metavar="FILE", help="output of bench/scaling.sh: the rate and the link are those measured, "
        "unless they are given, and the model is compared with each run")
    add("--json", action="store_true", help="print JSON")
    add("--lift", metavar="PATH", default="lift", help="the lift command")
    args = parser.parse_args()
    view = View(args, *facts(args))
    if args.json:
        json.dump(as_json(view), sys.stdout, indent=2)
        print()
    else:
        print_text(view)


if __name__ == "__main__":
    main()
