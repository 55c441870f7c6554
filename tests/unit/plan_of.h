/* Plans of tests: each is made, or the test fails with the reason. */
#ifndef PLAN_OF_H
#define PLAN_OF_H

#include "lift/plan.h"

static struct lift_error error;

static struct lift_plan *plan_of(struct lift_planner *planner,
                                 const struct lift_plan_options *options)
{
    struct lift_plan *plan = lift_plan_create(planner, options, &error);

    if (!plan)
        fail_msg("%s", lift_error_text(&error));
    return plan;
}

#endif
