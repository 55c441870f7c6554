"""Stencils of lift on NumPy arrays: a plan is made once and executed many times.

    import lift, numpy as np
    plan = lift.plan("heat.lift", sizes={"nx": 64, "ny": 64, "nz": 64})
    u = np.random.default_rng(1).random(plan.inputs[0].shape, np.float32)
    plan.advance(100, u)
    print(u.mean(), plan.facts.why)

Arrays are used where they are: they must have the type and shape that the plan says, in C order.
A plan is used by one thread at a time. docs/python.md has the rest.
"""

import collections
import ctypes
import json
import os
import subprocess
import sys
import tempfile

import numpy

from . import _c
from ._c import Error

__all__ = ["Array", "Error", "Facts", "Plan", "Planner", "plan"]
__version__ = _c.VERSION

_DTYPES = tuple(numpy.dtype(name) for name in ("f4", "f8", "i4", "?"))

Array = collections.namedtuple("Array", "name dtype shape")
Array.__doc__ = "What a plan expects of an array."
Facts = collections.namedtuple(
    "Facts", "program sizes device chosen why measured gpts points copied tunables flags "
    "source rewrites")
Facts.__doc__ = "What a plan is: struct lift_plan_facts, with 'sizes' and 'tunables' as dict."


class Planner:
    """Rules and a database, for several plans. 'database' is a file of lift-explore; one that
    is absent is made by the first plan that measures. 'rules' are files of further rules."""

    def __init__(self, database=None, rules=()):
        self._where = (None if database is None else os.path.abspath(database), True,
                       [os.path.abspath(rule) for rule in rules])

    def plan(self, file=None, *, text=None, sizes=None, precision=None, types=None,
             device="host", effort="estimate", seconds=0, steps=0):
        """A plan for the program in 'file', or the 'text' of one, at 'sizes' (a dict, or
        "nx=256,ny=256"; else the program's own) on 'device'. 'effort' is "estimate": the best
        kernel that the database knows, else a plain one; "measure": the fastest of the first
        five of these; or "patient": explored for 'seconds'. 'steps' of the time loop are
        computed by one launch. The others are those of struct lift_plan_options."""
        if effort not in _c.EFFORTS:
            raise Error(f"effort '{effort}': expected one of {', '.join(_c.EFFORTS)}")
        if isinstance(sizes, dict):
            sizes = ",".join(f"{name}={length}" for name, length in sizes.items())
        options = dict(program=text, file=None if file is None else os.path.abspath(file),
                       precision=precision, sizes=sizes, types=types, device=device,
                       effort=_c.EFFORTS.index(effort), seconds=seconds, steps=steps)
        if effort == "estimate":
            return _create(self._where, options)
        return _measured(self._where, options)


def plan(file=None, *, database=None, rules=(), **options):
    """A plan of a planner of its own: see Planner and Planner.plan."""
    return Planner(database, rules).plan(file, **options)


def _create(where, options):
    planner = _c.create_planner(*where)
    try:
        return Plan(_c.create_plan(planner, options))
    finally:
        _c.ask("planner_destroy", planner)


def _measured(where, options):
    """The plan is made twice: by another process, and from what that one left."""
    database, create, rules = where
    with tempfile.TemporaryDirectory(prefix="lift-") as folder:
        where = (database or os.path.join(folder, "plan.db"), create, rules)
        done = subprocess.run(
            [sys.executable, os.path.join(os.path.dirname(_c.__file__), "_measure.py")],
            input=json.dumps({"planner": where, "plan": options}), stdout=subprocess.PIPE,
            text=True, check=False)
        if done.stdout:
            raise Error(*json.loads(done.stdout))
        if done.returncode:
            raise Error(f"the process that measures ended with status {done.returncode}", "run")
        return _create(where, {**options, "effort": 0, "seconds": 0})


def _arrays(plan, side):
    answer, found = _c.PlanArray(), []
    for index in range(_c.ask(f"plan_{side}s", plan)):
        _c.ask(f"plan_{side}", plan, index, ctypes.byref(answer))
        found.append(Array(answer.name.decode(), _DTYPES[answer.type],
                           tuple(answer.length[:answer.dims])))
    return tuple(found)


def _facts(plan):
    given = _c.ask("plan_facts", plan).contents
    values = {name: getattr(given, name) for name in Facts._fields}
    values = {name: value.decode(errors="replace") if isinstance(value, bytes) else value
              for name, value in values.items()}
    for name in "sizes", "tunables":
        values[name] = json.loads(values[name] or "{}")
    values["rewrites"] = tuple((step.rule.decode(), step.position.decode())
                               for step in given.rewrites[:given.rewrite_count])
    return Facts(**values)


def _address(array, wanted, written):
    """Of the elements, once they are what the kernel takes them for."""
    what = f"array '{wanted.name}'"
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"{what}: expected a numpy.ndarray, not {type(array).__name__}")
    if array.dtype != wanted.dtype:
        raise TypeError(f"{what}: expected elements of {wanted.dtype}, not {array.dtype}")
    if array.shape != wanted.shape:
        raise ValueError(f"{what}: expected shape {wanted.shape}, not {array.shape}")
    if not array.flags.c_contiguous:
        raise ValueError(f"{what}: expected C order without gaps: numpy.ascontiguousarray")
    if written and not array.flags.writeable:
        raise ValueError(f"{what}: it is read-only, and would be written")
    return array.ctypes.data


def _given(wanted, arrays, names, side):
    """The caller's arrays in the plan's order: the first ones by place, others by name."""
    if len(arrays) > len(wanted):
        raise TypeError(f"{len(arrays)} arrays: the plan has {len(wanted)} {side}s")
    order = list(arrays)
    for array in wanted[len(arrays):]:
        if array.name not in names:
            raise TypeError(f"{side} '{array.name}' is missing")
        order.append(names.pop(array.name))
    if names:
        raise TypeError(f"there is no {side} '{next(iter(names))}' besides those given")
    return order


def _pointers(wanted, arrays, written):
    return (ctypes.c_void_p * len(wanted))(*(
        None if array is None else _address(array, each, written)
        for each, array in zip(wanted, arrays)))


class Plan:
    """A kernel for a program, its sizes and a device. 'inputs' and 'outputs' say what arrays
    it expects, in which order; 'facts' which kernel it is, and why that one; 'iterates'
    whether the program has a time loop."""

    def __init__(self, handle):
        self._handle = handle
        self.inputs, self.outputs = _arrays(handle, "input"), _arrays(handle, "output")
        self.iterates = _c.ask("plan_iterates", handle)
        self.facts = _facts(handle)

    def set(self, **values):
        """Gives scalar parameters of the program other values than their defaults."""
        for name, value in values.items():
            _c.call("plan_set_param", self._open(), name.encode(), value)

    def execute(self, *inputs, out=None, **named):
        """One step: reads the inputs, given by place or by name, writes the outputs, and
        returns them. 'out' is an array or a list of them, else new ones are made. An output
        may be an input, which it replaces."""
        inputs = _given(self.inputs, inputs, named, "input")
        outputs = self._outputs(out)
        _c.call("plan_execute", self._open(), _pointers(self.inputs, inputs, False),
                _pointers(self.outputs, outputs, True))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def advance(self, steps, *arrays, out=None, **named):
        """So many steps of the time loop. The arrays are the inputs, and hold the state before
        the first step; afterwards that before step 'steps' + 1. 'out' receives what the last
        step computed; None, or None for one of them: nobody wants it."""
        arrays = _given(self.inputs, arrays, named, "input")
        outputs = self._outputs(out) if out is not None else [None] * len(self.outputs)
        _c.call("plan_advance", self._open(), _pointers(self.inputs, arrays, True),
                _pointers(self.outputs, outputs, True), steps)

    def _outputs(self, out):
        if out is None:
            return [numpy.empty(each.shape, each.dtype) for each in self.outputs]
        outputs = list(out) if isinstance(out, (list, tuple)) else [out]
        if len(outputs) != len(self.outputs):
            raise TypeError(f"{len(outputs)} arrays: the plan has {len(self.outputs)} outputs")
        return outputs

    def _open(self):
        if not self._handle:
            raise Error("the plan is closed")
        return self._handle

    def close(self):
        """Releases kernel and buffers; so does the end of a 'with' block."""
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            _c.ask("plan_destroy", handle)

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        f = self.facts
        return f"<lift.Plan of {f.program} {f.sizes} on {f.device}: {f.chosen}>"
