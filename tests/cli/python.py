"""What the Python module promises, on the program of tests/cli/cli.sh: 'python.py CASE
PROGRAM DATABASE'. A case that does not hold ends with an exception."""

import copy
import locale
import os
import pickle
import shutil
import signal
import sqlite3
import sys
import time

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


def arguments():
    """Each is refused by its name before the library sees it."""
    looped = open(PROGRAM).read().replace("size ", "param k: f32 = 1\nsize ", 1) + "time (g) <- (out)\n"
    p, g = lift.plan(text=looped, sizes=SIZES), grid()
    refused(TypeError, "steps: expected a whole number, not float", p.advance, 1.5, g)
    refused(OverflowError, "steps: 1180591620717411303424 is not from", p.advance, 2**70, g)
    p.advance(numpy.int32(1), g)
    assert p.advanced == 1
    refused(TypeError, "parameter 'k': expected a number, not str", p.set, k="3")
    refused(TypeError, "parameter 'k': expected a number, not complex", p.set, k=1j)
    refused(TypeError, "parameter 'k': expected a number, not ndarray", p.set, k=numpy.ones(1))
    refused(OverflowError, "parameter 'k': 1000", p.set, k=10**400)
    p.set(k=numpy.float32(2))
    p.set(k=numpy.array(2))
    refused(TypeError, "sizes: expected a dict, or a text", lift.plan, PROGRAM, sizes=(3, 4, 5))
    refused(TypeError, "sizes['nx']: expected a whole number, not float", lift.plan, PROGRAM,
            sizes={"nx": 2.5})
    refused(TypeError, "file: expected the path of a file, not int", lift.plan, 3)
    refused(ValueError, "text: it has a NUL", lift.plan, text=looped + "\0")
    refused(TypeError, "device: expected a str, not int", plan, device=0)
    refused(TypeError, "types: expected a str, not list", plan, types=["f32"])
    refused(TypeError, "seconds: expected a number, not str", plan, seconds="3")
    refused(TypeError, "steps: expected a whole number, not float", plan, steps=2.0)
    refused(OverflowError, "steps: 4294967297 is not from", plan, steps=2**32 + 1)
    refused(TypeError, "stream: expected the address of a stream, not str", plan, stream="0")
    refused(OverflowError, "stream: -1 is not from", plan, stream=-1)
    refused(TypeError, "rules: expected a list of paths, not str", plan, rules="a.rules")
    refused(TypeError, "database: expected the path of a file, not int", plan, database=3)
    refused(TypeError, "array 'g': expected a numpy.ndarray, not NoneType", p.execute, None)
    refused(TypeError, "array 'out': expected a numpy.ndarray, not NoneType", p.execute, g, out=[None])


def copies():
    """A plan is a kernel in this process."""
    p = plan()
    for make in copy.copy, copy.deepcopy, pickle.dumps:
        refused(TypeError, "a lift.Plan can be neither copied nor pickled", make, p)
    numpy.testing.assert_allclose(p.execute(grid()), step(grid()), rtol=1e-5)
    assert pickle.loads(pickle.dumps(p.facts)) == p.facts


def masks():
    p, g = plan(), grid()
    masked = numpy.ma.masked_less(g, 0.5)
    refused(ValueError, "array 'g': some elements are masked", p.execute, masked)
    refused(ValueError, "array 'out': some elements are masked", p.execute, g, out=masked)
    numpy.testing.assert_allclose(p.execute(numpy.ma.array(g)), step(g), rtol=1e-5)


def interrupted():
    """A signal ends a call, between two steps."""
    def stop(*_):
        raise InterruptedError("stop")

    text = "size n = 1000\nstencil s(x: [f32]n) -> y = map(a -> a + 1.0f, x)\ntime (x) <- (y)\n"
    signal.signal(signal.SIGALRM, stop)
    for steps, kind, which in (0, InterruptedError, signal.SIGALRM), (3, KeyboardInterrupt, signal.SIGINT):
        p, x = lift.plan(text=text, steps=steps), numpy.zeros(1000, numpy.float32)
        if which == signal.SIGALRM:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
        else:
            os.system(f"(sleep 0.3; kill -INT {os.getpid()}) &")
        refused(kind, "", p.advance, 10**12, x)  # which would take days
        assert 0 < p.advanced < 10**12, p.advanced
        assert (x == min(p.advanced, 2**24)).all(), (x, p.advanced)
        first = p.advanced
        p.advance(2, x)
        assert p.advanced == 2 and (x == min(first + 2, 2**24)).all()


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
    """NumPy may start threads; this script makes the database."""
    p = plan(effort="measure", database=DATABASE)
    numpy.testing.assert_allclose(p.execute(grid()), step(grid()), rtol=1e-5)
    assert p.facts.chosen == "exact" and p.facts.gpts > 0 and p.facts.measured, p.facts
    assert not plan(database=DATABASE).facts.measured
    assert plan(database=DATABASE).facts.tunables == p.facts.tunables
    assert refused(lift.Error, "tpu", plan, device="tpu", effort="measure").fault == "device"
    assert refused(lift.Error, "none.db", plan, database="none.db").fault == "database"
    assert not os.path.exists("none.db")


def patient():
    """While a reader has the database open, a copy of its file has all that was found."""
    plan(effort="measure", database=DATABASE)
    reader = sqlite3.connect(DATABASE)
    count = "SELECT count(*) FROM trial"
    before = reader.execute(count).fetchone()[0]
    with plan(effort="patient", seconds=1, database=DATABASE) as p:
        assert p.facts.measured
    shutil.copy(DATABASE, DATABASE + ".copy")
    all_of_it, = reader.execute(count).fetchone()
    copied, = sqlite3.connect(DATABASE + ".copy").execute(count).fetchone()
    assert copied == all_of_it > before, (before, copied, all_of_it)
    os.system(f"(sleep 1; kill -INT {os.getpid()}) &")
    began = time.monotonic()
    refused(KeyboardInterrupt, "", plan, effort="patient", seconds=1000, database=DATABASE)
    assert time.monotonic() - began < 100


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
