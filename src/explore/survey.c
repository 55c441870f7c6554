/* The size of the space, without trying anything. */
#include "explore/session.h"

static void survey_lane(struct lane *l, lift_explore_space_row *row, void *user)
{
    struct lift_str steps = {0};

    for (int i = 0; i < l->arm_count; i++) {
        const struct lift_space *space = l->arms[i].space;
        struct lift_explore_space out = {.device = l->result->name,
                                         .expr = l->arms[i].term->hash,
                                         .tunables = lift_space_param_count(space),
                                         .raw = lift_space_raw_size(space),
                                         .valid = lift_space_estimate(space),
                                         .exact = lift_space_counted(space)};

        lift_str_clear(&steps);
        lane_print_point(l, i, &steps);
        out.steps = lift_str_get(&steps);
        row(user, &out);
    }
    lift_str_fini(&steps);
}

struct lift_explore_result lift_explore_spaces(const struct lift_explore_options *options,
                                               struct lift_diags *diags,
                                               lift_explore_space_row *row, void *user)
{
    struct lift_explore_result result = {.end = LIFT_EXPLORE_EXHAUSTED};
    struct session s = {.options = options, .result = &result, .started = session_now()};
    bool good = session_open(&s, diags);

    for (int i = 0; i < s.lane_count && good; i++) {
        good = lane_derive(&s.lanes[i]);
        if (good)
            survey_lane(&s.lanes[i], row, user);
    }
    session_sum(&s);
    session_close(&s);
    return result;
}
