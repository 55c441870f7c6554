/* The inside of a joint space, shared by the files joint*.c. */
#ifndef TUNER_SPACE_JOINT_CORE_H
#define TUNER_SPACE_JOINT_CORE_H

#include "tuner/joint.h"

struct joint_expr {
    const struct lift_space *space;
    const double *features;
    const int *near;
    int near_count;
    uint64_t key;
    int params;
    const int *column; /* of each parameter */
    /* once the sizes are known: */
    int64_t first; /* number of its first point, where all are counted */
    double before; /* (estimated) points of the expressions before it */
    double size;
};

/* Of all expressions. Where there are many this takes seconds, so it is done when it is
 * asked for. */
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
    bool *linear; /* of the columns: the value itself, not its logarithm */
    int feature_count, column_count;
    struct joint_sizes *sizes;
    lift_joint_guess *guess;
    void *guess_user;
    int share, shares;
};

/* Writes the value of a parameter; false if there is none of its name. */
typedef bool joint_lookup(void *user, const struct lift_param *param, int64_t *value);

/* The point of an expression that is closest to the values that are found, as
 * lift_joint_carry says; 'lookup' may be NULL. */
bool joint_carry(const struct lift_joint *joint, joint_lookup *lookup, void *user,
                 int expr, struct lift_choice *to);

/* Gives the parameters their columns. */
void joint_make_columns(struct lift_joint *joint, struct lift_arena *arena,
                        const struct lift_joint_parts *parts);

#endif
