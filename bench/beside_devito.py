#!/usr/bin/env python3
"""acoustic_pml, acoustic_pml_layer or acoustic_tti beside Devito on this processor, in pairs.

    python3 bench/beside_devito.py [OPTIONS] LIFT [PROGRAM...]

LIFT is the command; PROGRAM one or more of these, all of them by default. Devito computes the same
equations with the same differences on the same grids: the layer once as a part of the whole (eta
and phi are zero inside) and once in regions of its own. The faster of the two is compared.
acoustic_pml_layer is acoustic_pml whose fields of the layer are stored there only, which the
equations in Devito do not have. lift runs the best kernel of the database; without one for these
sizes it explores first.

First the fields of both after a few steps are compared. Then each pair is a run of Devito and one
of lift, each a process of its own. A line for each pair has GPts/s of both and the ratio, the last
one the median of the ratios. Times are those of all steps but the first, of a warm kernel.

Options: --points N (256, of each side), --layer W (16), --steps STEPS (40), --rounds PAIRS (5),
--seconds SECONDS to explore (120), --db FILE (devito.db); --once: what 'lift split' finds, such as
sines of a medium, is computed once before the steps, as Devito does. Its time counts in each run.

Exit status 77: Devito or NumPy is not there (pip install devito), 1: results differ.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

from pairs import call, kernel_seconds, pairs

SPACING = {"z": 8.0, "y": 12.5, "x": 10.0}
EAST, NORTH = 0.8, 0.6
R = 4


def numpy():
    import numpy as np
    return np


# ---- setup of both programs


def profile(n, w):
    """The damping of the layer, by the square of the depth."""
    np = numpy()
    i = np.arange(n)
    depth = np.maximum(0, w - np.minimum(i, n - 1 - i)) / w
    deep = np.maximum(np.maximum(depth[:, None, None], depth[None, :, None]), depth)
    return (0.2 * deep * deep).astype(np.float32)


def pulse(n):
    np = numpy()
    i = (np.arange(n) - 0.45 * n) / 3.0
    line = np.exp(-i * i)
    return (line[:, None, None] * line[None, :, None] * line).astype(np.float32)


def wave(n, base, more):
    """A medium that changes slowly."""
    np = numpy()
    i = np.sin(0.05 * np.arange(n))
    return (base + more * (i[:, None, None] + i[None, :, None]) * 0.5 + 0 * i).astype(np.float32)


def in_layer(eta, w):
    """eta and phi as acoustic_pml_layer has them: along z, the remainder along y, and along x."""
    np = numpy()
    both = lambda a, axis: np.concatenate([a.take(range(w + 1), axis),
                                           a.take(range(len(eta) - w - 1, len(eta)), axis)], axis)
    inner = slice(w - 1, len(eta) - w + 1)
    etas = {"eta_z": both(eta, 0), "eta_y": both(eta[inner], 1),
            "eta_x": both(eta[inner, inner], 2)}
    phis = {"phi_z": 0.0, "phi_y": 0.0, "phi_x": 0.0}
    return {**{name: np.ascontiguousarray(a) for name, a in etas.items()}, **phis}


def media(program, n, w):
    """The inputs of the program by name; a number is the same everywhere."""
    common = {"vp": wave(n, 7.0, 1.0), "eta": profile(n, w), "phi": 0.0}
    if program == "acoustic_pml":
        return {"u": pulse(n), "v": pulse(n), **common}
    if program == "acoustic_pml_layer":
        return {"u": pulse(n), "v": pulse(n), "vp": common["vp"], **in_layer(common["eta"], w)}
    return {"p": pulse(n), "q": 0.0, "pb": pulse(n), "qb": 0.0, "epsilon": wave(n, 0.15, 0.05),
            "delta": wave(n, 0.08, 0.02), "tilt": wave(n, 0.6, 0.1), "chi": 0.0, **common}


# ---- Devito


def regions(w):
    """The interior, and the layer as six boxes."""
    from devito import SubDomain

    class Box(SubDomain):
        def __init__(self, name, sides):
            self.name = name
            self.sides = sides
            super().__init__()

        def define(self, dimensions):
            return dict(zip(dimensions, self.sides))

    middle, low, high = ("middle", w, w), ("left", w), ("right", w)
    boxes = [Box("inner", (middle, middle, middle))]
    for name, side in (("low", low), ("high", high)):
        boxes.append(Box(f"z{name}", (side, None, None)))
        boxes.append(Box(f"y{name}", (middle, side, None)))
        boxes.append(Box(f"x{name}", (middle, middle, side)))
    for box in boxes:
        box.sides = tuple(("middle", 0, 0) if s is None else s for s in box.sides)
    return boxes


class Model:
    """Fields and equations of a program in Devito."""

    def __init__(self, program, n, w, split):
        from devito import Constant, Grid, SpaceDimension
        self.n = n
        axes = tuple(SpaceDimension(name=a, spacing=Constant(
            name=f"h_{a}", dtype=numpy().float32, value=SPACING[a])) for a in "zyx")
        self.grid = Grid(shape=(n, n, n), dimensions=axes, dtype=numpy().float32,
                         extent=tuple((n - 1) * SPACING[a] for a in "zyx"),
                         subdomains=tuple(regions(w)) if split else ())
        self.boxes = [b for b in self.grid.subdomains.values() if split and
                      (b.name == "inner" or b.name[0] in "zyx")]
        self.given = media(program, n, w)
        self.eta = self.function("eta", order=2)
        self.equations = []
        (self.tti if program == "acoustic_tti" else self.pml)()

    def function(self, name, order=0):
        from devito import Function
        np = numpy()
        f = Function(name=name, grid=self.grid, space_order=order)
        halo = (f.data_with_halo.shape[0] - self.n) // 2
        f.data_with_halo[:] = np.pad(self.given[name], halo, mode="edge")
        return f

    def state(self, name, before):
        """A field of two earlier steps; step 0 is in data[0], the one before in data[-1]."""
        from devito import TimeFunction
        f = TimeFunction(name=name, grid=self.grid, time_order=2, space_order=2 * R)
        f.data[0] = self.given[name]
        f.data[-1] = self.given[before]
        return f

    def correction(self, name, u):
        """phi, and phi one step later."""
        from devito import TimeFunction
        phi = TimeFunction(name=name, grid=self.grid, time_order=1, space_order=0)
        product = sum(getattr(self.eta, f"d{d.name}")(fd_order=2) *
                      getattr(u, f"d{d.name}")(fd_order=2) for d in self.grid.dimensions)
        return phi, (phi - product) / (1 + self.eta)

    def add(self, f, inside, layer, phi, later):
        """Both equations where they hold; as a part of the whole where there are no regions."""
        from devito import Eq
        if not self.boxes:
            self.equations += [Eq(f.forward, layer), Eq(phi.forward, later)]
        for box in self.boxes:
            if box.name == "inner":
                self.equations.append(Eq(f.forward, inside, subdomain=box))
            else:
                self.equations += [Eq(f.forward, layer, subdomain=box),
                                   Eq(phi.forward, later, subdomain=box)]

    def step(self, f, phi, change, vp):
        """Without the layer, and in it."""
        e = self.eta
        return (2 * f - f.backward + vp * change,
                ((2 - e * e + 2 * e) * f - f.backward + vp * (change + phi)) / (1 + 2 * e))

    def pml(self):
        u, vp = self.state("u", "v"), self.function("vp")
        phi, later = self.correction("phi", u)
        self.add(u, *self.step(u, phi, u.laplace, vp), phi, later)
        self.results = {"next": u}

    def along(self, f, axis):
        """The second derivative along the axis, and the rest of the Laplacian."""
        dims = [d.name for d in self.grid.dimensions]
        total = sum(axis[a] * axis[a] * getattr(f, f"d{a}2") for a in dims)
        for a, b in (("z", "y"), ("z", "x"), ("y", "x")):
            outer = getattr(getattr(f, f"d{a}")(fd_order=4), f"d{b}")(fd_order=4)
            total += 2 * axis[a] * axis[b] * outer
        return total, f.laplace - total

    def tti(self):
        from devito import cos, sin
        p, q = self.state("p", "pb"), self.state("q", "qb")
        vp, tilt = self.function("vp"), self.function("tilt")
        epsilon, delta = self.function("epsilon"), self.function("delta")
        axis = {"x": sin(tilt) * EAST, "y": sin(tilt) * NORTH, "z": cos(tilt)}
        phi, phi_later = self.correction("phi", p)
        chi, chi_later = self.correction("chi", q)
        p_along, p_rest = self.along(p, axis)
        _, q_rest = self.along(q, axis)
        rest = p_rest + q_rest
        p_change = (1 + 2 * delta) * rest + p_along
        q_change = 2 * (epsilon - delta) * rest
        self.add(p, *self.step(p, phi, p_change, vp), phi, phi_later)
        self.add(q, *self.step(q, chi, q_change, vp), chi, chi_later)
        self.results = {"p": p, "q": q}


def devito_run(program, n, w, steps, split, out):
    """Seconds of 'steps' steps; the first of the results goes to a file, if one is given."""
    from devito import Operator, configuration
    configuration["log-level"] = "ERROR"
    configuration["language"] = "openmp"
    np = numpy()
    model = Model(program, n, w, split)
    operator = Operator(model.equations, opt=("advanced", {"openmp": True}))
    if not out:
        operator.apply(time_m=0, time_M=1, autotune="aggressive")
    begin = time.perf_counter()
    operator.apply(time_m=0, time_M=steps - 1)
    seconds = time.perf_counter() - begin
    if out:
        np.save(out, np.array(next(iter(model.results.values())).data[steps % 3]))
    print(seconds)


# ---- lift


def one_run(o, path, steps, inputs, more):
    n = o.points
    command = [o.lift, "run", path, "--steps", str(steps), "--size",
               f"nx={n},ny={n},nz={n},w={o.layer}", "--db", o.db, *more]
    for name, value in inputs.items():
        command += ["--in", f"{name}={value}"]
    return kernel_seconds(call(*command))


def inputs_of(path):
    """Names of the inputs that a program has."""
    with open(path) as text:
        return re.findall(r"(\w+): \[", re.search(r"stencil \w+\((.*?)\) ->", text.read()).group(1))


def separate(o, program, source, given, folder):
    """The program of the steps alone, its inputs, and the seconds of what is computed once before,
    if there is something; that is done when they are asked for first."""
    step = f"{folder}/{program}_step.lift"
    if not os.path.exists(step):
        done = subprocess.run([o.lift, "split", source, "-o", folder], capture_output=True,
                              text=True)
        if done.returncode:
            return source, given, 0.0
        grids = done.stdout.split(":")[1].replace(",", " ").split()
        once = f"{folder}/{program}_once.lift"
        more = ["--explore-seconds", str(min(10, o.seconds))]
        for grid in grids:
            more += ["--out", f"{grid}={folder}/{grid}.npy"]
        inputs = {k: given[k] for k in inputs_of(once)}
        one_run(o, once, 1, inputs, more)
        o.once_seconds = one_run(o, once, 1, inputs, [])
        print(f"{program}: {', '.join(grids)} once, in {o.once_seconds * 1e3:.3g} ms, the first "
              "touch of their memory included")
    return step, {k: given.get(k, f"{folder}/{k}.npy") for k in inputs_of(step)}, o.once_seconds


def lift_run(o, program, steps, folder, more):
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    where = "examples/seismic" if program == "acoustic_pml_layer" else "programs"
    given = {}
    for name, value in media(program, o.points, o.layer).items():
        if not isinstance(value, float):
            path = f"{folder}/{program}_{name}.npy"
            if not os.path.exists(path):
                numpy().save(path, value)
            value = path
        given[name] = value
    source = f"{root}/{where}/{program}.lift"
    path, inputs, once = separate(o, program, source, given, folder) if o.once \
        else (source, given, 0.0)
    return once + one_run(o, path, steps, inputs, more)


# ---- pairs


def devito_seconds(o, program, steps, split, out=""):
    """Runs in a separate process: its threads are gone when lift's run."""
    program = program.replace("pml_layer", "pml")
    command = [sys.executable, os.path.abspath(__file__), "--child", program, "--points",
               str(o.points), "--layer", str(o.layer), "--steps", str(steps), "--out", out,
               *(["--split"] if split else []), o.lift]
    return float(call(*command, env={"DEVITO_LANGUAGE": "openmp", **os.environ}).split()[-1])


def compare(o, program, split, folder):
    """Fields after a few steps: the largest difference, as a part of the largest value."""
    np = numpy()
    out = "p" if program == "acoustic_tti" else "u"
    steps = 6
    devito_seconds(o, program, steps, split, f"{folder}/theirs.npy")
    lift_run(o, program, steps, folder, ["--out", f"{out}={folder}/ours.npy"])
    theirs, ours = np.load(f"{folder}/theirs.npy"), np.load(f"{folder}/ours.npy")
    return float(np.abs(theirs - ours).max() / np.abs(ours).max())


def contest(o, program, folder):
    lift_run(o, program, 1, folder, ["--explore-seconds", str(o.seconds)])
    same = True
    for split in (False, True):
        apart = compare(o, program, split, folder)
        same = same and apart < 1e-4
        print(f"{program} {o.points}^3, Devito with the layer "
              f"{'in regions' if split else 'as a part of the whole'}: fields differ by "
              f"{apart:.2g}")
    points = o.points ** 3 * o.steps / 1e9
    timed = [devito_seconds(o, program, o.steps, split) for split in (False, True)]
    split = timed[1] < timed[0]
    print(f"  Devito: {points / timed[0]:.4g} GPts/s as a part of the whole, "
          f"{points / timed[1]:.4g} in regions")
    pairs(f"{program} {o.points}^3", points, o.rounds,
          ("Devito", lambda: devito_seconds(o, program, o.steps, split)),
          ("lift", lambda: lift_run(o, program, o.steps, folder, [])))
    return same


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=256)
    parser.add_argument("--layer", type=int, default=16)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--db", default="devito.db")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--split", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--out", default="", help=argparse.SUPPRESS)
    parser.add_argument("lift")
    parser.add_argument("programs", nargs="*",
                        default=["acoustic_pml", "acoustic_pml_layer", "acoustic_tti"])
    return parser.parse_args()


def main():
    o = options()
    try:
        import devito
        import numpy as np
    except ImportError as error:
        print(f"skipped: {error}; 'pip install devito' installs Devito")
        return 77
    if o.child:
        devito_run(o.child, o.points, o.layer, o.steps, o.split, o.out)
        return 0
    print(f"Devito {devito.__version__}, NumPy {np.__version__}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        return 0 if all([contest(o, p, folder) for p in o.programs]) else 1


if __name__ == "__main__":
    sys.exit(main())
