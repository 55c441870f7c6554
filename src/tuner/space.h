/* The tuning space of one low-level expression: parameters with a list of values each,
 * and constraints between them. Constraints are resolved while a point is built,
 * parameter by parameter, each as soon as its variables are bound: sampling never rejects
 * whole points. The points that begin with some values are counted once, so that points
 * have numbers and chance is uniform; spaces for which that is too much work (well beyond
 * 10^7 points that have little in common) are never held in memory. */
#ifndef TUNER_SPACE_H
#define TUNER_SPACE_H

#include "base/arena.h"
#include "base/rng.h"
#include "ir/nat.h"
#include <stdbool.h>

enum { LIFT_SPACE_PARAMS = 32 };

struct lift_param {
    const char *name;
    const int64_t *values; /* ascending, without repetition */
    int count;
    int64_t start; /* a value that is worth trying first; 0: none is known */
    bool tacit;    /* 0 is one of the values, and is meant where JSON does not name it */
    bool settled;  /* has its start value, or the nearest, in random points of the joint
                    * space; no constraint names it */
    const char *former; /* what old databases call it; NULL: the same */
};

/* True if 'said' means the parameter, by its name or its former one: ir/tunable.h. */
bool lift_param_called(const struct lift_param *param, const char *said);

enum lift_constraint_kind {
    LIFT_CONSTRAINT_LE,      /* a <= b */
    LIFT_CONSTRAINT_DIVIDES, /* a divides b */
};

/* The variables of a and b are names of parameters of the space, which take their values.
 * A constraint whose sides have no value (a divisor below 1, an overflow) does not hold.
 */
struct lift_constraint {
    enum lift_constraint_kind kind;
    lift_nat a, b;
    const char *why; /* "local memory", "work-group size", ...: for reports */
};

struct lift_space;

/* Copies everything into 'arena'. At most LIFT_SPACE_PARAMS parameters. */
struct lift_space *lift_space_create(struct lift_arena *arena,
                                     const struct lift_param *params, int param_count,
                                     const struct lift_constraint *constraints,
                                     int constraint_count);
/* The space of the listed points, 'param_count' value indices each: order and repetition
 * do not matter. */
struct lift_space *lift_space_create_table(struct lift_arena *arena,
                                           const struct lift_param *params,
                                           int param_count, const int *points,
                                           int64_t point_count);
int lift_space_param_count(const struct lift_space *space);
const struct lift_param *lift_space_param(const struct lift_space *space, int index);

/* Number of points without and with the constraints; the latter exact up to 'limit'
 * (which it then returns). */
double lift_space_raw_size(const struct lift_space *space);
int64_t lift_space_size(const struct lift_space *space, int64_t limit);
/* Most often without counting. */
bool lift_space_empty(const struct lift_space *space);

/* True if all points were counted. The number of points is exact then and an estimate,
 * always the same, otherwise. */
bool lift_space_counted(const struct lift_space *space);
double lift_space_estimate(const struct lift_space *space);
/* What another process has found it to be. */
void lift_space_set_estimate(const struct lift_space *space, double estimate);

/* In a space that was counted, points have numbers from 0 in lexicographic order. 'at'
 * answers false if there is no such number, 'index' -1 for a point that is not valid. */
bool lift_space_at(const struct lift_space *space, int64_t index, int *point);
int64_t lift_space_index(const struct lift_space *space, const int *point);

/* A random valid point, uniform where the space is small enough to count and close to it
 * otherwise; false if there is no valid point. 'point' holds value indices. */
bool lift_space_sample(const struct lift_space *space, struct lift_rng *rng, int *point);
bool lift_space_valid(const struct lift_space *space, const int *point);
/* The next valid point in lexicographic order after 'point', or the first if 'first'. */
bool lift_space_next(const struct lift_space *space, int *point, bool first);
/* Calls 'visit' with each valid point that differs from 'point' in one parameter by one
 * step (or, where 'far', to any value), others kept. */
typedef void lift_space_visit(void *user, const int *point);
void lift_space_neighbours(const struct lift_space *space, const int *point, bool far,
                           lift_space_visit *visit, void *user);
/* What a parameter should be, and how much a step of one value away from it counts. */
struct lift_space_wish {
    int index;
    double weight; /* not negative */
};

/* A valid point that is close to the wishes, one a parameter: the closest where the
 * search for it is short. The same wishes give the same point. False if there is none. */
bool lift_space_nearest(const struct lift_space *space,
                        const struct lift_space_wish *wishes, int *point);
/* The parameters' values of a point, by name, for lift_nat_eval and lift_nat_subst. */
int64_t lift_space_value(const struct lift_space *space, const int *point,
                         const char *name, bool *found);

/* A point as canonical JSON, {"name":value,...}, names sorted, no blanks: the caller
 * frees it. Tacit parameters that are 0 are left out, so that points keep the JSON that
 * they had before there was such a parameter. The way back is false, and 'point'
 * unspecified, if the text is not of this space. */
char *lift_space_json(const struct lift_space *space, const int *point);
bool lift_space_parse(const struct lift_space *space, const char *json, int *point);

#endif
