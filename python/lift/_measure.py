"""Makes a plan that measures, in a process of one thread: the caller's has more, NumPy's
for instance, and such a process forks no other. What is found is left in a database.

The standard input has the arguments of create_planner and create_plan as JSON. A failure is
its text and kind as JSON on the standard output."""

import json
import sys

import _c


def main():
    request = json.load(sys.stdin)
    try:
        planner = _c.create_planner(*request["planner"])
        plan = _c.create_plan(planner, request["plan"])
        unkept = _c.ask("plan_facts", plan).contents.unkept
        if unkept:
            raise _c.Error(unkept.decode(errors="replace"), "database")
    except _c.Error as error:
        json.dump([str(error), error.fault], sys.stdout)


if __name__ == "__main__":
    main()
