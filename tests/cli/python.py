"""What the Python module promises, on the program of tests/cli/cli.sh: 'python.py CASE
PROGRAM DATABASE'. A case that does not hold ends with an exception."""

import locale
import sys

import lift
import numpy

CASE, PROGRAM, DATABASE = sys.argv[1:4]
SIZES = {"nx": 40, "ny": 24}


def plan(**options):
    return lift.plan(PROGRAM, sizes=SIZES, **options)


def grid(dtype=numpy.float32):
    return numpy.random.default_rng(1).random((24, 40)).astype(dtype)


def step(g):
    """The program, by NumPy."""
    out = g.copy()
    out[1:-1, 1:-1] = 0.25 * (g[:-2, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:] + g[2:, 1:-1])
    return out


def refused(kind, words, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except kind as error:
        assert words in str(error), f"no '{words}' in: {error}"
        return error
    raise AssertionError(f"no {kind.__name__}: {words}")


def execute():
    with plan() as p:
        assert p.inputs == (lift.Array("g", numpy.dtype("f4"), (24, 40)),), p.inputs
        assert p.facts.chosen == "default" and p.facts.points == 960, p.facts
        g, out = grid(), numpy.zeros((24, 40), numpy.float32)
        numpy.testing.assert_allclose(p.execute(g), step(g), rtol=1e-5)
        assert p.execute(g=g, out=out) is out
        numpy.testing.assert_allclose(out, step(g), rtol=1e-5)
        large = numpy.zeros((48, 40), numpy.float32)  # rows of it are used where they are
        p.execute(g, out=large[24:])
        assert (large[:24] == 0).all() and (large[24:] == out).all()


def options():
    g = grid(numpy.float64)
    p = lift.plan(text=open(PROGRAM).read(), precision="double", sizes="nx=40,ny=24", types="f64")
    numpy.testing.assert_allclose(p.execute(g), step(g), rtol=1e-12)
    assert not p.iterates
    error = refused(lift.Error, "no time loop", p.advance, 3, g)
    assert error.fault == "argument"


def stored():
    """Elements of 2 bytes, added and rounded by NumPy."""
    text = ("size n = 100\n"
            "stencil s(x: [f32]n store f16, y: [f32]n store bf16) -> (a store f16, b store bf16) =\n"
            "    unzip(map((v, w) => (v + w, 3.0 * w), zip(x, y)))\n")
    x = grid(numpy.float16).ravel()[:100]
    y = (grid().view(numpy.uint32) >> 16).astype(numpy.uint16).ravel()[100:200]
    wide = (y.astype(numpy.uint32) << 16).view(numpy.float32)
    a, b = lift.plan(text=text).execute(x, y)
    assert a.dtype == numpy.float16 and b.dtype == numpy.uint16, (a, b)
    numpy.testing.assert_array_equal(a, (x.astype(numpy.float32) + wide).astype(numpy.float16))
    numpy.testing.assert_allclose((b.astype(numpy.uint32) << 16).view(numpy.float32), 3 * wide,
                                  rtol=2**-8)


def looped():
    text = open(PROGRAM).read() + "\ntime (g) <- (out)\n"
    for steps in 0, 2:
        p = lift.plan(text=text, sizes=SIZES, steps=steps)
        g, want = grid(), grid()
        for _ in range(5):
            want = step(want)
        p.advance(5, g)
        numpy.testing.assert_allclose(g, want, rtol=1e-5)


def arrays():
    p, g = plan(), grid()
    refused(TypeError, "float32, not float64", p.execute, grid(numpy.float64))
    refused(ValueError, "expected shape (24, 40)", p.execute, g.T)
    refused(ValueError, "C order", p.execute, numpy.asfortranarray(g))
    refused(TypeError, "numpy.ndarray, not list", p.execute, [1.0])
    refused(TypeError, "'g' is missing", p.execute)
    refused(TypeError, "no input 'h'", p.execute, g, h=g)
    refused(TypeError, "2 arrays", p.execute, g, g)
    frozen = grid()
    frozen.flags.writeable = False
    refused(ValueError, "read-only", p.execute, g, out=frozen)
    numpy.testing.assert_allclose(p.execute(frozen), step(g), rtol=1e-5)
    refused(lift.Error, "no parameter 'k'", p.set, k=1)
    p.close()
    refused(lift.Error, "closed", p.execute, g)
    assert refused(lift.Error, "tpu", plan, device="tpu").fault == "device"
    assert refused(lift.Error, ":1:", lift.plan, text="nonsense").fault == "program"
    refused(lift.Error, "effort", plan, effort="hasty")


class Remote:
    """An array of a device, as its interface tells."""

    def __init__(self, **changed):
        self.__cuda_array_interface__ = {
            "typestr": "<f4", "shape": (24, 40), "strides": None, "data": (4096, False),
            "version": 3, **changed}


def remote():
    p = plan()
    refused(TypeError, "'out' is missing", p.execute, Remote())
    refused(TypeError, "the plan is for 'host'", p.execute, Remote(), out=Remote())
    refused(lift.Error, "no streams", plan, stream=4096)
    p._device = "cuda:0"  # all but the device itself; the host works on what it is told
    refused(TypeError, "this one is not", p.execute, grid(), out=Remote())
    refused(TypeError, "float32, not float64", p.execute, Remote(typestr="<f8"), out=Remote())
    refused(ValueError, "expected shape", p.execute, Remote(shape=(24, 41)), out=Remote())
    refused(ValueError, "C order", p.execute, Remote(strides=(4, 96)), out=Remote())
    refused(ValueError, "read-only", p.execute, Remote(), out=Remote(data=(4096, True)))
    g, out = grid(), numpy.zeros((24, 40), numpy.float32)
    p.execute(Remote(data=(g.ctypes.data, True), strides=(160, 4)),
              out=Remote(data=(out.ctypes.data, False)))
    numpy.testing.assert_allclose(out, step(g), rtol=1e-5)


def measured():
    """NumPy may have threads of its own, and the database is made by this."""
    p = plan(effort="measure", database=DATABASE)
    numpy.testing.assert_allclose(p.execute(grid()), step(grid()), rtol=1e-5)
    assert p.facts.chosen == "exact" and p.facts.gpts > 0, p.facts
    assert plan(database=DATABASE).facts.tunables == p.facts.tunables
    assert refused(lift.Error, "tpu", plan, device="tpu", effort="measure").fault == "device"


def german():
    """As measured() and more under the locale of the environment."""
    locale.setlocale(locale.LC_ALL, "")
    assert locale.localeconv()["decimal_point"] == ",", locale.localeconv()
    text = ("size n = 100\nstencil s(x: [f32]n) -> (a, b) =\n"
            "    (map(w -> w * 0.375, x), map(w -> w * (1.25f + 1.25f), x))\n")
    x = grid().ravel()[:100]
    for options in {}, {"effort": "measure", "database": DATABASE}:
        a, b = lift.plan(text=text, **options).execute(x)
        numpy.testing.assert_allclose(a, 0.375 * x, rtol=1e-6)
        numpy.testing.assert_allclose(b, 2.5 * x, rtol=1e-6)
    locale.setlocale(locale.LC_ALL, "C")
    assert lift.plan(text=text, database=DATABASE).facts.chosen == "exact"


def opencl():
    p = plan(device="opencl:0")
    numpy.testing.assert_allclose(p.execute(grid()), step(grid()), rtol=1e-5)


globals()[CASE]()
