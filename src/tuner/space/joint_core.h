/* Internal structures of a joint space, shared by the files joint*.c. */
#ifndef TUNER_SPACE_JOINT_CORE_H
#define TUNER_SPACE_JOINT_CORE_H

#include "tuner/joint.h"

struct joint_expr {
    const struct lift_space *space;
    const double *features;
    const int *near;
    int near_count;
    uint64_t key;
    int group;
    int params;
    const int *column; /* of each parameter */
    /* set when the sizes are known: */
    int64_t first; /* number of the expression's first point, if all points are counted */
    double before; /* (estimated) number of points of the preceding expressions */
    double size;
};

/* Sizes of all expressions. Many expressions take seconds, so the first request
 * computes the sizes. */
struct joint_sizes {
    bool known;
    bool counted;
    int64_t points; /* if counted */
    double valid;
};

struct lift_joint {
    struct joint_expr *exprs;
    int count;
    const char **columns;
    bool *linear; /* for each column: holds the value itself, not its logarithm */
    int feature_count, column_count;
    struct joint_sizes *sizes;
    lift_joint_guess *guess;
    void *guess_user;
    int share, shares;
};

/* Writes the value of a parameter; returns false if no value has its name. */
typedef bool joint_lookup(void *user, const struct lift_param *param, int64_t *value);

/* Finds the expression's point that is closest to the values of 'lookup', as
 * lift_joint_carry does; 'lookup' may be NULL. */
bool joint_carry(const struct lift_joint *joint, joint_lookup *lookup, void *user,
                 int expr, struct lift_choice *to);

/* Assigns columns to the parameters. */
void joint_make_columns(struct lift_joint *joint, struct lift_arena *arena,
                        const struct lift_joint_parts *parts);

#endif
