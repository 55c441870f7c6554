#!/usr/bin/env python3
"""Explores programs by the default command, and shows how fast the best kernels are.

    python3 bench/explore.py [OPTIONS] FILE.lift[:SIZES[:PRECISION]] | @LIST ...

Each exploration has an empty database, an empty cache of compiled kernels, its own seed, and begins
without kernels that ship (--no-seeds). FILE.csv of --csv gets one row for each exploration. Rerun
the command to resume: explorations with a row of the same commit are skipped. At the end the medians
of all rows of these programs are printed, with their share of the best known kernel (the fastest of
programs/tuned, bench/results and FILE.csv), and for each length of explorations the geometric mean
of the ratio to the longest one. With several devices of one kind each explores other programs.

Exit status 1: an exploration failed, or found no verified kernel. Its row has its status.
"""
import argparse
import csv
import datetime
import json
import math
import os
import queue
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import results

COLUMNS = (
    "program,size,precision,steps,device,runtime,seconds,seed,status,gpts,percent,trials,verified,"
    "runner_percent,compilers_percent,first_s,within_5_s,session_s,busy,date,commit,kernel,command"
).split(",")
# An exploration that has not ended so long after its time is killed, status 124.
PATIENCE = 180
# From the start of the session to the end of a trial. Times of kernels are divided by time steps.
TRIALS = """SELECT min((julianday(t.ended) - julianday(s.started)) * 86400)
    FROM trial t JOIN session s ON s.id = t.session JOIN problem p ON p.id = t.problem
    WHERE t.id IN (SELECT trial FROM verified) AND t.phase <> 'final_benchmark'"""
WITHIN = """ AND t.median_ns / p.steps <= 1.05 * (SELECT min(u.median_ns / q.steps)
    FROM trial u JOIN problem q ON q.id = u.problem
    WHERE u.id IN (SELECT trial FROM verified) AND u.phase <> 'final_benchmark')"""


def fail(message):
    print(f"explore.py: {message}", file=sys.stderr)
    sys.exit(2)


# ---- the programs


def read_item(text):
    file, _, rest = text.partition(":")
    sizes, _, precision = rest.partition(":")
    if not os.path.exists(file):
        fail(f"{file}: no such file")
    return {"file": file, "sizes": sizes, "precision": precision, "seconds": None}


def read_items(words):
    items = []
    for word in words:
        if not word.startswith("@"):
            items.append(read_item(word))
            continue
        try:
            lines = open(word[1:], encoding="utf-8").read().splitlines()
        except OSError as e:
            fail(e)
        for number, line in enumerate(lines, 1):
            fields = line.partition("#")[0].split()
            if not fields:
                continue
            try:
                seconds = float(fields[1]) if len(fields) > 1 else None
            except ValueError:
                seconds = -1
            if len(fields) > 2 or (seconds is not None and seconds <= 0):
                fail(f"{word[1:]}:{number}: expected FILE.lift[:SIZES[:PRECISION]] [SECONDS]")
            items.append(read_item(fields[0]) | {"seconds": seconds})
    return items


def tasks_of(o, items):
    """One seed after the other, so that an interrupted measurement has all programs."""
    tasks = []
    for seed in range(o.seed, o.seed + o.runs):
        for item in items:
            for seconds in o.seconds or [item["seconds"] or 60]:
                tasks.append(item | {"seconds": seconds, "seed": seed})
    return tasks


# ---- one exploration


def command_of(o, task):
    words = ["lift", "explore", task["file"]]
    for option in ("sizes", "precision"):
        if task[option]:
            words += ["--" + option.removesuffix("s"), task[option]]
    words += ["--trials", str(o.trials)] if o.trials else ["--seconds", f"{task['seconds']:g}"]
    return words + ["--seed", str(task["seed"])] + (["--no-seeds"] if not o.db else [])


def database_figures(path):
    """Seconds to the first verified kernel and to one within 5 % of the best."""
    found = {"first_s": "", "within_5_s": ""}
    if not os.path.exists(path):
        return found
    newest = " AND s.id = (SELECT id FROM session ORDER BY started DESC, id DESC LIMIT 1)"
    with sqlite3.connect(path) as db:
        for name, query in (("first_s", TRIALS + newest), ("within_5_s", TRIALS + newest + WITHIN)):
            seconds = db.execute(query).fetchone()[0]
            found[name] = "" if seconds is None else f"{seconds:.1f}"
    return found


def json_figures(text):
    try:
        summary = json.loads(text)
    except ValueError:
        return {}
    device = (summary.get("devices") or [{}])[0]
    busy, best = device.get("busy") or {}, (device.get("top") or [{}])[0]
    percent = lambda share: "" if share is None else f"{100 * share:.1f}"
    return {
        "size": "x".join(str(n) for _, n in sorted(json.loads(summary["sizes"]).items())),
        "precision": results.COUNTED.get(summary["dtype"], summary["dtype"]),
        "steps": device.get("steps", summary["steps"]) if best else "",
        "gpts": f"{best['gpts']:.5g}" if best else "",
        "percent": percent(best.get("copy_share")),
        "trials": device.get("trials", ""),
        "verified": device.get("verified", ""),
        "runner_percent": percent(busy.get("runner")),
        "compilers_percent": percent(busy.get("compilers")),
        "session_s": f"{summary['seconds']:.1f}",
        "busy": "yes" if (device.get("interference") or {}).get("busy") else "no",
        "kernel": best.get("how", ""),
    }


def explore(o, task, device, folder):
    """The row of an exploration."""
    words = command_of(o, task)
    name = os.path.basename(task["file"]).partition(".")[0]
    db = o.db or os.path.join(folder, "lift.db")
    run = [o.lift, *words[1:], "--device", device, "--db", db, "--json", "--quiet"]
    run += ["--jobs", str(o.jobs)] if o.jobs else []
    cache = {} if o.db else {"LIFT_CACHE": os.path.join(folder, "cache")}
    try:
        done = subprocess.run(run, capture_output=True, text=True, env=os.environ | cache,
                              timeout=None if o.trials else task["seconds"] + PATIENCE)
        status, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        status, out, err = 124, "", f"killed {PATIENCE} s after its time\n"
    row = dict.fromkeys(COLUMNS, "") | {
        "program": name,
        "size": "x".join(s.partition("=")[2] for s in sorted(task["sizes"].split(",")) if s),
        "precision": task["precision"] or "single",
        "device": o.name,
        "runtime": o.runtime,
        "seconds": "" if o.trials else f"{task['seconds']:g}",
        "seed": task["seed"],
        "status": status,
        "date": datetime.date.today().isoformat(),
        "commit": o.commit,
        "command": " ".join(words),
    }
    found = json_figures(out)
    if row["size"]:
        found.pop("size", None)
    row |= database_figures(db) | found
    if o.keep:
        base = os.path.join(o.keep, f"{name}-{row['precision']}-{row['seconds']}-{task['seed']}")
        with open(base + ".json", "w", encoding="utf-8") as f:
            f.write(out)
        with open(base + ".err", "w", encoding="utf-8") as f:
            f.write(err)
        if status and not o.db and os.path.exists(db):
            shutil.copyfile(db, base + ".db")
    if status:
        print(f"{' '.join(words)}: status {status}\n{err.rstrip()}", file=sys.stderr, flush=True)
    return {k: str(v) for k, v in row.items()}


# ---- all explorations


def read_rows(path):
    if not path or not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def append_row(path, row):
    new = not os.path.exists(path) or os.path.getsize(path) == 0
    with open(path, "a", newline="", encoding="utf-8") as f:
        writer = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def explore_all(o, tasks, rows):
    """Appends to 'rows'. The devices take the tasks in their order."""
    began, lock, waiting = time.monotonic(), threading.Lock(), queue.SimpleQueue()

    def work(device):
        while True:
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                return
            left = o.within - (time.monotonic() - began)
            if not o.trials and task["seconds"] + 10 > left:
                with lock:
                    print(f"not started, {left:.0f} s are left: {' '.join(command_of(o, task))}",
                          flush=True)
                continue
            with tempfile.TemporaryDirectory() as folder:
                row = explore(o, task, device, folder)
            with lock:
                rows.append(row)
                if o.csv:
                    append_row(o.csv, row)
                print_row(row)

    for task in tasks:
        waiting.put(task)
    workers = [threading.Thread(target=work, args=(d,)) for d in o.device.split(",")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


# ---- printing


def print_head():
    print(f"{'program':24} {'seconds':>7} {'seed':>4} {'status':>6} {'GPts/s':>8} {'steps':>5} "
          f"{'%copy':>6} {'trials':>6} {'runner%':>7} {'comp.%':>6} {'first s':>7} {'5 % s':>6}")


def print_row(r):
    print(f"{results.shown(r):24} {r['seconds']:>7} {r['seed']:>4} {r['status']:>6} {r['gpts']:>8} "
          f"{r['steps']:>5} {r['percent']:>6} {r['trials']:>6} {r['runner_percent']:>7} "
          f"{r['compilers_percent']:>6} {r['first_s']:>7} {r['within_5_s']:>6}", flush=True)


def length(seconds):
    return f"{seconds} s" if seconds else "--trials"


def print_medians(rows):
    print("\nMedians, and share of the best known kernel:")
    groups = results.explored_groups(rows, results.tuned(), results.measured())
    for g in groups:
        parts = [f"{length(seconds)}: {x['gpts']:8.4g} ({100 * x['share']:3.0f} %) of "
                 f"{len(x['rows'])}" for seconds, x in g["lengths"].items()]
        print(f"{results.shown(g):24} best {g['best']:8.4g} GPts/s, {g['best_steps']} steps; "
              + "; ".join(parts))
    for device, seconds, x in results.explored_lengths(groups):
        ratio = "" if x["mean"] is None else f", {100 * x['mean']:.0f} % of {x['longest']} s"
        print(f"{device}, {length(seconds)}: a verified kernel and status 0 in {x['good']} of "
              f"{x['all']} explorations, {x['busy']} of them on a busy machine{ratio}")


# ---- the command


def numbers(text):
    values = [float(word) for word in text.split(",")]
    if any(not (x > 0 and math.isfinite(x)) for x in values):
        raise ValueError
    return values


def name_of(lift, device):
    try:
        done = subprocess.run([lift, "devices", "--json"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as e:
        fail(e)
    for d in json.loads(done.stdout):
        if d["device"] == device and d["available"]:
            return d["name"]
    fail(f"{lift} has no device '{device}'")


def options():
    p = argparse.ArgumentParser(description=__doc__, usage="%(prog)s [OPTIONS] FILE.lift ...",
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--lift", default="build/src/cli/lift", help="the command (%(default)s)")
    p.add_argument("--device", default="host", help="or several of one kind: cuda:0,cuda:1")
    p.add_argument("--seconds", type=numbers,
                   help="lengths of explorations: 10,60,600 (those of the list, otherwise 60)")
    p.add_argument("--trials", type=int, help="explore for so many trials instead")
    p.add_argument("--runs", type=int, default=1, help="explorations of each program and length")
    p.add_argument("--seed", type=int, default=1, help="seed of the first of them")
    p.add_argument("--jobs", type=int, help="compilers (the cores, divided by the devices)")
    p.add_argument("--csv", metavar="FILE", help="append a row for each exploration")
    p.add_argument("--keep", metavar="FOLDER", help="keep summaries (JSON), messages, and databases of failures")
    p.add_argument("--db", metavar="FILE", help="explore into this database, with its seeds")
    p.add_argument("--within", type=float, default=math.inf, metavar="SECONDS",
                   help="start no exploration that would not end within SECONDS")
    p.add_argument("--commit", help="commit of LIFT (that of the source)")
    p.add_argument("programs", nargs="+", metavar="FILE.lift[:SIZES[:PRECISION]]")
    o = p.parse_args()
    devices = o.device.split(",")
    o.runtime = devices[0].partition(":")[0]
    o.name = name_of(o.lift, devices[0])
    if len({d.partition(":")[0] for d in devices}) > 1:
        p.error("--device: devices of one kind, as cuda:0,cuda:1")
    if len(devices) > 1 and o.db:
        p.error("one database holds the explorations of one device")
    if not o.jobs and len(devices) > 1:
        o.jobs = max(1, min(16, os.cpu_count() // len(devices)))
    if o.commit is None:
        git = subprocess.run(["git", "-C", results.ROOT, "rev-parse", "--short=8", "HEAD"],
                             capture_output=True, text=True, check=False)
        o.commit = git.stdout.strip()
    return o


def main():
    o = options()
    if o.keep:
        os.makedirs(o.keep, exist_ok=True)
    rows = read_rows(o.csv)
    known = {(r["runtime"], r["command"]) for r in rows if r["commit"] == o.commit}
    tasks = tasks_of(o, read_items(o.programs))
    commands = {" ".join(command_of(o, t)) for t in tasks}
    left = [t for t in tasks if (o.runtime, " ".join(command_of(o, t))) not in known]
    print_head()
    explore_all(o, left, rows)
    mine = [r for r in rows if r["command"] in commands and r["runtime"] == o.runtime]
    print_medians(mine)
    bad = [r for r in mine if r["commit"] == o.commit and (r["status"] != "0" or not r["gpts"])]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
