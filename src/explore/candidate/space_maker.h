/* A tuning space under construction, shared by the files that make spaces. */
#ifndef EXPLORE_CANDIDATE_SPACE_MAKER_H
#define EXPLORE_CANDIDATE_SPACE_MAKER_H

#include "device/traits.h"
#include "explore/candidate_space.h"
#include "ir/sizes.h"

enum { MAKER_VALUES = 64, MAKER_CONSTRAINTS = 128, MAKER_ROWS = 32 };

struct space_maker {
    const struct candidate_space_request *request;
    const struct explore_problem *p;
    const struct lift_device_info *device;
    const struct lift_traits *traits; /* traits of the device */
    struct lift_arena *arena;
    struct lift_nats *nats;
    struct lift_param params[LIFT_SPACE_PARAMS];
    int param_count;
    struct lift_constraint constraints[MAKER_CONSTRAINTS];
    int constraint_count;
    struct lift_side_condition rows[MAKER_ROWS]; /* for TMA copies */
    int row_count;
    struct lift_str *why;
    bool failed;
    const char *refused; /* the first constraint that no point fulfils; NULL: none */
};

/* Records the first reason only. */
void maker_fail(struct space_maker *m, const char *what);

/* Values of a parameter: ascending, without repetition, from 'lo' to 'hi'. */
struct space_values {
    int64_t items[MAKER_VALUES];
    int count;
};
void maker_add_value(struct space_values *v, int64_t value, int64_t lo, int64_t hi);
void maker_add_divisors(struct space_values *v, int64_t n, int64_t lo, int64_t hi);
/* Adds a parameter. The value that the user set is added to its values if the tunable's
 * range has it. */
void maker_add_param(struct space_maker *m, const struct lift_tunable *t,
                     struct space_values *v, int64_t start);

/* Replaces the sizes by numbers. */
lift_nat maker_at_sizes(struct space_maker *m, lift_nat n);
void maker_constrain(struct space_maker *m, enum lift_constraint_kind kind, lift_nat a,
                     lift_nat b, const char *why);

/* Bytes of a block: its shared memory, and a plane of each stream whose points are in
 * registers. 'shown' counts the planes that rows of threads exchange through shared
 * memory: from the centre of a window of 'half' planes on each side to the newest. */
struct maker_storage {
    lift_nat local, points, shown;
    int64_t half;
};

/* Limits the term's storage to the device's memory. space_storage.c */
struct maker_storage maker_limit_storage(struct space_maker *m, lift_expr term);
/* Limits shared memory to the device's size. */
void maker_limit_local(struct space_maker *m, lift_nat bytes);
/* Adds block sizes and other tunables of a launch, then flags, vector widths and
 * compilers. Returns the number of threads of a block. space_launch.c */
lift_nat maker_add_launch(struct space_maker *m, lift_expr term,
                          const struct maker_storage *stored);
void maker_add_build(struct space_maker *m);

#endif
