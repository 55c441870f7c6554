/* The tuning space of one low-level expression: parameters with a list of values
 * each, and constraints between the parameters. A point has a value for each
 * parameter. While a point is built, each constraint is checked as soon as its
 * variables are bound, so sampling never rejects whole points. The space counts the
 * completions of each prefix once. Points then have numbers, and random points are
 * uniform. Spaces that take too much work to count (well beyond 10^7 points with few
 * common prefixes) are never held in memory. */
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
    int64_t start; /* a good first value; 0: none is known */
    bool tacit;    /* 0 is one of the values, and the value if JSON omits the parameter */
    bool settled;  /* has its start value, or the nearest, in random points of the joint
                      space; no constraint names the parameter */
    const char *former; /* its name in old databases; NULL: no former name */
};

/* True if 'said' is the parameter's name or former name: ir/tunable.h. */
bool lift_param_called(const struct lift_param *param, const char *said);

enum lift_constraint_kind {
    LIFT_CONSTRAINT_LE,      /* a <= b */
    LIFT_CONSTRAINT_DIVIDES, /* a divides b */
};

/* The variables of a and b are names of parameters of the space. A constraint whose
 * sides have no value (a divisor below 1, an overflow) does not hold. */
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
/* Creates the space of the listed points, 'param_count' value indices each. Order and
 * repetition do not matter. */
struct lift_space *lift_space_create_table(struct lift_arena *arena,
                                           const struct lift_param *params,
                                           int param_count, const int *points,
                                           int64_t point_count);
int lift_space_param_count(const struct lift_space *space);
const struct lift_param *lift_space_param(const struct lift_space *space, int index);

/* Numbers of points without and with the constraints. The latter is exact up to
 * 'limit', which the function then returns. */
double lift_space_raw_size(const struct lift_space *space);
int64_t lift_space_size(const struct lift_space *space, int64_t limit);
/* True if there is no point; most often decides without counting. */
bool lift_space_empty(const struct lift_space *space);

/* True if all points were counted. The number of points is then exact. Otherwise the
 * number is an estimate, which is deterministic. */
bool lift_space_counted(const struct lift_space *space);
double lift_space_estimate(const struct lift_space *space);
/* Sets the estimate that another process has computed. */
void lift_space_set_estimate(const struct lift_space *space, double estimate);

/* In a counted space, points have numbers from 0 in lexicographic order. 'at' returns
 * false for an invalid number, 'index' returns -1 for an invalid point. */
bool lift_space_at(const struct lift_space *space, int64_t index, int *point);
int64_t lift_space_index(const struct lift_space *space, const int *point);

/* Draws a random valid point: uniform if the space is small enough to count,
 * otherwise close to uniform. Returns false if there is no valid point. 'point' holds
 * value indices. */
bool lift_space_sample(const struct lift_space *space, struct lift_rng *rng, int *point);
/* Likewise, much faster if the space is too large to count. Points whose first values
 * have few completions are then more likely. Also returns false if a short search finds
 * no point. */
bool lift_space_draw(const struct lift_space *space, struct lift_rng *rng, int *point);
bool lift_space_valid(const struct lift_space *space, const int *point);
/* The next valid point in lexicographic order after 'point', or the first if 'first'. */
bool lift_space_next(const struct lift_space *space, int *point, bool first);
/* Calls 'visit' with each valid point that differs from 'point' in one parameter by
 * one step, or with 'far' by any number of steps. With 'far', if a constraint forbids
 * the move, other parameters move along by a few steps: one side of a block and the
 * threads along that side, for example. Points may be visited twice. */
typedef void lift_space_visit(void *user, const int *point);
void lift_space_neighbours(const struct lift_space *space, const int *point, bool far,
                           lift_space_visit *visit, void *user);
/* The target value of a parameter, and the cost of each step of one value away from
 * the target. */
struct lift_space_wish {
    int index;
    double weight; /* not negative */
};

/* Finds a valid point close to the wishes, one a parameter. A short search finds the
 * closest point. The result is deterministic. Returns false if there is no point. */
bool lift_space_nearest(const struct lift_space *space,
                        const struct lift_space_wish *wishes, int *point);
/* The parameters' values of a point, by name, for lift_nat_eval and lift_nat_subst. */
int64_t lift_space_value(const struct lift_space *space, const int *point,
                         const char *name, bool *found);

/* A point as canonical JSON, {"name":value,...}, names sorted, no blanks; the caller
 * frees the text. Tacit parameters that are 0 are omitted, so that points keep their
 * JSON when such a parameter is added. The inverse returns false, with 'point'
 * unspecified, if the text is not of this space. */
char *lift_space_json(const struct lift_space *space, const int *point);
bool lift_space_parse(const struct lift_space *space, const char *json, int *point);

#endif
