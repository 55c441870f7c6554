/* The search space of an exploration: the points of the spaces of all low-level
 * expressions of a problem on a device. A search technique works on this space and
 * does not know its origin: recorded tables have the same interface.
 *
 * Expressions are near to each other if one rule applied, undone or replaced leads
 * from one to the other. Values of tunables are carried over by name. */
#ifndef TUNER_JOINT_H
#define TUNER_JOINT_H

#include "tuner/space.h"

/* A point. All functions below that write a choice set the values that its
 * expression's space does not use to 0, so that equal points are equal bytes. */
struct lift_choice {
    int expr;
    int values[LIFT_SPACE_PARAMS]; /* value indices of the expression's space */
};

enum { LIFT_JOINT_GROUPS = 16 };

/* One expression of the space. */
struct lift_joint_expr {
    const struct lift_space *space;
    const double *features; /* one for each name; NULL: all 0 */
    const int *near;        /* other expressions, the nearest first */
    int near_count;
    uint64_t key; /* identifies the expression when processes divide the space */
    int group; /* 0 to LIFT_JOINT_GROUPS - 1; techniques look around the fastest point of
                  each group of expressions, such as those with equal time steps */
};

/* Estimates how long a point's kernel will take, without a trial: in seconds, or in a
 * unit that grows with the time. Infinite: no estimate. */
typedef double lift_joint_guess(void *user, const struct lift_choice *choice);

struct lift_joint_parts {
    const struct lift_joint_expr *exprs;
    int count;
    const char *const *feature_names;
    int feature_count;
    lift_joint_guess *guess; /* NULL: there are no estimates */
    void *guess_user;        /* outlives the joint space */
    int share, shares; /* this process has part 'share' of 'shares' parts; 0: the space is
                          not divided */
};

struct lift_joint;

/* Creates the space in 'arena', with copies of all arguments but the spaces. The
 * spaces must outlive the arena. A near expression out of range, or equal to the
 * expression, is a bug. */
struct lift_joint *lift_joint_create(struct lift_arena *arena,
                                     const struct lift_joint_parts *parts);
int lift_joint_exprs(const struct lift_joint *joint);
const struct lift_space *lift_joint_space(const struct lift_joint *joint, int expr);
const int *lift_joint_near(const struct lift_joint *joint, int expr, int *count);
int lift_joint_group(const struct lift_joint *joint, int expr);

/* Number of points with constraints. Sets 'exact' to false if the number is an
 * estimate, because some spaces are too large to count. */
double lift_joint_valid_size(const struct lift_joint *joint, bool *exact);

/* The points of a counted space have numbers 0, 1, ..., ordered by expression and
 * then as by lift_space_next. 'at' returns false beyond the last point; 'index'
 * returns -1 for an invalid point. If the space was not counted, both fail for all
 * points. */
bool lift_joint_at(const struct lift_joint *joint, int64_t index,
                   struct lift_choice *choice);
int64_t lift_joint_index(const struct lift_joint *joint,
                         const struct lift_choice *choice);
/* Moves to the next point in this order, or to the first if 'first'; false after the
 * last. Works for spaces of any size. */
bool lift_joint_next(const struct lift_joint *joint, struct lift_choice *choice,
                     bool first);
bool lift_joint_valid(const struct lift_joint *joint, const struct lift_choice *choice);

/* Draws a random valid point of the space or of one expression. The point is uniform
 * (except for settled parameters) if the space was counted, and otherwise nearly
 * uniform. Returns false if there is no point. */
bool lift_joint_sample(const struct lift_joint *joint, struct lift_rng *rng,
                       struct lift_choice *choice);
bool lift_joint_sample_in(const struct lift_joint *joint, int expr, struct lift_rng *rng,
                          struct lift_choice *choice);
/* Likewise by lift_space_draw. */
bool lift_joint_draw_in(const struct lift_joint *joint, int expr, struct lift_rng *rng,
                        struct lift_choice *choice);

/* Carries the values over to another expression by name. The result is a valid point
 * close to the values, by the sum of steps in the lists of values. A parameter that
 * 'from' lacks begins with its start value, or otherwise with the middle of its
 * values. The result is deterministic. Returns false if the expression has no point. */
bool lift_joint_carry(const struct lift_joint *joint, const struct lift_choice *from,
                      int expr, struct lift_choice *to);
/* Carries over values given as JSON (lift_space_json), which need not be valid.
 * Returns false also if the JSON is no object of integers. */
bool lift_joint_carry_json(const struct lift_joint *joint, const char *json, int expr,
                           struct lift_choice *to);
/* The first point of an expression without any results. */
bool lift_joint_start(const struct lift_joint *joint, int expr, struct lift_choice *to);

/* Kinds of neighbours, as flags. */
enum lift_joint_moves {
    LIFT_JOINT_STEP = 1,  /* one parameter by one step */
    LIFT_JOINT_VALUE = 2, /* one parameter to any other value, one step included; others
                             move along where constraints demand it */
    LIFT_JOINT_EXPR = 4,  /* a near expression with the values carried over */
};

/* Calls 'visit' with every valid neighbour. Moves by one step are symmetric. */
typedef void lift_joint_visit(void *user, const struct lift_choice *choice);
void lift_joint_neighbours(const struct lift_joint *joint,
                           const struct lift_choice *choice, unsigned moves,
                           lift_joint_visit *visit, void *user);

/* A configuration as numbers for a model, in columns that all expressions share: the
 * features, then the parameters by name. A parameter's number is the base-2 logarithm
 * of its value, or the value itself if a value of that name is below 1. The number is
 * -1 if the expression has no such parameter. */
int lift_joint_columns(const struct lift_joint *joint);
int lift_joint_feature_columns(const struct lift_joint *joint);
const char *lift_joint_column_name(const struct lift_joint *joint, int column);
void lift_joint_features(const struct lift_joint *joint, const struct lift_choice *choice,
                         double *columns);

/* True if the space has estimates; and the estimate of a point, which takes about 50
 * microseconds. */
bool lift_joint_guesses(const struct lift_joint *joint);
double lift_joint_guessed(const struct lift_joint *joint,
                          const struct lift_choice *choice);

/* True if a point belongs to this process's share. Expressions (by key) and values
 * determine the share, so that each point belongs to one share. */
bool lift_joint_is_ours(const struct lift_joint *joint, const struct lift_choice *choice);

bool lift_choice_equal(const struct lift_choice *a, const struct lift_choice *b);
uint64_t lift_choice_hash(const struct lift_choice *choice);

#endif
