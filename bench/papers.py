#!/usr/bin/env python3
"""Compares the papers' kernels with the kernels that lift emits for them.

    sh bench/papers.sh [OPTIONS] LIFT

bench/papers/kernels.toml lists the kernels: the program, the configuration, the block, and the
counts that the paper states. For each kernel the script emits the CUDA program by 'lift explore
--build-only', runs it on the host, and counts each access to memory (bench/papers/counted.hpp). The
counts are those of the block in the middle of the grid. A kernel that streams along z is counted
with two numbers of planes: their difference is the cost of a plane, without prologue and epilogue.

Each count that the paper states is compared. A count that differs needs a reason in the list, and
a reason without a difference is an error. Exit status 1: a kernel is not emitted, its results are
wrong, or a difference has no reason.
"""
import argparse
import csv
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LIST = os.path.join(HERE, "papers", "kernels.toml")
TIMES = os.path.join(HERE, "results", "papers.csv")
TIME_COLUMNS = ["paper", "kernel", "program", "size", "device", "gpts", "percent", "date"]
ON_HOST = os.path.join(ROOT, "tests", "cli")
START, END = "<!-- sh bench/papers.sh: kernels -->", "<!-- end of kernels -->"
# What a paper may state, and how the tables call it.
COUNTS = {
    "planes": "planes",
    "window": "registers kept",
    "bytes": "bytes",
    "loads": "loads",
    "load_instructions": "load instructions",
    "stores": "stores",
    "store_instructions": "store instructions",
    "barriers": "barriers",
}


def fail(message):
    print(f"papers.py: {message}", file=sys.stderr)
    sys.exit(2)


class Wrong(Exception):
    """A kernel that cannot be counted, or whose results are wrong."""


def command(*words):
    """The output of a command."""
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        text = (done.stdout[-500:] + done.stderr[-1500:]).strip()
        raise Wrong(f"status {done.returncode} of: {' '.join(words)}\n{text}")
    return done.stdout


# ---- the list


def numbers(text):
    return [int(n) for n in text.split("x")]


class Kernel:
    """A kernel of a paper, with one block."""

    def __init__(self, paper, row, points):
        self.paper, self.points = paper, numbers(points)
        self.lengths = dict(zip(("Dx", "Dy", "Dz"), self.points))
        self.name = row["name"].format(**self.lengths)
        self.program = row.get("program", paper.get("program"))
        self.family = row["family"]
        self.block = numbers(row.get("block", points))
        self.tile, self.set = row.get("tile", False), row.get("set", "")
        self.layer, self.region = row.get("layer", 0), row.get("region", "inner")
        self.field = row.get("field", paper["field"])
        self.planes = row.get("planes", 18)
        self.stated, self.places = {}, {}
        for name, (formula, place) in row.get("counts", {}).items():
            self.stated[name] = self.value(formula)
            self.places[name] = place
        self.reasons, self.remark = row.get("reasons", {}), row.get("remark", "")
        for name in [*self.stated, *self.reasons]:
            if name not in COUNTS:
                fail(f"kernel '{self.name}': no count '{name}'; there are {', '.join(COUNTS)}")

    def value(self, formula):
        """A formula of the list, in the lengths of the block and the radius."""
        return eval(formula, {"__builtins__": {}}, self.lengths | {"R": self.paper.get("R", 0)})

    def streams(self):
        return len(self.points) == 2

    def sizes(self, planes):
        """A grid of three blocks in x and as many in y, at least, and an absorbing layer around it.

        The interior is larger than each face, which tells it apart."""
        deep = planes if self.streams() else -(-24 // self.points[2]) * self.points[2]
        high = max(3, -(-12 // self.points[1]) | 1) * self.points[1]
        lengths = {"nx": 3 * self.points[0], "ny": high, "nz": deep}
        text = ",".join(f"{name}={n + 2 * self.layer}" for name, n in lengths.items())
        return text + (f",w={self.layer}" if self.layer else "")

    def tunables(self, planes):
        values = {"index_bits": 32}
        for axis, length in zip("xyz", self.block):
            values["block_" + axis] = length
        if self.tile:
            for axis, length in zip("xyz", self.points + [planes]):
                values["tile_" + axis] = length
        for item in self.set.split():
            name, _, value = item.partition("=")
            values[name] = int(value)
        return values


def read_list(path, only):
    with open(path, "rb") as file:
        papers = tomllib.load(file)["paper"]
    kernels = [Kernel(paper, row, points) for paper in papers for row in paper["kernel"]
               for points in row["blocks"]]
    missing = set(only or []) - {k.name for k in kernels}
    if missing:
        fail(f"{path} has no kernel '{missing.pop()}'")
    return papers, [k for k in kernels if not only or k.name in only]


# ---- counts


def program_of(kernel):
    return os.path.join(ROOT, "programs", kernel.program + ".lift")



def emit(lift, kernel, planes, folder):
    """The text of the program, and its registers."""
    words = [lift, "explore", program_of(kernel), "--no-temporal", "--device", "cuda:sm_90",
             "--size", kernel.sizes(planes), "--decide", kernel.family, "--build-only", "1", "--jobs", "1",
             "--programs", folder]
    for name, value in kernel.tunables(planes).items():
        words += ["--tunable", f"{name}={value}"]
    out = command(*words)
    files = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    if len(files) != 1:
        raise Wrong(f"{len(files)} programs from: {' '.join(words)}\n{out}")
    with open(os.path.join(folder, files[0])) as file:
        text = file.read()
    registers = re.search(r"^[0-9a-f]{12} +(\d+)", out, re.M)
    return text, int(registers[1])


def counted_text(text):
    """The program for the host: its launches call counted_launch."""
    text = re.sub(r"^#include <cuda(_runtime)?\.h>$", '#include "counted.hpp"', text, flags=re.M)
    for start in (r"#if defined\(__CUDA_ARCH__\)", "#ifndef __CUDA_ARCH__", "#ifndef INFINITY"):
        text = re.sub(rf"^{start}.*?^#endif\n", "", text, flags=re.M | re.S)
    text = re.sub(r"^struct alignas\(64\) lift_map.*?^\};\n", "", text, flags=re.M | re.S)
    text = re.sub(r"^.*extern __shared__ .*lift_local.*\n", "", text, flags=re.M)

    def launch(found):
        name, grid, block, shared, args = found.groups()
        arrays = ", ".join(f'{{"{a}", counted_pointer({a})}}' for a in args.split(", "))
        return (f'counted_launch("{name}", {{{arrays}}}, {grid}, {block}, {shared}, '
                f"[&] {{ {name}({args}); }});")

    text, launches = re.subn(
        r"(\w+)<<<(dim3\([^)]*\)), (dim3\([^)]*\)), (\d+), lift_stream>>>\((.*)\);", launch, text)
    if not launches:
        raise Wrong("the program has no launch")
    return text


def compile_runtime(folder):
    flags = ["c++", "-std=c++20", "-O1", "-w", "-I" + ON_HOST, "-I" + os.path.join(HERE, "papers")]
    objects = []
    for source in (os.path.join(ON_HOST, "cuda_on_host.cpp"),
                   os.path.join(HERE, "papers", "counted.cpp")):
        objects.append(os.path.join(folder, os.path.basename(source) + ".o"))
        command(*flags, "-c", source, "-o", objects[-1])
    return objects


def run_on_host(text, objects, folder):
    """The counts of each kernel."""
    source, program = os.path.join(folder, "counted.cpp"), os.path.join(folder, "counted")
    with open(source, "w") as file:
        file.write(counted_text(text))
    command("c++", "-std=c++20", "-O0", "-w", "-fsanitize=thread", "-I" + ON_HOST,
            "-I" + os.path.join(HERE, "papers"), "-c", source, "-o", program + ".o")
    command("c++", "-o", program, program + ".o", *objects)
    out = command(program, "--runs", "1", "--warmup", "0")
    if "PASSED" not in out:
        raise Wrong(f"wrong results:\n{out}")
    return [json.loads(line[6:]) for line in out.splitlines() if line.startswith("COUNT ")]


def body_of(text, kernel):
    found = re.search(rf"^[^\n]*__global__[^\n]* {kernel}\(.*?^\}}", text, re.M | re.S)
    return found[0]


def shared_bytes(text, kernel):
    """Of arrays, and of a launch."""
    size = {"float": 4, "double": 8, "int": 4, "unsigned char": 1, "lift_f32x4": 16}
    total = 0
    for kind, length in re.findall(
            r"^ +__shared__ (?:__align__\(\d+\) )?(.+?) \w+\[(\d+)\];", body_of(text, kernel), re.M):
        total += size[kind] * int(length)
    launch = re.search(rf"{kernel}<<<.*?\), (\d+), lift_stream>>>", text)
    return total + int(launch[1])


def one_run(lift, kernel, planes, objects):
    """The counts of the kernel of the region, with what its text says."""
    with tempfile.TemporaryDirectory() as folder:
        text, registers = emit(lift, kernel, planes, os.path.join(folder, "programs"))
        counts = sorted(run_on_host(text, objects, folder), key=lambda c: -c["all_stored"])
    if kernel.region == "layer":
        counts = counts[1:]
    count = counts[0]
    arrays = count["arrays"].values()
    body = body_of(text, count["kernel"])
    count["points"] = max(a[3] for a in arrays) // 4
    count["outputs"] = sum(a[2] > 0 for a in arrays)
    field = count["arrays"].get(kernel.field, [0, 0, 0, 0])
    return {
        "points": count["points"],
        # A TMA copy has no address of an element: all are of the field.
        "field": field[1] + count["box_bytes"],
        "field_instructions": field[0] + count["boxes"],
        "loads": sum(a[1] for a in arrays) + count["box_bytes"],
        "stores": sum(a[3] for a in arrays),
        "store_instructions": sum(a[2] for a in arrays),
        "barriers": count["barriers"] + count["waits"],
        "filled": count["shared_stored"],
        "bytes": shared_bytes(text, count["kernel"]),
        "window": len(set(re.findall(r"\b(?:float|double|lift_f32x\d) (win_\d+)", body))),
        "registers": registers,
        "outputs": count["outputs"],
    }


ADDED = ["points", "field", "field_instructions", "loads", "stores", "store_instructions",
         "barriers", "filled"]


def measure(lift, kernel, objects):
    """The counts by their names in COUNTS, and 'all_loads' and 'registers'."""
    run = one_run(lift, kernel, kernel.planes, objects)
    planes = 1
    if kernel.streams():
        longer = one_run(lift, kernel, 2 * kernel.planes, objects)
        for name in ADDED:
            run[name] = longer[name] - run[name]
        planes = kernel.planes
    points = run["points"]
    if points <= 0:
        raise Wrong("the block in the middle of the grid stores no point")
    result = {
        "bytes": run["bytes"],
        "window": run["window"],
        "loads": run["field"] / 4 / points,
        "load_instructions": run["field_instructions"] / points,
        "all_loads": run["loads"] / 4 / points,
        "stores": run["stores"] / 4 / points,
        "store_instructions": run["store_instructions"] / points,
        "barriers": run["barriers"] / planes,
        "registers": run["registers"],
    }
    if kernel.streams():
        result["planes"] = run["bytes"] * planes / run["filled"] if run["filled"] else 0
    return result


def verify(lift, kernel, device):
    """Whether the device has a kernel of the family. Its results are compared."""
    settings = ",".join(f"{n}={v}" for n, v in kernel.tunables(kernel.planes).items())
    words = [lift, "derive", program_of(kernel), "--size", kernel.sizes(kernel.planes),
             "--decide", kernel.family, "--device", device, "--set", settings, "--verify"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode == 1:
        raise Wrong(f"status 1 of: {' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def time_on(lift, kernel, device):
    """The row of the CSV: a final benchmark of the kernel at the size of the paper's list."""
    size = kernel.paper["size"]
    deep = int(re.search(r"nz=(\d+)", size)[1])
    with tempfile.TemporaryDirectory() as folder:
        words = [lift, "explore", program_of(kernel), "--no-temporal", "--device", device,
                 "--size", size, "--decide", kernel.family, "--trials", "1", "--no-naive",
                 "--no-seeds", "--db", os.path.join(folder, "papers.db"), "--json", "--quiet"]
        for name, value in kernel.tunables(deep).items():
            words += ["--tunable", f"{name}={value}"]
        found = json.loads(command(*words))["devices"][0]
    if not found["top"]:
        raise Wrong(f"no verified kernel: {' '.join(words)}\n{found['failures']}")
    best = found["top"][0]
    return {"paper": kernel.paper["key"], "kernel": kernel.name, "program": kernel.program,
            "size": size, "device": device, "gpts": f"{best['gpts']:.4g}",
            "percent": f"{100 * best['copy_share']:.3g}", "date": str(datetime.date.today())}


# ---- tables


def short(number):
    return f"{number:,.0f}" if number == round(number) else f"{number:.4g}"


def judge(kernel, counts):
    """The paper's counts and the differences, as text. Without a reason a difference is wrong."""
    stated, differences, errors = [], [], []
    for name, wanted in kernel.stated.items():
        got = counts.get(name, 0)
        same = abs(got - wanted) <= 1e-3 * abs(wanted)
        stated.append(f"{COUNTS[name]} {short(wanted)} ({kernel.places[name]})")
        if not same and name not in kernel.reasons:
            errors.append(f"{COUNTS[name]}: {short(got)}, the paper's kernel has {short(wanted)}")
        elif not same:
            if kernel.reasons[name] not in differences:
                differences.append(kernel.reasons[name])
        elif name in kernel.reasons:
            errors.append(f"{COUNTS[name]}: a reason in the list, and no difference")
    return "; ".join(stated), "; ".join(differences + [kernel.remark] * bool(kernel.remark)), errors


HEAD = ("kernel", "program", "family", "block", "planes", "shared bytes", "loads", "stores",
        "barriers", "registers", "verified on", "GPts/s", "stated in the paper", "differences")


def row_of(kernel, counts, verified, time):
    """The cells of a kernel, and the errors."""
    stated, differences, errors = judge(kernel, counts)
    planes = []
    if counts.get("planes"):
        planes.append(f"{short(counts['planes'])} in shared memory")
    if counts["window"]:
        planes.append(f"{counts['window']} in registers")
    loads = f"{short(counts['loads'])} of {short(counts['all_loads'])}"
    if counts["load_instructions"] != counts["loads"]:
        loads += f" by {short(counts['load_instructions'])} instructions"
    stores = short(counts["stores"])
    if counts["store_instructions"] != counts["stores"]:
        stores += f" by {short(counts['store_instructions'])} instructions"
    return [kernel.name, kernel.program, f"`{kernel.family}`", "x".join(map(str, kernel.block)),
            ", ".join(planes), short(counts["bytes"]), loads, stores, short(counts["barriers"]),
            str(counts["registers"]), ", ".join(verified),
            f"{time['gpts']} ({time['size_short']})" if time else "", stated, differences], errors


def table(papers, rows):
    """Markdown, a table for each paper."""
    lines = []
    for paper in papers:
        of_paper = [cells for kernel, cells in rows if kernel.paper is paper]
        if of_paper:
            lines += [f"**{paper['title']}**", "", "| " + " | ".join(HEAD) + " |",
                      "|" + "---|" * len(HEAD), *("| " + " | ".join(c) + " |" for c in of_paper),
                      ""]
    return "\n".join(lines)


def read_times(path):
    """The last row of each kernel."""
    if not os.path.exists(path):
        return {}
    with open(path, newline="") as file:
        rows = {(row["paper"], row["kernel"]): row for row in csv.DictReader(file)}
    for row in rows.values():
        lengths = re.findall(r"n[xyz]=(\d+)", row["size"])
        row["size_short"] = f"{row['device']}, " + (
            f"{lengths[0]}^{len(lengths)}" if len(set(lengths)) == 1 else "x".join(lengths))
    return rows


def append_time(path, row):
    new = not os.path.exists(path)
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, TIME_COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def into_page(path, text):
    """The text between the marks of the page."""
    with open(path) as file:
        page = file.read()
    if START not in page or END not in page:
        fail(f"{path} has no '{START}' before an '{END}'")
    with open(path, "w") as file:
        file.write(page[:page.index(START)] + START + "\n\n" + text + "\n" +
                   page[page.index(END):])


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lift", metavar="LIFT", help="the command")
    parser.add_argument("--kernel", action="append", metavar="NAME",
                        help="only this kernel of the list; repeatable")
    parser.add_argument("--list", default=LIST, metavar="FILE.toml",
                        help="the list of kernels (bench/papers/kernels.toml)")
    parser.add_argument("--verify", default="opencl:0", metavar="DEVICE",
                        help="compare the results of the first kernel of each family on this device, "
                             "too, as 'lift devices' lists it (opencl:0); 'none': on the host only")
    parser.add_argument("--device", metavar="DEVICE",
                        help="verify and time each kernel on this device; append the times to the "
                             "file of --times")
    parser.add_argument("--times", default=TIMES, metavar="FILE.csv",
                        help="times of kernels that the table shows (bench/results/papers.csv)")
    parser.add_argument("--only-times", action="store_true",
                        help="with --device: count nothing and print no table")
    parser.add_argument("--page", metavar="FILE.md",
                        help="write the tables between the marks of this page, not to the output")
    return parser.parse_args()


def main():
    o = options()
    if o.only_times and not o.device:
        fail("--only-times needs --device")
    papers, kernels = read_list(o.list, o.kernel)
    rows, wrong, on_device = [], 0, {}
    times = read_times(o.times)
    with tempfile.TemporaryDirectory() as folder:
        objects = [] if o.only_times else compile_runtime(folder)
        for kernel in kernels:
            errors = []
            try:
                if o.device:
                    append_time(o.times, time_on(o.lift, kernel, o.device))
                    times = read_times(o.times)
                if o.only_times:
                    continue
                counts = measure(o.lift, kernel, objects)
                verified = ["host"]
                for device in filter(None, (o.verify, o.device)):
                    key = (kernel.program, kernel.family, device)
                    if key not in on_device:
                        on_device[key] = device != "none" and verify(o.lift, kernel, device)
                    if on_device[key]:
                        verified.append(device)
                cells, errors = row_of(kernel, counts, verified,
                                       times.get((kernel.paper["key"], kernel.name)))
                rows.append((kernel, cells))
            except Wrong as failure:
                errors = [str(failure)]
            for error in errors:
                print(f"papers.py: {kernel.paper['key']}, {kernel.name}: {error}", file=sys.stderr)
            wrong += bool(errors)
    text = table(papers, rows)
    if o.page:
        into_page(o.page, text)
    elif not o.only_times:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
