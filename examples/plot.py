#!/usr/bin/env python3
"""Draws an array of a NumPy file as an SVG picture: grids, snapshots and gathers.

    python3 plot.py FILE.npy PICTURE.svg [--title TEXT] [--axes DOWN,RIGHT] [--steps DOWN,RIGHT]
                    [--signed] [--clip FRACTION]

An array of three dimensions is cut through the middle of its second one: (z, y, x) gives z down and
x to the right. --steps is the distance between elements, for the numbers at the axes. --signed
draws negative values blue and positive ones red. --clip scales colours to that fraction of the
largest value, so that weak arrivals show. The script needs Python 3 and no packages.
"""

import argparse
import array
import ast
import base64
import struct
import sys
import zlib

SIGNED = [(33, 74, 135), (120, 165, 210), (255, 255, 255), (225, 140, 110), (145, 30, 25)]
WARM = [(20, 20, 60), (110, 30, 110), (205, 70, 70), (250, 160, 60), (255, 250, 200)]
LEVELS = 64


def read(path):
    with open(path, "rb") as file:
        start = file.read(10)
        if start[:8] != b"\x93NUMPY\x01\x00":
            sys.exit(f"plot.py: '{path}' is not a NumPy file of version 1.0")
        head = ast.literal_eval(file.read(struct.unpack("<H", start[8:10])[0]).decode())
        if head["descr"] not in ("<f4", "<f8") or head["fortran_order"]:
            sys.exit(f"plot.py: '{path}' must have float32 or float64 in C order")
        values = array.array("f" if head["descr"] == "<f4" else "d")
        values.frombytes(file.read())
    shape = head["shape"]
    if len(shape) == 3:
        nz, ny, nx = shape
        rows = [values[(z * ny + ny // 2) * nx :][:nx] for z in range(nz)]
    elif len(shape) == 2:
        rows = [values[i * shape[1] :][: shape[1]] for i in range(shape[0])]
    else:
        sys.exit(f"plot.py: '{path}' has {len(shape)} dimensions, expected 2 or 3")
    return rows


def palette(colours):
    bytes_ = bytearray()
    for level in range(LEVELS):
        at = level / (LEVELS - 1) * (len(colours) - 1)
        low = min(int(at), len(colours) - 2)
        bytes_ += bytes(
            round(a + (b - a) * (at - low)) for a, b in zip(colours[low], colours[low + 1])
        )
    return bytes(bytes_)


def png(rows, low, high, colours):
    def chunk(name, data):
        check = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + check

    scale = (LEVELS - 1) / (high - low if high > low else 1)
    lines = b"".join(
        b"\0" + bytes(round(min(max((v - low) * scale, 0), LEVELS - 1)) for v in row)
        for row in rows
    )
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"PLTE", palette(colours))
        + chunk(b"IDAT", zlib.compress(lines, 9))
        + chunk(b"IEND", b"")
    )


def ticks(length):
    """About five round numbers from 0 to the length."""
    step = 10 ** len(str(int(length))) / 100 if length >= 1 else 0.01
    while length / step > 6:
        step *= 2 if str(step).strip("0.")[0] != "2" else 2.5
    return [step * i for i in range(int(length / step * 1.0001) + 1)]


def svg(rows, options, image):
    names = options.axes.split(",")
    steps = [float(s) for s in options.steps.split(",")]
    left, top, width, height = 64, 40, 480, 320
    down, right = len(rows) * steps[0], len(rows[0]) * steps[1]
    middle, bottom = left + width // 2, top + height
    text = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 24}" '
        f'height="{bottom + 52}" font-family="Helvetica, Arial, sans-serif" font-size="13">',
        f"<title>{options.title}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="{middle}" y="24" text-anchor="middle" font-size="15">{options.title}</text>',
        f'<image x="{left}" y="{top}" width="{width}" height="{height}" '
        'preserveAspectRatio="none" href="data:image/png;base64,'
        f'{base64.b64encode(image).decode()}"/>',
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" '
        'stroke="#1b1f24"/>',
    ]
    for value in ticks(right):
        x = round(left + width * value / right)
        text.append(f'<path d="M{x} {bottom}v5" stroke="#1b1f24"/>')
        text.append(f'<text x="{x}" y="{bottom + 19}" text-anchor="middle">{value:g}</text>')
    for value in ticks(down):
        y = round(top + height * value / down)
        text.append(f'<path d="M{left} {y}h-5" stroke="#1b1f24"/>')
        text.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{value:g}</text>')
    text.append(f'<text x="{middle}" y="{bottom + 40}" text-anchor="middle">{names[1]}</text>')
    text.append(
        f'<text transform="translate(16 {top + height // 2}) rotate(-90)" '
        f'text-anchor="middle">{names[0]}</text>'
    )
    return "\n".join(text + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("file")
    parser.add_argument("picture")
    parser.add_argument("--title", default="")
    parser.add_argument("--axes", default="z,x")
    parser.add_argument("--steps", default="1,1")
    parser.add_argument("--signed", action="store_true")
    parser.add_argument("--clip", type=float, default=1.0)
    options = parser.parse_args()

    rows = read(options.file)
    high = max(max(row) for row in rows)
    low = min(min(row) for row in rows)
    if options.signed:
        high = max(high, -low)
        low = -high
    image = png(rows, low * options.clip, high * options.clip, SIGNED if options.signed else WARM)
    with open(options.picture, "w") as file:
        file.write(svg(rows, options, image))


main()
