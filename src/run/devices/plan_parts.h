/* The inside of a plan on several devices (lift/plan.h). */
#ifndef RUN_DEVICES_PLAN_PARTS_H
#define RUN_DEVICES_PLAN_PARTS_H

#include "run/parts.h"
#include "run/ranks/team.h"

struct lift_parts {
    struct plan_owner owner;
    struct team team;
    struct lift_arena *arena;
    struct lift_source source;
    struct explore_problem *problem;
    struct parts *all;
    int64_t launches; /* since the arrays were loaded; -1: not loaded */
};

#endif
