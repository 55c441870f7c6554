#!/usr/bin/env python3
"""Explore each program without the rules of a file and with them, for the same time, and time both
best kernels turn by turn.

The ratio says how many times as fast as the best kernel without the rules the one with them is, in
one final benchmark; behind it the interval (95 %) of its medians. Explorations differ by chance:
--repeat says by how much. Rules of which the best kernel has none made no difference but for the
trials that they took. docs/add-a-rule.md has more."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

SIDES = ("without", "with")


class Failure(Exception):
    """The status of a command that has said why it failed, or a message."""

    def __init__(self, status, message=""):
        super().__init__(message)
        self.status = status


class Lift:
    """Runs lift; a line of stderr that is a warning is shown once."""

    def __init__(self, path):
        self.path, self.said = path, set()

    def run(self, *words, statuses=(0,)):
        """The output of a command that ends with one of these statuses."""
        try:
            process = subprocess.Popen([self.path, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       errors="replace")
        except OSError as error:
            raise Failure(1, f"cannot run '{self.path}': {error.strerror} (--lift)") from None
        try:
            out, err = process.communicate()
        except KeyboardInterrupt:
            process.communicate()  # Ctrl-C reaches it, too: it ends the trial at hand
            raise
        for line in err.splitlines():
            if line not in self.said:
                print(line, file=sys.stderr)
            self.said.add(line)
        if process.returncode not in statuses:
            raise Failure(process.returncode if process.returncode > 0 else 1)
        return out

    def rules(self, files):
        """The names of rules and options that there are with these files."""
        lines = self.run("rules", "list", *files).splitlines()
        return {line.split()[0] for line in lines if line.startswith("  ")}


class Measurement:
    """One program and seed."""

    def __init__(self, args, lift, program, seed):
        self.args, self.lift, self.program, self.seed = args, lift, program, seed
        self.name = os.path.splitext(os.path.basename(program))[0]
        self.trials, self.best = {}, {}
        self.failure, self.rules, self.same, self.apart = "", [], False, False
        self.ratio = self.low = self.high = 0

    def path(self, which):
        return os.path.join(self.args.output, f"{self.name}.{self.seed}.{which}.db")

    def explore(self, side, db, *more):
        """The first device of the summary; a status of 1 says that nothing was verified."""
        a = self.args
        words = ["explore", self.program, *a.both_rules[side], "--device", a.device, "--db", db, "--seed",
                 str(self.seed), "--no-seeds", "--no-naive", "--quiet", "--json", *a.passed, *(["--jobs", a.jobs] if a.jobs else []), *more]
        out = self.lift.run(*words, statuses=(0, 1))
        if not out:
            raise Failure(1)
        return json.loads(out)["devices"][0]

    def take_best(self, side):
        a, db = self.args, self.path(side)
        if not a.quiet:
            print(f"{self.name}, {side} the rules, seed {self.seed}", file=sys.stderr)
        budget = ("--trials", str(a.trials)) if a.trials else ("--seconds", str(a.seconds))
        device = self.explore(side, db, *budget)
        self.trials[side] = device["trials"]
        if device["top"]:
            self.best[side] = json.loads(self.lift.run("best", "--db", db, "--json"))[0]
            self.best[side].pop("interval", None)  # that of the final benchmark of both is meant

    def final(self):
        """Both best kernels in one final benchmark; what cannot be held leaves the times of two."""
        both = self.path("both")
        for side in SIDES:
            with tempfile.TemporaryDirectory() as folder:
                self.lift.run("db", "export", "--csv", folder + "/csv", "--best", "1", "--db", self.path(side))
                self.lift.run("db", "import", folder + "/csv", "--db", both)
        words = []
        for best in self.best.values():
            options = dict.fromkeys(m for step in best["derivation"] for m in step["macros"] if "=" in m)
            words += ["--expr", best["expr"], "--decide", ",".join(options)]
        top = []
        try:
            top = self.explore("with", both, "--only-final-benchmark", *words)["top"]
        except Failure as failure:
            if failure.status != 1:
                raise
            print(f"measure_rules.py: '{self.name}', not timed side by side", file=sys.stderr)
        for best in self.best.values():
            for row in top:
                if (row["expr"], row["tunables"], bool(row["interval"])) == (best["expr"], best["tunables"], True):
                    best.update(gpts=row["gpts"], seconds=row["seconds"], interval=row["interval"])

    def compare(self):
        for which in (*SIDES, "both"):
            if os.path.exists(self.path(which)):
                raise Failure(2, f"'{self.path(which)}' is there already: choose another folder")
        # What is wrong with the rules or the program is said before anything is explored.
        self.lift.run("derive", self.program, *self.args.both_rules["with"], *self.args.passed)
        for side in SIDES:
            self.take_best(side)
        for side in SIDES:
            if side not in self.best:
                self.failure = f"no verified kernel {side} the rules"
                return
        before, after = (self.best[side] for side in SIDES)
        named = [name for step in after["derivation"] for name in (*step["macros"], step["rule"])]
        self.rules = [name for name in dict.fromkeys(named) if name in self.args.new_rules]
        self.same = (before["expr"], before["tunables"]) == (after["expr"], after["tunables"])
        if self.same:
            self.ratio = self.low = self.high = 1
            return
        self.final()
        self.ratio = before["seconds"] / after["seconds"]
        self.apart = "interval" not in before or "interval" not in after
        if not self.apart:
            self.low = before["interval"][0] / after["interval"][1]
            self.high = before["interval"][1] / after["interval"][0]

    def speed(self, side):
        return self.best[side]["gpts"] if side in self.best else 0

    def print(self):
        interval = ("the same kernel" if self.same else "not side by side" if self.apart
                    else f"{self.low:.3f} to {self.high:.3f}")
        print(f"{self.name:<24} {self.seed:6d} {self.speed('without'):10.4g} {self.trials['without']:7d} "
              f"{self.speed('with'):10.4g} {self.trials['with']:7d} "
              + (f"{'-':>7} {self.failure}" if self.failure else
                 f"{self.ratio:7.3f} {interval:<17} {', '.join(self.rules) or 'none'}"), flush=True)

    def row(self):
        one = next(iter(self.best.values()), {"sizes": {}, "dtype": ""})
        return [self.name, json.dumps(one["sizes"], separators=(",", ":")), one["dtype"], self.seed,
                *(x for side in SIDES for x in (f"{self.speed(side):.6g}", self.trials[side])),
                f"{self.ratio:.6g}", f"{self.low:.6g}", f"{self.high:.6g}",
                *(self.best[side]["expr"] if side in self.best else "" for side in SIDES), " ".join(self.rules),
                self.failure]


def measure_all(args, lift, table):
    """The greatest status; what is wrong with one program does not keep the others from being measured."""
    status = 0
    print(f"{'program':<24} {'seed':>6} {'without':>10} {'trials':>7} {'with':>10} {'trials':>7} {'ratio':>7} {'':<17} "
          f"rules in the best\n{'':<24} {'':>6} {'GPts/s':>10} {'':>7} {'GPts/s':>10}", flush=True)
    for program in args.programs:
        for seed in range(args.seed, args.seed + args.repeat):
            m = Measurement(args, lift, program, seed)
            try:
                m.compare()
            except Failure as failure:
                say(failure)
                status = max(status, failure.status)
                break
            m.print()
            status = max(status, 1 if m.failure else 0)
            if table:
                table.writerow(m.row())
    return status


def say(failure):
    if str(failure):
        print(f"measure_rules.py: {failure}", file=sys.stderr)


def with_csv(args, lift):
    if not args.csv:
        return measure_all(args, lift, None)
    try:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow("program sizes dtype seed without_gpts without_trials with_gpts with_trials ratio low high "
                           "without_expr with_expr rules failure".split())
            return measure_all(args, lift, table)
    except OSError as error:
        raise Failure(1, f"cannot write '{args.csv}': {error.strerror}") from None


def number(convert, least):
    def take(text):
        try:
            if convert(text) >= least:
                return convert(text)
        except ValueError:
            pass
        raise argparse.ArgumentTypeError(f"'{text}': expected a number of at least {least}")

    return take


def main():
    parts = __doc__.split("\n\n")
    parser = argparse.ArgumentParser(description=parts[0], epilog=parts[1], allow_abbrev=False)
    add = parser.add_argument
    add("file", metavar="FILE", help="the rules")
    add("programs", metavar="PROGRAM.lift", nargs="+", help="programs that are explored")
    add("-d", "--device", metavar="NAME", default="host", help="host, opencl:0, cuda:0, ... (host)")
    add("-t", "--seconds", metavar="N", type=number(float, 0.1), default=60, help="of each exploration (60)")
    add("--trials", metavar="N", type=number(int, 1), help="of each exploration, instead")
    add("-n", "--repeat", metavar="N", type=number(int, 1), default=1, help="explore so often, with other seeds (1)")
    add("--seed", metavar="N", type=number(int, 1), default=1, help="the first one (1)")
    add("-r", "--rules", metavar="FILE", action="append", default=[], help="rules that both sides have")
    for words, metavar, what in ((("-j", "--jobs"), "N", "candidates that are compiled at once"),
                                 (("-s", "--size"), "NAME=N,...", "sizes instead of the programs' defaults"),
                                 (("--precision",), "WORD", "single or double"),
                                 (("--steps",), "N", "steps of the time loop that a launch computes")):
        add(*words, metavar=metavar, help=what)
    add("--force-rules", action="store_true", help="take rules that the check refutes")
    add("--csv", metavar="FILE", help="write the table as CSV, too")
    add("-o", "--output", metavar="FOLDER", help="keep the databases there: PROGRAM.SEED.without.db, .with.db and, of "
        "the final benchmark, .both.db")
    add("-q", "--quiet", action="store_true", help="do not say what is explored")
    add("--lift", metavar="PATH", default="lift", help="the lift command")
    args = parser.parse_args()
    lift = Lift(args.lift)
    common = [word for file in args.rules for word in ("--rules", file)]
    args.both_rules = {"without": common, "with": [*common, "--rules", args.file]}
    args.passed = ["--force-rules"] if args.force_rules else []
    for name in ("size", "precision", "steps"):
        if getattr(args, name):
            args.passed += [f"--{name}", getattr(args, name)]
    try:
        args.new_rules = lift.rules(args.both_rules["with"]) - lift.rules(common)
        if args.output:
            os.makedirs(args.output, exist_ok=True)
            sys.exit(with_csv(args, lift))
        with tempfile.TemporaryDirectory(prefix="lift-measure-") as args.output:
            sys.exit(with_csv(args, lift))
    except Failure as failure:
        say(failure)
        sys.exit(failure.status)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
