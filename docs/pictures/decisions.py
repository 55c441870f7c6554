"""Small pictures of the schedule decisions, one or more panels each."""

from picture import AMBER, BLUE, DEEP, FAINT, GREEN, GREY, INK, MOSS, PAPER, RUST, Picture

WIDTH = 150
HEIGHT = 128


def panels(title, draws, columns=5, height=HEIGHT, width=WIDTH):
    """A picture of panels: each has a name below and a function that draws at (x, y)."""
    columns = min(columns, len(draws))
    rows = (len(draws) + columns - 1) // columns
    p = Picture(columns * width + 10, rows * height + 6, title)
    for i, (name, draw) in enumerate(draws):
        x, y = 14 + i % columns * width, 10 + i // columns * height
        draw(p, x, y)
        p.text(x + (width - 18) // 2, y + height - 20, name, 12, "middle")
    return p


def cells(p, x, y, columns, rows, fill, size=12):
    """Squares; 'fill' gives the colour of column i, row j, or None for none."""
    for j in range(rows):
        for i in range(columns):
            colour = fill(i, j)
            if colour:
                p.rect(x + i * size, y + j * size, size, size, colour, GREY)


def plain(i, j):
    return FAINT


def word(p, x, y, what, size=11, fill=INK):
    p.text(x, y, what, size, "start", fill)


def label_box(p, x, y, w, h, fill, what):
    p.rect(x, y, w, h, fill, INK, 1, None, 4)
    p.text(x + w // 2, y + h // 2 + 4, what, 11, "middle")


# ---- steps and intermediates


def steps():
    def chain(of):
        def draw(p, x, y):
            for t in range(5):
                label_box(p, x + t * 27, y + 44, 22, 22, BLUE if t % of == 0 else FAINT, str(t))
            for t in range(0, 4, of):
                p.bracket(x + t * 27 + 11, x + (t + of) * 27 + 11, y + 34,
                          "launch" if of > 1 else "", 10)

        return draw

    return panels("Time steps of a launch",
                  [("one", chain(1)), ("two", chain(2)), ("four", chain(4))], width=160, height=108)


def intermediates():
    def inline(p, x, y):
        label_box(p, x, y + 30, 30, 26, BLUE, "a")
        p.arrow(x + 30, y + 43, x + 46, y + 43)
        p.rect(x + 48, y + 16, 46, 54, PAPER, INK, 1, "3,3")
        label_box(p, x + 56, y + 30, 30, 26, FAINT, "b")
        p.arrow(x + 94, y + 43, x + 106, y + 43)
        label_box(p, x + 108, y + 30, 30, 26, GREEN, "out")
        word(p, x + 44, y + 88, "one kernel")

    def stored(p, x, y):
        for i, (name, fill) in enumerate((("a", BLUE), ("b", AMBER), ("out", GREEN))):
            label_box(p, x + i * 52, y + 30, 30, 26, fill, name)
            if i:
                p.arrow(x + i * 52 - 20, y + 43, x + i * 52 - 3, y + 43)
        word(p, x + 22, y + 74, "kernel 1")
        word(p, x + 76, y + 74, "kernel 2")
        word(p, x + 30, y + 90, "b is in memory")

    return panels("Intermediate grids", [("inline", inline), ("stored", stored)], width=170)


def injection():
    def dots(p, x, y, fill):
        cells(p, x, y, 8, 6, lambda i, j: fill if 2 <= i < 4 and 2 <= j < 4 else FAINT)
        p.rect(x + 33, y + 33, 6, 6, RUST, RUST, 1, None, 3)

    def apart(p, x, y):
        dots(p, x + 20, y + 4, AMBER)
        word(p, x, y + 92, "kernel 2: the boxes only")

    def fused(p, x, y):
        dots(p, x + 20, y + 4, AMBER)
        word(p, x, y + 92, "each grid point looks")

    return panels("Sources between grid points", [("separate_kernel", apart), ("fused", fused)])


# ---- parts of the domain


def boundary():
    def plan(fill, note):
        def draw(p, x, y):
            cells(p, x + 6, y, 10, 7, fill)
            word(p, x + 2, y + 100, note, 10, GREY)

        return draw

    def inner(i, j):
        return 1 <= i < 9 and 1 <= j < 6

    return panels("Boundaries", [
        ("predicated", plan(lambda i, j: BLUE, "1 kernel, tests everywhere")),
        ("copied", plan(lambda i, j: BLUE if inner(i, j) else PAPER, "border is only copied")),
        ("faces", plan(lambda i, j: BLUE if inner(i, j) else AMBER if j in (0, 6) else
                       GREEN if i == 0 else "#efbfa9", "interior, each face")),
        ("per_dimension", plan(lambda i, j: BLUE if inner(i, j) else AMBER if j in (0, 6) else
                               GREEN, "interior, pairs of faces")),
        ("top_bottom", plan(lambda i, j: AMBER if j in (0, 6) else BLUE, "two parts")),
        ("shell", plan(lambda i, j: BLUE if inner(i, j) else AMBER, "interior, all around")),
    ], columns=6, height=136)


def row_start():
    def row(first):
        def draw(p, x, y):
            cells(p, x, y + 20, 12, 1, lambda i, j: BLUE if 3 <= i < 9 else
                  AMBER if first <= i < 3 or 9 <= i < 12 and first == 0 else FAINT)
            for k in range(0, 13, 4):
                p.line(x + k * 12, y + 10, x + k * 12, y + 44, RUST)
            word(p, x, y + 66, "lines: whole vectors of 4", 10, GREY)

        return draw

    return panels("Where rows of windows begin", [("exact", row(3)), ("vector_aligned", row(0))],
                  height=106, width=170)


# ---- tiles


def tiling():
    def grid(fill, lines):
        def draw(p, x, y):
            cells(p, x, y, 10, 6, fill)
            for i0, j0, w, h in lines:
                p.rect(x + i0 * 12, y + j0 * 12, w * 12, h * 12, "none",
                       RUST if w == 10 and h == 3 else DEEP, 2)

        return draw

    four = [(i, j, 4, 3) for j in (0, 3) for i in (0, 4, 8)]
    return panels("Tiles of 4 x 3 on a grid of 10 x 6", [
        ("none", grid(plain, [])),
        ("guarded", grid(plain, [(i, j, min(4, 10 - i), h) for i, j, w, h in four])),
        ("divisible", grid(plain, [(i, j, 5, 3) for j in (0, 3) for i in (0, 5)])),
        ("shifted", grid(lambda i, j: AMBER if 6 <= i < 8 else FAINT,
                         [(i, j, 4, 3) for j in (0, 3) for i in (0, 4, 6)])),
        ("remainder", grid(lambda i, j: GREEN if i >= 8 else FAINT,
                           [(i, j, 4, 3) for j in (0, 3) for i in (0, 4)])),
        ("slabs", grid(plain, [(0, j, 10, 2) for j in (0, 2, 4)])),
        ("two_level", grid(plain, [(i, j, min(4, 10 - i), h) for i, j, w, h in four] +
                           [(0, 0, 10, 3), (0, 3, 10, 3)])),
    ], columns=7, width=140, height=112)


def temporal():
    def shape(parts, arrows=()):
        def draw(p, x, y):
            for t in range(4):
                p.line(x, y + 10 + t * 24, x + 132, y + 10 + t * 24, GREY, 1, "2,3")
                word(p, x + 134, y + 14 + t * 24, f"t+{3 - t}", 9, GREY)
            for points, fill in parts:
                p.shape([(x + a, y + 10 + b * 24) for a, b in points], fill, DEEP, 1)
            for x1, x2, t in arrows:
                p.arrow(x + x1, y + 10 + t * 24, x + x2, y + 10 + t * 24, RUST)

        return draw

    return panels("Temporal blocking, T = 3", [
        ("overlapped", shape([([(28, 0), (72, 0), (100, 3), (0, 3)], BLUE),
                              ([(72, 0), (104, 0), (132, 3), (44, 3)], BLUE),
                              ([(72, 0), (100, 3), (44, 3)], AMBER)])),
        ("streamed", shape([([(20, 0), (40, 0), (82, 3), (62, 3)], GREEN)],
                           ((40, 70, 0), (54, 84, 1), (68, 98, 2), (82, 112, 3)))),
        ("wavefront", shape([([(0, 0), (60, 0), (102, 3), (0, 3)], FAINT),
                             ([(52, 0), (60, 0), (102, 3), (94, 3)], BLUE)],
                            ((60, 90, 0), (102, 126, 3)))),
        ("register_strips", shape([([(28, 0), (104, 0), (128, 3), (4, 3)], FAINT),
                                   ([(44, 0), (56, 0), (56, 3), (44, 3)], BLUE),
                                   ([(56, 0), (68, 0), (68, 3), (56, 3)], GREEN),
                                   ([(68, 0), (80, 0), (80, 3), (68, 3)], BLUE)])),
    ], columns=4, width=176)


def tile_order():
    def order(numbers, note):
        def draw(p, x, y):
            for k, n in enumerate(numbers):
                label_box(p, x + 24 + k % 3 * 28, y + 8 + k // 3 * 24, 26, 22, BLUE, str(n))
            word(p, x + 2, y + 98, note, 10, GREY)

        return draw

    return panels("Order of the loops over tiles", [
        ("default", order((1, 2, 3, 4, 5, 6, 7, 8, 9), "tiles: y right, z down")),
        ("y_outer", order((1, 4, 7, 2, 5, 8, 3, 6, 9), "tiles: y right, z down")),
        ("plane_by_plane", order((1, 2, 3, 4, 5, 6, 7, 8, 9), "tiles in x right, planes down")),
    ], height=132, width=160)


def tile_cache():
    def none(p, x, y):
        label_box(p, x, y + 30, 50, 26, AMBER, "L1/L2")
        for k in range(3):
            p.arrow(x + 50, y + 34 + k * 9, x + 84, y + 34 + k * 9)
        label_box(p, x + 86, y + 30, 50, 26, BLUE, "threads")

    def shared(p, x, y):
        label_box(p, x, y + 30, 36, 26, AMBER, "L2")
        p.arrow(x + 36, y + 43, x + 48, y + 43)
        label_box(p, x + 50, y + 30, 44, 26, GREEN, "shared")
        for k in range(3):
            p.arrow(x + 94, y + 34 + k * 9, x + 106, y + 34 + k * 9)
        label_box(p, x + 108, y + 30, 50, 26, BLUE, "threads")

    return panels("Copies of a tile", [("none", none), ("shared", shared)], height=100, width=186)


# ---- streams


def stream_axis():
    def axis(arrow):
        def draw(p, x, y):
            p.shape([(x + 30, y + 24), (x + 80, y + 24), (x + 100, y + 6), (x + 50, y + 6)], FAINT)
            p.shape([(x + 30, y + 24), (x + 80, y + 24), (x + 80, y + 74), (x + 30, y + 74)], BLUE)
            p.shape([(x + 80, y + 24), (x + 100, y + 6), (x + 100, y + 56), (x + 80, y + 74)], PAPER)
            arrow(p, x, y)

        return draw

    return panels("Dimension of the stream", [
        ("outermost", axis(lambda p, x, y: p.arrow(x + 18, y + 24, x + 18, y + 74, RUST))),
        ("y", axis(lambda p, x, y: (p.line(x + 86, y + 80, x + 104, y + 62, RUST, 2),
                                    word(p, x + 108, y + 66, "into", 10, RUST)))),
        ("x", axis(lambda p, x, y: p.arrow(x + 30, y + 84, x + 80, y + 84, RUST))),
    ])


def plane_row(p, x, y, fills, names=()):
    for i, fill in enumerate(fills):
        a = x + i * 24
        p.shape([(a, y + 14), (a + 14, y), (a + 14, y + 40), (a, y + 54)], fill, INK)
        if i < len(names):
            p.text(a + 7, y + 70, names[i], 10, "middle")


def plane_values():
    return panels("Values of single planes", [
        ("recomputed", lambda p, x, y: (plane_row(p, x, y, [AMBER] * 5, ["g"] * 5),
                                        word(p, x, y + 92, "5 evaluations a step", 10, GREY))),
        ("kept", lambda p, x, y: (plane_row(p, x, y, [GREEN] * 4 + [AMBER], ["", "", "", "", "g"]),
                                  word(p, x, y + 92, "1 evaluation a step", 10, GREY))),
    ], height=130)


def partial_sums():
    def sums(count, fill, note):
        def draw(p, x, y):
            for i in range(4):
                label_box(p, x + i * 32, y + 6, 28, 18, BLUE, "col")
                if i < count:
                    label_box(p, x + i * 32, y + 40, 28, 18, fill, "sum")
                    p.arrow(x + i * 32 + 14, y + 24, x + i * 32 + 14, y + 38)
            word(p, x, y + 80, note, 10, GREY)

        return draw

    return panels("Where partial sums live", [
        ("default", sums(1, GREEN, "one column, in registers")),
        ("cached_rows", sums(4, AMBER, "a whole row, in L1")),
        ("cached_groups", sums(2, AMBER, "a few columns, in L1")),
    ], height=120)


def window():
    def planes(fills, note):
        def draw(p, x, y):
            plane_row(p, x, y, [PAPER] * 5)
            for i, (centre, beside) in enumerate(fills):
                a = x + i * 24
                p.shape([(a, y + 14), (a + 14, y), (a + 14, y + 40), (a, y + 54)], beside, INK)
                p.rect(a + 4, y + 22, 6, 10, centre, INK)
            word(p, x, y + 82, note, 10, GREY)

        return draw

    return panels("Where a stream of planes keeps its window", [
        ("registers", planes([(DEEP, FAINT)] * 5, "own column in registers")),
        ("circular", planes([(AMBER, AMBER)] * 5, "planes in shared memory")),
        ("star_split", planes([(DEEP, FAINT)] * 2 + [(DEEP, AMBER)] + [(DEEP, FAINT)] * 2,
                              "column regs, plane shared")),
        ("circular_sums", planes([(GREEN, FAINT)] * 4 + [(AMBER, AMBER)], "sums from newest plane")),
    ], height=120, columns=4, width=160)


def column_source():
    def source(name, fill):
        def draw(p, x, y):
            label_box(p, x, y + 20, 64, 26, fill, name)
            p.arrow(x + 64, y + 33, x + 84, y + 33)
            label_box(p, x + 86, y + 20, 58, 26, BLUE, "registers")

        return draw

    return panels("Source of the register window", [
        ("global", source("global", FAINT)), ("circular_buffer", source("circular", AMBER))],
        height=90, width=176)


def buffered_streams():
    def fields(kept):
        def draw(p, x, y):
            for i, (name, buffered) in enumerate((("u: window", True), ("v: 1 point", kept),
                                                  ("c: 1 point", kept))):
                label_box(p, x, y + i * 26, 80, 20, AMBER if buffered else FAINT, name)
            word(p, x, y + 94, "amber: in a circular buffer", 10, GREY)

        return draw

    return panels("Fields with circular buffers", [("needed", fields(False)), ("all", fields(True))],
                  height=132)


# ---- points of a thread


def points_per_thread():
    def points(own, vector=()):
        def draw(p, x, y):
            cells(p, x, y, 10, 5, lambda i, j: DEEP if (i, j) in own else FAINT)
            for i, j in vector:
                p.rect(x + i * 12, y + j * 12, 48, 12, "none", RUST, 2)

        return draw

    row = [(i, 1) for i in range(4)]
    return panels("Grid points of the first thread", [
        ("single", points([(0, 1)])),
        ("row", points(row)),
        ("row_vector", points(row, [(0, 1)])),
        ("strided", points([(0, 1), (4, 1), (8, 1)])),
        ("along_y", points([(0, j) for j in range(1, 4)])),
        ("box", points([(i, j) for i in range(2) for j in range(1, 3)])),
        ("vector4_box", points([(i, j) for i in range(4) for j in range(1, 3)], [(0, 1), (0, 2)])),
        ("whole_row", points([(i, 1) for i in range(10)])),
        ("vector_block", points([(i, j) for i in range(4) for j in range(1, 4)],
                                [(0, 1), (0, 2), (0, 3)])),
    ], columns=5, height=98)


# ---- vectors and ends


def row_ends():
    def row(ends):
        def draw(p, x, y):
            cells(p, x, y + 10, 11, 1, lambda i, j: ends if i in (0, 10) else BLUE)
            if ends == GREEN:
                p.rect(x, y + 10, 48, 12, "none", RUST, 2)
                p.rect(x + 84, y + 10, 48, 12, "none", RUST, 2)

        return draw

    return panels("First and last points of a row", [
        ("default", row(BLUE)), ("peeled", row(AMBER)), ("masked_vectors", row(GREEN))], height=64)


def simd():
    def loads(draw_loads, note):
        def draw(p, x, y):
            cells(p, x, y + 20, 12, 1, lambda i, j: BLUE if 3 <= i < 7 else FAINT)
            for i, n, colour in draw_loads:
                p.rect(x + i * 12, y + 20, n * 12, 12, "none", colour, 3)
            word(p, x, y + 56, note, 10, GREY)

        return draw

    return panels("A vector of four neighbours (blue)", [
        ("none", loads([(i, 1, RUST) for i in range(3, 7)], "four scalar loads")),
        ("explicit", loads([(3, 4, RUST)], "one unaligned load")),
        ("explicit_shuffle", loads([(0, 4, MOSS), (4, 4, MOSS)], "two aligned, one shuffle")),
    ], height=98, width=165)


def face_schedule():
    def face(lines, note):
        def draw(p, x, y):
            cells(p, x, y, 11, 5, plain)
            for i, j, w, h in lines:
                p.rect(x + i * 12, y + j * 12, w * 12, h * 12, "none", DEEP, 2)
            word(p, x, y + 76, note, 10, GREY)

        return draw

    return panels("The faces beside the interior", [
        ("default", face([(i, 0, 1, 1) for i in range(3)], "a thread a grid point")),
        ("tiled_shared", face([(0, 0, 6, 5), (6, 0, 5, 5)], "tiles in shared memory")),
        ("vectorised_rows", face([(0, 0, 4, 1), (4, 0, 4, 1)], "four points a thread")),
        ("vectorised_columns", face([(0, 0, 4, 5), (4, 0, 4, 5)], "streams of four columns")),
    ], height=114, columns=4)


# ---- when


def bars(p, x, y, rows):
    for j, (name, parts) in enumerate(rows):
        word(p, x, y + 14 + j * 22, name, 10)
        for at, length, fill in parts:
            p.rect(x + 44 + at * 10, y + 4 + j * 22, length * 10, 14, fill, INK)


def prefetch():
    def line(first, second):
        return lambda p, x, y: bars(p, x, y, (("load", first), ("compute", second)))

    late = line([(0, 3, AMBER), (6, 3, AMBER)], [(3, 3, BLUE), (9, 3, BLUE)])
    early = line([(0, 3, AMBER), (3, 3, AMBER), (6, 3, AMBER)], [(3, 3, BLUE), (6, 3, BLUE), (9, 3, BLUE)])
    cache = line([(0, 3, AMBER), (3, 3, GREEN), (6, 1, AMBER)], [(3, 3, BLUE), (7, 3, BLUE)])
    return panels("Loads of the next step", [("none", late), ("to_registers", early),
                                             ("to_l2", cache)], height=84, width=190)


def buffering():
    def slots(n):
        def draw(p, x, y):
            for k in range(n):
                label_box(p, x + k * 32, y + 14, 28, 26, BLUE if k == 0 else AMBER,
                          "read" if k == 0 else f"+{k}")

        return draw

    return panels("Pipeline stages of a circular buffer", [
        ("none", slots(1)), ("double", slots(2)), ("triple", slots(3)), ("quadruple", slots(4))],
        columns=4, height=80)


def copy():
    def way(middle, note):
        def draw(p, x, y):
            label_box(p, x, y + 14, 44, 24, FAINT, "global")
            if middle:
                label_box(p, x + 58, y + 14, 30, 24, BLUE, middle)
                p.arrow(x + 44, y + 26, x + 56, y + 26)
                p.arrow(x + 88, y + 26, x + 100, y + 26)
            else:
                p.arrow(x + 44, y + 26, x + 100, y + 26)
            label_box(p, x + 102, y + 14, 46, 24, AMBER, "shared")
            word(p, x, y + 58, note, 10, GREY)

        return draw

    return panels("How planes reach shared memory", [
        ("synchronous", way("reg", "every thread waits")),
        ("async", way("", "cp.async by every thread")),
        ("tma", way("", "one thread, a whole box"))], height=100, width=172)


def barrier():
    def threads(kind):
        def draw(p, x, y):
            for k, length in enumerate((5, 3, 4)):
                p.rect(x, y + 6 + k * 20, length * 10, 12, BLUE, INK)
                after = 58 if kind == "block" else 78 if kind == "split" else length * 10 + 6
                if kind == "split":
                    p.rect(x + length * 10 + 4, y + 6 + k * 20, 70 - length * 10, 12, GREEN, INK)
                if kind == "slot" and k == 0:
                    after = 58
                p.rect(x + after, y + 6 + k * 20, 40, 12, AMBER, INK)
            if kind != "slot":
                at = 54 if kind == "block" else 76
                p.line(x + at, y, x + at, y + 64, RUST, 2)
            else:
                p.line(x + 54, y, x + 54, y + 22, RUST, 2)

        return draw

    return panels("Three threads at the end of a step", [
        ("block_wide", threads("block")), ("arrive_wait", threads("split")),
        ("slot_counter", threads("slot"))], height=98)


def neighbours():
    def lanes(shuffle):
        def draw(p, x, y):
            for k in range(4):
                label_box(p, x + k * 34, y + 6, 28, 20, BLUE, f"t{k}")
                if shuffle and k:
                    p.arrow(x + k * 34, y + 16, x + k * 34 - 6, y + 16, RUST)
                if not shuffle:
                    p.arrow(x + k * 34 + 14, y + 52, x + k * 34 + 14, y + 28, RUST)
            p.rect(x, y + 54, 130, 18, AMBER, INK)
            p.text(x + 65, y + 67, "shared memory", 10, "middle")

        return draw

    return panels("Neighbouring values", [("loaded", lanes(False)), ("shuffle", lanes(True))],
                  height=110, width=165)


def planes_per_step():
    def planes(n):
        return lambda p, x, y: plane_row(p, x, y, [BLUE] * n + [FAINT] * (5 - n))

    return panels("Planes that one step computes (blue)", [
        ("one_plane", planes(1)), ("several_planes", planes(2)), ("divisible_planes", planes(4))],
        height=92)


def register_rotation():
    def moved(p, x, y):
        for k, name in enumerate("abc"):
            label_box(p, x + k * 40, y + 20, 26, 24, BLUE, name)
            if k:
                p.arrow(x + k * 40, y + 32, x + k * 40 - 13, y + 32, RUST)

    def unrolled(p, x, y):
        for j, order in enumerate(("abc", "bca", "cab")):
            word(p, x, y + 16 + j * 22, f"step {j}")
            for k, name in enumerate(order):
                label_box(p, x + 44 + k * 28, y + 2 + j * 22, 24, 18, BLUE, name)

    return panels("Registers of a window of three", [("moved", moved), ("unrolled", unrolled)],
                  height=96)


# ---- memory


def outputs():
    def apart(p, x, y):
        for j in range(2):
            label_box(p, x, y + 4 + j * 30, 56, 22, BLUE, f"kernel {j + 1}")
            p.arrow(x + 56, y + 15 + j * 30, x + 74, y + 15 + j * 30)
            label_box(p, x + 76, y + 4 + j * 30, 44, 22, GREEN, f"out {j + 1}")

    def same(p, x, y):
        label_box(p, x, y + 20, 56, 22, BLUE, "kernel")
        for j in range(2):
            p.arrow(x + 56, y + 24 + j * 14, x + 74, y + 24 + j * 14)
            label_box(p, x + 76, y + 4 + j * 30, 44, 22, GREEN, f"out {j + 1}")

    return panels("Two outputs over the same points", [("default", apart), ("same_kernel", same)],
                  height=98)


def memory():
    def halo(p, x, y):
        cells(p, x + 8, y, 10, 6, lambda i, j: BLUE if 1 <= i < 9 and 1 <= j < 5 else AMBER)

    def pitch(p, x, y):
        cells(p, x + 8, y, 12, 5, lambda i, j: BLUE if i < 9 else PAPER, 10)
        for k in (0, 4, 8, 12):
            p.line(x + 8 + k * 10, y - 4, x + 8 + k * 10, y + 56, RUST)

    def update(p, x, y):
        label_box(p, x + 10, y + 20, 44, 26, BLUE, "prev")
        p.arrow(x + 54, y + 33, x + 78, y + 33)
        label_box(p, x + 80, y + 20, 50, 26, BLUE, "prev")
        word(p, x + 84, y + 62, "= next", 10, RUST)

    def stores(p, x, y):
        label_box(p, x, y + 6, 40, 22, BLUE, "core")
        label_box(p, x + 54, y + 40, 40, 22, FAINT, "cache")
        label_box(p, x + 100, y + 6, 40, 22, AMBER, "DRAM")
        p.arrow(x + 40, y + 17, x + 98, y + 17, RUST)

    def plane_pitch(p, x, y):
        for k, at in enumerate((0, 8, 16)):
            p.rect(x + 8 + at, y + k * 20, 100, 14, BLUE, INK)
        p.line(x + 8, y - 4, x + 8, y + 62, RUST, 1, "3,3")

    return panels("Grids in memory", [
        ("halo=allocated", halo), ("pitch=aligned", pitch), ("update=in_place", update),
        ("stores=non_temporal", stores), ("plane_pitch=padded", plane_pitch)], height=108, width=160)


def named(draw):
    """The same function under the name of its file."""

    def made():
        return draw()

    made.__name__ = "decision_" + draw.__name__
    return made


decision_pictures = tuple(named(draw) for draw in (
    steps, intermediates, injection, boundary, row_start, tiling, temporal, tile_order,
    tile_cache, stream_axis, plane_values, partial_sums, window, column_source, buffered_streams,
    points_per_thread, row_ends, simd, face_schedule, prefetch, buffering, copy, barrier,
    neighbours, planes_per_step, register_rotation, outputs, memory,
))
