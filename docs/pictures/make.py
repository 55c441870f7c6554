#!/usr/bin/env python3
"""Makes the pictures of the documents: python3 docs/pictures/make.py [FOLDER]

Each function of 'pictures' draws one file FOLDER/NAME.svg; FOLDER is that of this script unless
given. The files are part of the repository, and tests/house/pictures.sh compares them with what
this script makes. Coordinates are whole numbers of pixels, so that the text is the same on every
machine.
"""

import os
import sys

sys.dont_write_bytecode = True

from decisions import decision_pictures
from picture import AMBER, BLUE, DEEP, FAINT, GREEN, GREY, INK, PAPER, RUST, Picture


def halo_and_tile():
    """A grid with its pad, a tile with its halo, and a window."""
    p = Picture(780, 340, "A grid, a tile with its halo, a window")
    cell, left, top, columns, rows = 24, 60, 50, 14, 10
    for y in range(-1, rows + 1):
        for x in range(-1, columns + 1):
            outside = x in (-1, columns) or y in (-1, rows)
            fill = FAINT
            if 4 <= x < 10 and 3 <= y < 8:
                fill = AMBER
            if 5 <= x < 9 and 4 <= y < 7:
                fill = BLUE
            p.rect(
                left + x * cell, top + y * cell, cell, cell,
                PAPER if outside else fill, GREY, 1, "3,3" if outside else None,
            )
    p.rect(left, top, columns * cell, rows * cell, "none", INK, 2)
    p.rect(left + 5 * cell, top + 4 * cell, 4 * cell, 3 * cell, "none", DEEP, 3)
    for x, y in ((6, 4), (6, 6), (5, 5), (7, 5), (6, 5)):
        p.rect(left + x * cell + 4, top + y * cell + 4, 16, 16, DEEP if (x, y) == (6, 5) else PAPER,
               DEEP, 2, None, 8)
    text = 440
    for at, fill, stroke, words in (
        (60, FAINT, INK, "grid: the grid points of an input"),
        (100, PAPER, GREY, "pad: cells that are read outside the grid"),
        (140, BLUE, DEEP, "tile: grid points that one block computes"),
        (180, AMBER, GREY, "halo: cells outside the tile that its windows read"),
    ):
        p.rect(text, at - 14, 20, 20, fill, stroke, 2 if stroke != GREY else 1,
               "3,3" if fill == PAPER else None)
        p.text(text + 32, at + 1, words)
    p.rect(text + 2, 208, 16, 16, DEEP, DEEP, 2, None, 8)
    p.text(text + 32, 221, "window: the elements that one grid point reads;")
    p.text(text + 32, 239, "here a star of radius 1")
    p.text(text, 280, "A tile of k x l points with radius r reads")
    p.text(text, 298, "(k + 2r) x (l + 2r) elements. Halos overlap.")
    return p


def box(p, origin, low, high, fills):
    """A box with its three visible faces. Axes: x to the right, y into the page, z down."""

    def at(x, y, z):
        return (origin[0] + x + y // 2, origin[1] + z - y // 2)

    (x0, y0, z0), (x1, y1, z1) = low, high
    top, front, side = fills
    p.shape([at(x0, y0, z0), at(x1, y0, z0), at(x1, y1, z0), at(x0, y1, z0)], top)
    p.shape([at(x0, y0, z0), at(x1, y0, z0), at(x1, y0, z1), at(x0, y0, z1)], front)
    p.shape([at(x1, y0, z0), at(x1, y1, z0), at(x1, y1, z1), at(x1, y0, z1)], side)


def seven_regions():
    """A grid of three dimensions, cut in an interior and six faces that are drawn apart."""
    p = Picture(800, 470, "The seven regions of a grid")
    blue = ("#d7e8fa", BLUE, "#9cc3ea")
    amber = ("#fbe6ba", AMBER, "#e9bd62")
    green = ("#dcf1df", GREEN, "#95cda0")
    rose = ("#f7d9cc", "#efbfa9", "#dd9c7f")
    o = (90, 140)
    box(p, o, (0, 0, 290), (240, 160, 314), amber)  # bottom
    box(p, o, (24, 220, 40), (216, 244, 170), green)  # back
    box(p, o, (-50, 24, 60), (-26, 136, 190), rose)  # left
    box(p, o, (24, 24, 60), (216, 136, 190), blue)  # interior
    box(p, o, (266, 24, 60), (290, 136, 190), rose)  # right
    box(p, o, (24, -70, 60), (216, -46, 190), green)  # front
    box(p, o, (0, 0, -36), (240, 160, -12), amber)  # top
    x = 480
    for y, fill, words in (
        (100, AMBER, "top, bottom: whole planes"),
        (132, GREEN, "front, back: whole rows of the other planes"),
        (164, "#efbfa9", "left, right: the ends of the other rows"),
        (196, BLUE, "interior: no window reaches the border"),
    ):
        p.rect(x, y - 13, 18, 18, fill)
        p.text(x + 28, y + 1, words, 12)
    p.text(x, 240, "Each region is a kernel of its own.", 12)
    p.text(x, 258, "That of the interior has no test of the border.", 12)
    p.arrow(480, 380, 530, 380)
    p.text(538, 384, "x, innermost")
    p.arrow(480, 380, 480, 330)
    p.text(472, 320, "z, outermost")
    p.line(480, 380, 504, 356, INK, 2)
    p.text(510, 356, "y")
    return p


def stream_and_window():
    """Planes that pass through a window of five; registers and circular buffer."""
    p = Picture(760, 350, "A 2.5D stream with its window")
    left, step, top = 60, 62, 90
    for i in range(10):
        x = left + i * step
        inside = 3 <= i <= 7
        fill = BLUE if inside else FAINT
        if i == 5:
            fill = AMBER
        p.shape([(x, top + 40), (x + 44, top), (x + 44, top + 110), (x, top + 150)], fill,
                INK if inside else GREY)
        p.shape([(x + 17, top + 68), (x + 27, top + 59), (x + 27, top + 82), (x + 17, top + 91)],
                DEEP if inside else PAPER, INK if inside else GREY)
        p.text(x + 16, top + 172, f"z{i - 5:+d}" if i != 5 else "z", 12, "middle")
    p.bracket(left + 3 * step - 4, left + 7 * step + 48, 62, "window of 2r + 1 planes, r = 2")
    p.arrow(left + 3 * step, 30, left + 5 * step, 30)
    p.text(left + 5 * step + 8, 34, "moves by one plane a step")
    p.text(left + step, 78, "has left", 12, "middle", GREY)
    p.text(left + 9 * step - 4, 78, "to come", 12, "middle", GREY)
    p.rect(60, 290, 18, 18, DEEP)
    p.text(86, 304, "the column of a thread: registers, moved or fixed by unrolling")
    p.rect(60, 318, 18, 18, AMBER)
    p.text(86, 332, "the plane whose grid points are computed: a circular buffer in shared memory "
                    "holds the neighbours")
    return p


def retiming():
    """At which step each of the five terms of a point is added, for three groupings."""
    p = Picture(760, 330, "Retiming: gather, semi-stencil, scatter")
    planes = ["z-2", "z-1", "z", "z+1", "z+2"]
    panels = (
        ("gather", [4, 4, 4, 4, 4], "5 planes are kept"),
        ("semi-stencil", [2, 2, 2, 4, 4], "3 planes are kept"),
        ("scatter", [0, 1, 2, 3, 4], "1 plane is kept"),
    )
    cell = 30
    for n, (name, when, kept) in enumerate(panels):
        left, top = 90 + n * 235, 80
        p.text(left + 75, 34, name, 15, "middle", INK, True)
        p.text(left + 75, 58, "term of plane", 12, "middle", GREY)
        for k, plane in enumerate(planes):
            p.text(left + k * cell + 15, top - 6, plane, 11, "middle")
            if n == 0:
                p.text(left - 10, top + k * cell + 20, plane, 11, "end")
            for s in range(5):
                p.rect(left + k * cell, top + s * cell, cell, cell, FAINT, GREY)
            at = when[k]
            early = at < 4
            p.rect(left + k * cell + 4, top + at * cell + 4, cell - 8, cell - 8,
                   AMBER if early else BLUE, RUST if early else DEEP, 2)
        p.text(left + 75, top + 178, kept, 13, "middle")
    p.text(12, 40, "arrival", 12, "start", GREY)
    p.text(12, 56, "of plane", 12, "start", GREY)
    p.rect(90, 288, 18, 18, AMBER, RUST, 2)
    p.text(116, 302, "added early, to a partial sum")
    p.rect(350, 288, 18, 18, BLUE, DEEP, 2)
    p.text(376, 302, "added when the last plane of the window has come")
    return p


def fused_time_steps():
    """An overlapped tile over T steps, and the same along a stream."""
    p = Picture(760, 370, "Temporal blocking")
    cell, left, top = 16, 40, 70
    p.text(left, 30, "Overlapped tile, r = 1, T = 3", 15, "start", INK, True)
    for t in range(4):
        first, last = t, 20 - t
        y = top + (3 - t) * 44
        for x in range(20):
            inside = first <= x < last
            fill = PAPER
            if inside:
                fill = BLUE if 3 <= x < 17 else AMBER
            p.rect(left + x * cell, y, cell, 22, fill, INK if inside else GREY, 1,
                   None if inside else "2,3")
        p.text(left - 6, y + 16, f"t+{t}" if t else "t", 12, "end")
    p.bracket(left + 3 * cell, left + 17 * cell, top - 8, "k points are the tile's own", 12)
    p.text(left, top + 182, "k + 2rT elements are read")
    p.rect(left, top + 200, 18, 18, AMBER)
    p.text(left + 26, top + 214, "computed by two tiles")
    p.text(left, top + 244, "Grids of the steps between stay in")
    p.text(left, top + 262, "registers or shared memory.")
    left = 430
    p.text(left, 30, "Along a stream: a circular buffer for each step", 15, "start", INK, True)
    for t in range(4):
        y = top + (3 - t) * 44
        for x in range(10):
            newest = 8 - t
            fill = FAINT if x > newest else PAPER
            if newest - 3 < x <= newest and t < 3:
                fill = GREEN
            if x == newest:
                fill = BLUE if t else AMBER
            p.rect(left + x * 26, y, 26, 22, fill, GREY)
        p.text(left + 270, y + 16, f"t+{t}" if t else "t", 12)
    p.rect(left, top + 192, 18, 18, AMBER)
    p.text(left + 26, top + 206, "plane z arrives")
    p.rect(left, top + 218, 18, 18, BLUE)
    p.text(left + 26, top + 232, "plane z - rs of step s is computed")
    p.rect(left, top + 244, 18, 18, GREEN)
    p.text(left + 26, top + 258, "the 2r + 1 planes of each buffer")
    return p


def life_of_a_trial():
    """From a candidate to a row of the database, and where a trial may end."""
    p = Picture(760, 400, "The life of a trial")
    boxes = (
        ("candidate", "expression and tunables", ""),
        ("source", "at small sizes, in full", "constraint, codegen"),
        ("build", "in a builder, by the cache", "compile_error, compile_timeout"),
        ("check, small", "against the interpreter", "wrong, crash, run_timeout"),
    )
    second = (
        ("slab", "a part: check, time", "slab"),
        ("check, full", "against the plain reference", "wrong, overflow"),
        ("timing", "1 sample, or 5, or more", "slow"),
        ("row", "ok, samples, checks", ""),
    )
    w, h, gap = 160, 60, 26
    for row, items in enumerate((boxes, second)):
        y = 40 + row * 170
        for i, (name, what, ends) in enumerate(items):
            x = 22 + i * (w + gap)
            last = row == 1 and i == 3
            fill = GREEN if last else AMBER if row == 0 and i == 0 else BLUE
            p.rect(x, y, w, h, fill, INK, 1, None, 6)
            p.text(x + w // 2, y + 25, name, 14, "middle", INK, True)
            p.text(x + w // 2, y + 45, what, 11, "middle")
            if ends:
                p.arrow(x + w // 2, y + h, x + w // 2, y + h + 26, RUST, 1)
                p.text(x + w // 2, y + h + 42, ends, 11, "middle", RUST)
            if i < 3:
                p.arrow(x + w, y + h // 2, x + w + gap - 2, y + h // 2)
    p.line(740 - 8, 70, 748, 70, INK, 2)
    p.line(748, 70, 748, 176, INK, 2)
    p.line(748, 176, 8, 176, INK, 2)
    p.line(8, 176, 8, 240, INK, 2)
    p.arrow(8, 240, 20, 240)
    p.text(22, 350, "Red: statuses with which a trial ends early. Each is a row of the database, too.", 12)
    p.text(22, 370, "At the end of a session the five fastest candidates are checked on other inputs "
                    "and timed again: the final.", 12)
    return p


def rule_effect():
    """Speed of examples/rules/log_ratio.lift without and with the rule of the example."""
    p = Picture(560, 130, "Speed without and with the rule oneLogarithm")
    p.text(10, 22, "log_ratio, 2048 x 2048, two cores of a Xeon: GPts/s, best of 25 s each", 13)
    for i, (name, speed, paint) in enumerate((
        ("without the rule", 131, FAINT), ("with the rule", 217, BLUE),
    )):
        y = 40 + 40 * i
        p.text(130, y + 19, name, 13, "end")
        p.rect(140, y, speed * 3 // 2, 28, paint)
        p.text(150 + speed * 3 // 2, y + 19, f"0.{speed}", 13)
    return p


pictures = (
    rule_effect,
    halo_and_tile,
    seven_regions,
    stream_and_window,
    retiming,
    fused_time_steps,
    life_of_a_trial,
) + decision_pictures


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for draw in pictures:
        name = draw.__name__.replace("_", "-") + ".svg"
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as file:
            file.write(str(draw()))


if __name__ == "__main__":
    main()
