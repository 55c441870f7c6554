"""Times two commands alternately, for fused.py and beside_devito.py."""
import os
import re
import statistics
import subprocess
import sys

UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}


def call(*command, env=None):
    """Standard error, then standard output of a command; ends the process if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stderr + done.stdout


def kernel_seconds(text):
    """Of the line 'time' of 'lift run'."""
    found = re.search(r"kernels ((?:[\d.]+\s\w+\s?)+)", text)
    parts = found.group(1).split() if found else []
    return sum(float(a) * UNITS[b] for a, b in zip(parts[::2], parts[1::2]))


def pairs(title, points, rounds, base, other):
    """Runs both alternately and prints the speed of each and the ratio of each pair, then the median.
    'base' and 'other' are a name and a function that returns seconds; 'points' in billions."""
    ratios = []
    for _ in range(rounds):
        seconds = [run() for _, run in (base, other)]
        ratios.append(seconds[0] / seconds[1])
        print(f"  {base[0]} {points / seconds[0]:.4g}, {other[0]} {points / seconds[1]:.4g} GPts/s, "
              f"ratio {ratios[-1]:.3g}", flush=True)
    print(f"{title}: {other[0]} is {statistics.median(ratios):.3g} times as fast as {base[0]} "
          f"({min(ratios):.3g} to {max(ratios):.3g}, {rounds} pairs)")
