/* A tuning space in the making: between the files that make one. */
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
    const struct lift_traits *traits; /* of the device */
    struct lift_arena *arena;
    struct lift_nats *nats;
    struct lift_param params[LIFT_SPACE_PARAMS];
    int param_count;
    struct lift_constraint constraints[MAKER_CONSTRAINTS];
    int constraint_count;
    struct lift_side_condition rows[MAKER_ROWS]; /* of arrays that boxes are copied of */
    int row_count;
    struct lift_str *why;
    bool failed;
};

/* The first reason counts. */
void maker_fail(struct space_maker *m, const char *what);

/* Values of a parameter: ascending, without repetition, those from 'lo' to 'hi' alone. */
struct space_values {
    int64_t items[MAKER_VALUES];
    int count;
};
void maker_add_value(struct space_values *v, int64_t value, int64_t lo, int64_t hi);
void maker_add_divisors(struct space_values *v, int64_t n, int64_t lo, int64_t hi);
/* The value that a parameter is set to is one of its values if it is in the tunable's
 * range. */
void maker_add_param(struct space_maker *m, const struct lift_tunable *t,
                     struct space_values *v, int64_t start);

/* With the sizes as numbers. */
lift_nat maker_at_sizes(struct space_maker *m, lift_nat n);
void maker_constrain(struct space_maker *m, enum lift_constraint_kind kind, lift_nat a,
                     lift_nat b, const char *why);

/* Bytes of a group: of local memory, of a plane of each stream whose points its
 * work-items keep in registers, and of the planes of these that are in local memory, too,
 * if there are several rows of work-items that read each other's. */
struct maker_storage {
    lift_nat local, points, shown;
};

/* What the term stores fits the device. space_storage.c */
struct maker_storage maker_limit_storage(struct space_maker *m, lift_expr term);
/* Local memory has room for so many bytes. */
void maker_limit_local(struct space_maker *m, lift_nat bytes);
/* Adds work-group sizes and the other tunables of a launch, and flags, vector widths and
 * compilers. Returns the work-items that are printed. space_launch.c */
lift_nat maker_add_launch(struct space_maker *m, lift_expr term,
                          const struct maker_storage *stored);
void maker_add_build(struct space_maker *m);

#endif
