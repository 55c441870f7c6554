"""Stencils of lift on NumPy arrays: a plan is made once and executed many times.

    import lift, numpy as np
    plan = lift.plan("heat.lift", sizes={"nx": 64, "ny": 64, "nz": 64})
    u = np.random.default_rng(1).random(plan.inputs[0].shape, np.float32)
    plan.advance(100, u)
    print(u.mean(), plan.facts.why)

Arrays are used where they are, those of a CUDA or HIP device too: they must have the type and shape that the plan says, in C order.
A plan is used by one thread at a time. docs/use-a-kernel.md has the rest.
"""

import collections
import ctypes
import json
import operator
import os

import numpy

from . import _c
from ._c import Error

__all__ = ["Array", "Error", "Facts", "Plan", "Planner", "plan"]
__version__ = _c.VERSION

_DTYPES = tuple(numpy.dtype(name) for name in ("f4", "f8", "i4", "?", "f2", "u2"))

Array = collections.namedtuple("Array", "name dtype shape")
Array.__doc__ = "What a plan expects of an array."
Facts = collections.namedtuple(
    "Facts", "program sizes device chosen why measured gpts points copied tunables flags "
    "source rewrites advance_steps advance_gpts")
Facts.__doc__ = "What a plan is: struct lift_plan_facts, with 'sizes' and 'tunables' as dict."


# Converts arguments to the library's types. A wrong argument is rejected by name: ctypes would
# report positions, cut texts at their NUL, and wrap integers.


def _kind(value):
    return type(value).__name__


def _text(name, value, expected="a str"):
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected {expected}, not {_kind(value)}")
    if "\0" in value:
        raise ValueError(f"{name}: it has a NUL character, at which the library would cut it")
    return value


def _path(name, value):
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{name}: expected the path of a file, not {_kind(value)}")
    return os.path.abspath(_text(name, os.fsdecode(value)))


def _whole(name, value, least, most, expected="a whole number"):
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected {expected}, not {_kind(value)}") from None
    if not least <= value <= most:
        raise OverflowError(f"{name}: {value} is not from {least} to {most}")
    return value


def _number(name, value):
    fits = hasattr(value, "__float__") or hasattr(value, "__index__")
    if not fits or isinstance(value, numpy.complexfloating) or getattr(value, "shape", ()) != ():
        raise TypeError(f"{name}: expected a number, not {_kind(value)}")
    try:
        return float(value)
    except OverflowError:
        raise OverflowError(f"{name}: {value} is beyond all floating-point numbers") from None


def _lengths(sizes):
    if not isinstance(sizes, dict):
        return _text("sizes", sizes, "a dict, or a text like \"nx=256,ny=256\"")
    return ",".join(f"{_text('sizes', name, 'names of type str')}="
                    f"{_whole(f'sizes[{name!r}]', length, -2**63, 2**63 - 1)}"
                    for name, length in sizes.items())


def _optional(check, name, value):
    return None if value is None else check(name, value)


class Planner:
    """Rules and a database, for several plans. 'database' is a file of lift-explore; one that
    is absent is made by the first plan that measures, and refused before. 'rules' are files of
    further rules."""

    def __init__(self, database=None, rules=()):
        if isinstance(rules, (str, bytes, os.PathLike)):
            raise TypeError(f"rules: expected a list of paths, not {_kind(rules)}")
        self._database = _optional(_path, "database", database)
        self._rules = [_path("rules", rule) for rule in rules]

    def plan(self, file=None, *, text=None, sizes=None, precision=None, types=None,
             device="host", effort="estimate", seconds=0, steps=0, stream=None):
        """A plan for the program in 'file', or the 'text' of one, at 'sizes' (a dict, or
        "nx=256,ny=256"; else the program's own) on 'device'. 'effort' is "estimate": the best
        kernel that the database knows, else a default kernel; "measure": the fastest of the first
        five of these; or "patient": explored for 'seconds'. 'steps' of the time loop are
        computed by one launch. 'stream' is the address of a stream or queue, to which the work
        goes. The others are those of struct lift_plan_options."""
        if effort not in _c.EFFORTS:
            raise Error(f"effort '{effort}': expected one of {', '.join(_c.EFFORTS)}")
        options = dict(program=_optional(_text, "text", text), file=_optional(_path, "file", file),
                       precision=_optional(_text, "precision", precision),
                       sizes=None if sizes is None else _lengths(sizes),
                       types=_optional(_text, "types", types), device=_text("device", device),
                       effort=_c.EFFORTS.index(effort), seconds=_number("seconds", seconds),
                       steps=_whole("steps", steps, -2**31, 2**31 - 1))
        if stream is not None:
            stream = _whole("stream", stream, 0, 2**64 - 1, "the address of a stream")
        planner = _c.create_planner(self._database, effort != "estimate", self._rules)
        try:
            handle = _c.create_plan(planner, {**options, "stream": stream})
        finally:
            _c.ask("planner_destroy", planner)
        unkept = _c.ask("plan_facts", handle).contents.unkept
        if unkept:
            _c.ask("plan_destroy", handle)
            raise Error(unkept.decode(errors="replace"), "database")
        return Plan(handle, device)


def plan(file=None, *, database=None, rules=(), **options):
    """A plan with a separate planner: see Planner and Planner.plan."""
    return Planner(database, rules).plan(file, **options)


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


def _on_device(arrays):
    """Whether they are on a device: one is enough to say so, and none may be elsewhere."""
    return any(hasattr(array, "__cuda_array_interface__") for array in arrays)


def _unmasked(what, masked):
    if masked:
        raise ValueError(f"{what}: some elements are masked, and kernels know no masks: pass "
                         "numpy.ma.filled, or the data alone")


def _seen(array, what, on_device):
    """Type, shape, strides, whether it may be written, and address of the elements."""
    if on_device:
        if not hasattr(array, "__cuda_array_interface__"):
            raise TypeError(f"{what}: other arrays are on the device, and this one is not")
        seen = array.__cuda_array_interface__
        _unmasked(what, seen.get("mask") is not None)
        return (numpy.dtype(seen["typestr"]), tuple(seen["shape"]), seen.get("strides"),
                not seen["data"][1], seen["data"][0])
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"{what}: expected a numpy.ndarray, not {type(array).__name__}")
    _unmasked(what, isinstance(array, numpy.ma.MaskedArray) and numpy.ma.is_masked(array))
    strides = None if array.flags.c_contiguous else array.strides
    return array.dtype, array.shape, strides, array.flags.writeable, array.ctypes.data


def _strides(wanted):
    """In bytes, of an array in C order without gaps."""
    strides = [wanted.dtype.itemsize]
    for length in reversed(wanted.shape[1:]):
        strides.insert(0, strides[0] * length)
    return tuple(strides)


def _address(array, wanted, written, on_device):
    """Of the elements, once they are what the kernel takes them for."""
    what = f"array '{wanted.name}'"
    dtype, shape, strides, writeable, address = _seen(array, what, on_device)
    if dtype != wanted.dtype:
        raise TypeError(f"{what}: expected elements of {wanted.dtype}, not {dtype}")
    if shape != wanted.shape:
        raise ValueError(f"{what}: expected shape {wanted.shape}, not {shape}")
    if strides is not None and tuple(strides) != _strides(wanted):
        raise ValueError(f"{what}: expected C order without gaps: numpy.ascontiguousarray")
    if written and not writeable:
        raise ValueError(f"{what}: it is read-only, and would be written")
    return address


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


def _pointers(wanted, arrays, written, on_device, optional=False):
    return (ctypes.c_void_p * len(wanted))(*(
        None if array is None and optional else _address(array, each, written, on_device)
        for each, array in zip(wanted, arrays)))


class Plan:
    """A kernel for a program, its sizes and a device. 'inputs' and 'outputs' say what arrays
    it expects, in which order; 'facts' which kernel it is, and why that one; 'iterates'
    whether the program has a time loop. It is neither copied nor pickled."""

    def __init__(self, handle, device):
        self._handle, self._device = handle, device
        self.inputs, self.outputs = _arrays(handle, "input"), _arrays(handle, "output")
        self.iterates = _c.ask("plan_iterates", handle)
        self.facts = _facts(handle)

    def __reduce_ex__(self, protocol):
        raise TypeError("a lift.Plan can be neither copied nor pickled: its kernel is loaded into "
                        "this process; make another one by lift.plan")

    def set(self, **values):
        """Gives scalar parameters of the program other values than their defaults."""
        for name, value in values.items():
            name = _text("parameter", name)
            value = _number(f"parameter '{name}'", value)
            _c.call("plan_set_param", self._open(), os.fsencode(name), value)

    def execute(self, *inputs, out=None, **named):
        """One step: reads the inputs, given by place or by name, writes the outputs, and
        returns them. 'out' is an array or a list of them, else new ones are made. An output
        may be an input, which it replaces."""
        inputs = _given(self.inputs, inputs, named, "input")
        if out is None and _on_device(inputs):
            raise TypeError("arrays on the device: 'out' is missing")
        outputs = self._outputs(out)
        self._call(_c.call, "plan_execute", (inputs, False), outputs)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def advance(self, steps, *arrays, out=None, **named):
        """So many steps of the time loop. The arrays are the inputs, and hold the state before
        the first step; afterwards that before step 'steps' + 1. 'out' receives what the last
        step computed; None, or None for one of them: nobody wants it. Ctrl-C ends the call
        after the current step: the arrays hold the state after 'advanced' steps."""
        steps = _whole("steps", steps, -2**63, 2**63 - 1)
        arrays = _given(self.inputs, arrays, named, "input")
        outputs = self._outputs(out) if out is not None else [None] * len(self.outputs)
        self._call(_c.call_watched, "plan_advance", (arrays, True), outputs, steps)

    @property
    def advanced(self):
        """Steps that the last call of 'advance' computed."""
        return _c.ask("plan_advanced", self._open())

    def _call(self, call, name, given, outputs, *rest):
        inputs, written = given
        on_device = _on_device(inputs + outputs)
        if on_device and self._device.split(":")[0] not in ("cuda", "hip"):
            raise TypeError(f"arrays on the device: the plan is for '{self._device}'")
        call(name + ("_on_device" if on_device else ""), self._open(),
             _pointers(self.inputs, inputs, written, on_device),
             _pointers(self.outputs, outputs, True, on_device, name == "plan_advance"), *rest)

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
