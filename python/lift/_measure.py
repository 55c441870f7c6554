"""Makes a plan that measures, in a process of one thread: the caller's has more, NumPy's
for instance, and such a process forks no other. What is found is left in a database.

The standard input has the arguments of create_planner and create_plan as JSON. On the
standard output is, as JSON, whether the plan's kernel was measured, or a failure: its text and
kind."""

import json
import sys

import _c


def main():
    request = json.load(sys.stdin)
    planner = plan = None
    try:
        planner = _c.create_planner(*request["planner"])
        plan = _c.create_plan(planner, request["plan"])
        facts = _c.ask("plan_facts", plan).contents
        if facts.unkept:
            raise _c.Error(facts.unkept.decode(errors="replace"), "database")
        answer = {"measured": facts.measured}
    except _c.Error as error:
        answer = {"failure": [str(error), error.fault]}
    _c.ask("plan_destroy", plan)
    _c.ask("planner_destroy", planner)
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
