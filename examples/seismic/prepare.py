#!/usr/bin/env python3
"""Prepares one shot for shot.lift: a velocity model, the time step, a source and receivers.

    python3 prepare.py [--model FILE.npy] [--size NX,NY,NZ] [--spacing METRES] [--frequency HZ]
                       [--steps N]

--model names your own model: velocities in metres a second, float32 in C order, of the shape
(nz, ny, nx). Without it the script writes velocity.npy: three layers over NX x NY x NZ points, the
second interface inclined. The script writes wavelet.npy (a Ricker wavelet of the peak frequency
--frequency), sponge.npy (what absorbs waves in the outer 20 points), source.csv and receivers.csv
(z, y, x in grid points), and prints the time step. It needs Python 3 and no packages.
"""

import argparse
import array
import ast
import math
import struct
import sys


SPONGE = 20  # points


def write_npy(path, shape, rows):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        for row in rows:
            file.write(row)


def read_npy(path):
    with open(path, "rb") as file:
        start = file.read(10)
        if start[:8] != b"\x93NUMPY\x01\x00":
            sys.exit(f"prepare.py: '{path}' is not a NumPy file of version 1.0")
        head = ast.literal_eval(file.read(struct.unpack("<H", start[8:10])[0]).decode())
        values = array.array("f")
        values.frombytes(file.read())
    if head["descr"] != "<f4" or head["fortran_order"] or len(head["shape"]) != 3:
        sys.exit(f"prepare.py: '{path}' must be float32 (<f4) in C order with three dimensions")
    return head["shape"], values


def layers(nx, ny, nz):
    """1,500 m/s, then 2,200 m/s from 0.4 of the depth, then 3,000 m/s below an inclined plane."""
    values = array.array("f")
    for z in range(nz):
        for y in range(ny):
            values.extend(
                1500.0 if z < 0.4 * nz else 2200.0 if z < (0.6 + 0.15 * x / nx) * nz else 3000.0
                for x in range(nx)
            )
    return values


def sponge(nx, ny, nz):
    """1 inside, falling to 0.92 at the sides by the square of the depth in the sponge."""

    def row(distance):
        depth = (SPONGE - min(distance, x, nx - 1 - x) for x in range(nx))
        return array.array("f", (1 - 0.0002 * max(0, d) ** 2 for d in depth))

    rows = [row(distance) for distance in range(SPONGE + 1)]
    for z in range(nz):
        for y in range(ny):
            yield rows[min(SPONGE, y, ny - 1 - y, z, nz - 1 - z)]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("--model")
    parser.add_argument("--size", default="120,120,100")
    parser.add_argument("--spacing", type=float, default=10.0)
    parser.add_argument("--frequency", type=float, default=15.0)
    parser.add_argument("--steps", type=int, default=1000)
    options = parser.parse_args()

    if options.model:
        (nz, ny, nx), velocity = read_npy(options.model)
    else:
        options.model = "velocity.npy"
        nx, ny, nz = (int(n) for n in options.size.split(","))
        velocity = layers(nx, ny, nz)
        write_npy(options.model, (nz, ny, nx), [velocity])
    slowest, fastest = min(velocity), max(velocity)

    # Stability: dt <= 2 h / (v sqrt(3 a)), where a = 6.5016 is the sum of the absolute weights of
    # the second difference of eighth order. A tenth less leaves room for rounding.
    limit = 2 * options.spacing / (fastest * math.sqrt(3 * 6.5016))
    step = math.floor(0.9 * limit * 1e4) * 1e-4
    if step <= 0:
        sys.exit(f"prepare.py: the largest stable time step is {limit:.2g} s, below 0.1 ms")

    write_npy("sponge.npy", (nz, ny, nx), sponge(nx, ny, nz))
    ricker = array.array("f")
    for n in range(options.steps):
        a = (math.pi * options.frequency * (n * step - 1.2 / options.frequency)) ** 2
        ricker.append((1 - 2 * a) * math.exp(-a))
    write_npy("wavelet.npy", (options.steps, 1), [ricker])

    # Inside the sponge: the source in the middle, receivers along x.
    top = min(SPONGE + 2, nz // 2)
    with open("source.csv", "w") as file:
        file.write(f"# z, y, x\n{top + 0.5}, {ny / 2}, {nx / 2}\n")
    with open("receivers.csv", "w") as file:
        file.write("# z, y, x\n")
        first = min(SPONGE, nx // 4)
        for x in range(first, nx - first):
            file.write(f"{top}, {ny / 2}, {x}\n")

    wavelength = slowest / (2.5 * options.frequency)
    print(f"model      {options.model}: {nx} x {ny} x {nz} points, {slowest:.0f} to {fastest:.0f} m/s")
    print(f"time step  {step:.4f} s; stable up to {limit:.5f} s")
    print(f"waves      {wavelength / options.spacing:.1f} points per shortest wavelength (4 are enough)")
    print(f"run with   --in h={options.spacing:g} --in dt={step:.4f} --in velocity={options.model} "
          f"--steps {options.steps}")


main()
