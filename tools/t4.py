#!/usr/bin/env python3
"""Write the trials of one problem on one device as auto-tuning results in the T4 format 1.0.0.

The format is that of the T4 schema, which Kernel Tuner and others read; docs/results-and-database.md says what
stands where. The database is read, not changed."""
import argparse
import json
import math
import os
import sqlite3
import sys
import tempfile
import urllib.parse

INVALIDITY = {
    "ok": "correct", "slow": "correct", "slab": "correct",
    "constraint": "constraints", "resource": "constraints",
    "codegen": "compile", "compile_error": "compile",
    "compile_timeout": "timeout", "run_timeout": "timeout",
    "launch_error": "runtime", "run_error": "runtime", "crash": "runtime", "device_lost": "runtime", "lost": "runtime",
    "wrong": "correctness", "nonfinite": "correctness", "overflow": "correctness", "nondeterministic": "correctness",
}  # a trial that is 'started' has not ended, and is left out
PRECISIONS = {"single": "f32", "double": "f64"}


def fail(status, message):
    print(f"t4.py: {message}", file=sys.stderr)
    sys.exit(status)


def open_db(path):
    if not os.path.exists(path):
        fail(1, f"cannot read '{path}': no such file")
    db = sqlite3.connect(f"file:{urllib.parse.quote(os.path.abspath(path))}?mode=ro", uri=True, timeout=10)
    db.row_factory = sqlite3.Row
    # What compilers and drivers say need not be UTF-8.
    db.text_factory = lambda text: text.decode("utf-8", "replace")
    db.execute("PRAGMA trusted_schema = OFF")
    return db


def objects(text):
    """An object of JSON in the database; {} if it is none."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {}


def choose(db, args):
    """The problem and the device that the options name."""
    rows = db.execute(
        "SELECT p.name program, p.id program_id, b.id problem, b.sizes, b.dtype, b.steps, b.points, d.id device,"
        " d.name, d.runtime, d.runtime || ' ' || d.vendor || ' ' || d.name words"
        " FROM (SELECT DISTINCT problem, device FROM trial) t JOIN problem b ON b.id = t.problem"
        " JOIN program p ON p.id = b.program JOIN device d ON d.id = t.device"
        " ORDER BY p.name, b.sizes, b.dtype, b.steps, d.runtime, d.name").fetchall()
    named = [row for row in rows if args.program in (None, row["program"])]
    if not named and len(args.program or "") >= 4:
        named = [row for row in rows if row["program_id"].startswith(args.program)]
    fits = [row for row in named
            if (args.device or "").lower() in row["words"].lower()
            and args.size.items() <= objects(row["sizes"]).items()
            and (not args.precision or PRECISIONS[args.precision] == row["dtype"])
            and (not args.steps or args.steps == row["steps"])]
    if args.program and not named:
        fail(1, f"no trials of '{args.program}' in '{args.db}'; there are some of: "
             + ", ".join(sorted({row["program"] for row in rows})))
    if len(fits) != 1:
        lines = "".join(f"\n  {r['program']} {r['sizes']} of {r['dtype']} on {r['name']} ({r['runtime']})"
                        + (f", {r['steps']} steps a launch" if r["steps"] > 1 else "") for r in fits or named)
        fail(2 if fits else 1, (f"{len(fits)} problems fit: choose one by PROGRAM, --device, --size, --precision and "
                                "--steps:" if fits else f"no such trials in '{args.db}'; there are:") + lines)
    return fits[0]


def metadata(db, chosen):
    def select(sql, *values):
        return [{name: row[name] for name in row.keys() if row[name] is not None} for row in db.execute(sql, values)]

    problem, device = chosen["problem"], chosen["device"]
    environments = select("SELECT * FROM env WHERE id IN (SELECT env FROM trial WHERE problem = ? AND device = ?)"
                          " ORDER BY id", problem, device)
    return {
        "hardware": {"hardware_description": select("SELECT * FROM device WHERE id = ?", device),
                     "operating_system": environments[0].get("os", "") if environments else ""},
        "environment": {"device_query": {"environments": environments}, "requirements": []},
        "problem": select("SELECT p.name AS program, b.id, b.sizes, b.params, b.dtype, b.points, b.bytes"
                          " FROM problem b JOIN program p ON p.id = b.program WHERE b.id = ?", problem),
    }


def result(row, points, samples):
    """Of one trial; times in milliseconds."""
    verdict, ns = INVALIDITY[row["status"]], row["median_ns"] or 0
    times = {name: row[column] * 1e3 for name, column in (("compilation_time", "compile_s"), ("validation", "check_s"))
             if row[column] is not None}
    measurements = [{"name": "time", "value": ns * 1e-6, "unit": "ms"},
                    {"name": "throughput", "value": points / ns, "unit": "GPts/s"}] if ns > 0 else []
    return {
        "timestamp": row["started"], "configuration": {**objects(row["tunables"]), "expression": row["expr"]},
        "objectives": ["time"], "times": {**times, "runtimes": [s["ns"] * 1e-6 for s in samples]},
        "invalidity": verdict, "correctness": int(verdict == "correct"), "measurements": measurements,
        "status": row["status"], "reason": row["reason"],  # the format is open: our own words are kept
    }


def rounded(value):
    """Twelve digits; what JSON has no number for is null."""
    if isinstance(value, float):
        return float(f"{value:.12g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: rounded(member) for name, member in value.items()}
    return [rounded(member) for member in value] if isinstance(value, list) else value


def write(db, chosen, out):
    def line(value):
        return json.dumps(rounded(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    out.write(f'{{"metadata":{line(metadata(db, chosen))},\n"results":[')
    between = "\n"
    for row in db.execute(
            "SELECT t.id, c.expr, c.tunables, t.status, t.reason, t.median_ns, t.compile_s, t.check_s, t.started"
            " FROM trial t JOIN candidate c ON c.id = t.candidate WHERE t.problem = ? AND t.device = ?"
            " ORDER BY t.started, t.id", (chosen["problem"], chosen["device"])):
        if row["status"] in INVALIDITY:
            samples = db.execute("SELECT ns FROM timing WHERE trial = ? ORDER BY idx", (row["id"],))
            out.write(between + line(result(row, chosen["points"], samples)))
            between = ",\n"
    out.write('],\n"schema_version":"1.0.0"}\n')


def export(db, chosen, path):
    """A file is there when it is whole; until then the old one stays."""
    if path == "-":
        write(db, chosen, sys.stdout)
        sys.stdout.flush()
        return
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(path) or ".", prefix="part-",
                                     delete=False) as out:
        try:
            write(db, chosen, out)
            out.close()
            os.chmod(out.name, 0o666 & ~UMASK)
            os.replace(out.name, path)
        except BaseException:
            os.unlink(out.name)
            raise


def sizes(text):
    try:
        return {name: int(value) for name, value in (word.split("=") for word in text.split(","))}
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}': expected NAME=N,...") from None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n")[1],
                                     allow_abbrev=False)
    add = parser.add_argument
    add("program", metavar="PROGRAM", nargs="?", help="the program: its name, or the beginning of its id")
    add("-D", "--db", metavar="FILE", default="lift.db", help="the database (lift.db)")
    add("-o", "--output", metavar="FILE", default="-", help="write here instead of to the standard output")
    add("-d", "--device", metavar="WORDS", help="a part of the name of the device")
    add("-s", "--size", metavar="NAME=N,...", type=sizes, default={}, help="sizes of the problem")
    add("--precision", choices=sorted(PRECISIONS), help="the precision of the problem")
    add("--steps", metavar="N", type=int, help="steps of a launch")
    args = parser.parse_args()
    try:
        db = open_db(args.db)
        export(db, choose(db, args), args.output)
    except sqlite3.Error as error:
        fail(1, f"cannot read '{args.db}': {error} (see 'lift db doctor --db {args.db}')")
    except OSError as error:
        fail(1, f"cannot write '{args.output}': {error.strerror}")


UMASK = os.umask(0)
os.umask(UMASK)

if __name__ == "__main__":
    main()
