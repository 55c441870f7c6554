#!/usr/bin/env python3
"""Time steps of a launch beside single ones, by 'lift run', in pairs.

    python3 bench/fused.py [OPTIONS] LIFT FILE.lift

LIFT is the command. Single steps are explored first, then each number of steps of --steps into a
copy of the same database. Each pair is a run with the one and a run with the other, processes of
their own, turn by turn; the kernels' times count. A line for each pair has GPts/s of both, every
step of every point counted, and the ratio; the last one the median of the ratios and their range.
Where no fused kernel is faster than a single sweep by its exploration, both runs take the latter.
Before, the fields of both after the same steps are compared, if NumPy is there.

Options: --size SIZES (the program's), --device DEVICE (host), --steps LIST (2..4), as 'lift
explore' takes it, --run N (24 steps a run), --rounds PAIRS (7), --seconds SECONDS of either
exploration (60; 0: what the databases have), --db FILE (fused.db; single steps: FILE.single),
--in NAME=VALUE of an input (what is not said is a wave, or 0.1).

Exit status 1: a command failed, or the results differ by more than 1e-4 of the largest.
"""
import argparse
import json
import os
import sqlite3
import sys
import tempfile

from pairs import call, kernel_seconds, pairs


def explore(o, db, *more):
    if o.seconds > 0:
        call(o.lift, "explore", o.file, "--device", o.device, "--seconds", str(o.seconds), "--db",
             db, *o.sizes, *more)


def copy(source, target):
    with sqlite3.connect(source) as a, sqlite3.connect(target) as b:
        a.backup(b)


def inputs(o, program):
    """The first grid is a wave, the others are the same everywhere."""
    given, wave = dict(value.split("=", 1) for value in o.given), False
    for each in program["inputs"]:
        dims, name = each["type"].count("["), each["name"]
        if name in given or not dims:
            continue
        names = [f"i{d}" for d in range(dims)]
        given[name] = "0.1" if wave else \
            f"({', '.join(names)}) => sin(0.1 * ({' + '.join(names)}))"
        wave = True
    return [f"--in={name}={value}" for name, value in given.items()]


def run(o, db, values, *more):
    """Seconds of the kernels."""
    return kernel_seconds(call(o.lift, "run", o.file, "--device", o.device, "--steps", str(o.run),
                               "--db", db, *o.sizes, *values, *more))


def compare(o, program, values):
    """The largest difference, as a part of the largest value; None without NumPy."""
    try:
        import numpy as np
    except ImportError:
        return None
    loop = program["outputs"][0]["name"]
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{k}.npy" for k in range(2)]
        for db, file in zip((o.db + ".single", o.db), files):
            run(o, db, values, "--out", f"{loop}={file}")
        one, several = (np.load(file, mmap_mode="r") for file in files)
        return max(float(np.abs(a - b).max()) for a, b in zip(one, several)) / \
            max(float(np.abs(a).max()) for a in one)


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size")
    parser.add_argument("--device", default="host")
    parser.add_argument("--steps", default="2..4")
    parser.add_argument("--run", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--db", default="fused.db")
    parser.add_argument("--in", dest="given", action="append", default=[])
    parser.add_argument("lift")
    parser.add_argument("file")
    o = parser.parse_args()
    o.sizes = ["--size", o.size] if o.size else []
    return o


def main():
    o = options()
    program = json.loads(call(o.lift, "check", "--json", *o.sizes, o.file))[0]
    values = inputs(o, program)
    explore(o, o.db + ".single")
    if o.seconds > 0 or not os.path.exists(o.db):
        copy(o.db + ".single", o.db)
    explore(o, o.db, "--steps", o.steps)
    apart = compare(o, program, values)
    points = program["points"] * o.run / 1e9
    name = f"{program['program']} {o.size or ''}".strip()
    print(f"{name}, {o.run} steps: results "
          f"{'are not compared: no NumPy' if apart is None else f'differ by {apart:.2g}'}")
    pairs(name, points, o.rounds, ("single", lambda: run(o, o.db + ".single", values)),
          ("fused", lambda: run(o, o.db, values)))
    return 0 if apart is None or apart < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
