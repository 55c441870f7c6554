/* The one space of an exploration: the points of the spaces of all low-level expressions
 * of a problem on a device. A search technique works on it and needs to know nothing of
 * where it comes from: recorded tables have the same form.
 *
 * Expressions are near to each other if one rule applied, undone or replaced leads from
 * one to the other; values of tunables are carried over by name. */
#ifndef TUNER_JOINT_H
#define TUNER_JOINT_H

#include "tuner/space.h"

/* A point. All calls below that write a choice leave 0 in what its expression's space
 * does not use, so that equal points are equal bytes. */
struct lift_choice {
    int expr;
    int values[LIFT_SPACE_PARAMS]; /* value indices of the expression's space */
};

/* One expression, as the space is made of it. */
struct lift_joint_expr {
    const struct lift_space *space;
    const double *features; /* one for each name; NULL: all 0 */
    const int *near;        /* other expressions, the nearest first */
    int near_count;
    uint64_t key; /* names it where the space is shared out */
};

/* How long a point's kernel will take, guessed without trying it: in seconds, or what
 * grows with them; infinite if there is no guess. */
typedef double lift_joint_guess(void *user, const struct lift_choice *choice);

struct lift_joint_parts {
    const struct lift_joint_expr *exprs;
    int count;
    const char *const *feature_names;
    int feature_count;
    lift_joint_guess *guess; /* NULL: nothing is known before a point is tried */
    void *guess_user;        /* outlives the joint space */
    int share, shares; /* the points are shared out: this is one of so many; 0: not */
};

struct lift_joint;

/* Lives in 'arena', which holds copies of all but the spaces; these must outlive it. A
 * near expression that is out of range or the expression itself is a bug. */
struct lift_joint *lift_joint_create(struct lift_arena *arena,
                                     const struct lift_joint_parts *parts);
int lift_joint_exprs(const struct lift_joint *joint);
const struct lift_space *lift_joint_space(const struct lift_joint *joint, int expr);
const int *lift_joint_near(const struct lift_joint *joint, int expr, int *count);

/* Points with constraints, exact or (where 'exact' is set to false) an estimate for the
 * expressions whose spaces are too large to count. */
double lift_joint_valid_size(const struct lift_joint *joint, bool *exact);

/* The points of a space that was counted have numbers 0, 1, ..., ordered by expression
 * and then as lift_space_next does. 'at' answers false beyond the last point, 'index' -1
 * for a point that is not valid; both do so for all points if the space was not counted.
 */
bool lift_joint_at(const struct lift_joint *joint, int64_t index,
                   struct lift_choice *choice);
int64_t lift_joint_index(const struct lift_joint *joint,
                         const struct lift_choice *choice);
/* The next point in this order, or the first if 'first'; false after the last. Works for
 * spaces of any size. */
bool lift_joint_next(const struct lift_joint *joint, struct lift_choice *choice,
                     bool first);
bool lift_joint_valid(const struct lift_joint *joint, const struct lift_choice *choice);

/* A random valid point of all, or of one expression: uniform if the space was counted,
 * else nearly so, but for settled parameters. False if there is no point. */
bool lift_joint_sample(const struct lift_joint *joint, struct lift_rng *rng,
                       struct lift_choice *choice);
bool lift_joint_sample_in(const struct lift_joint *joint, int expr, struct lift_rng *rng,
                          struct lift_choice *choice);

/* The same values by name in another expression: of all its valid points one that is
 * close to them by the sum of steps in the lists of values. A parameter that 'from' lacks
 * starts with its start value, or otherwise with the middle of its values. The result is
 * deterministic. False if the expression has no point. */
bool lift_joint_carry(const struct lift_joint *joint, const struct lift_choice *from,
                      int expr, struct lift_choice *to);
/* The same for values given as JSON (lift_space_json), be they valid anywhere or not.
 * False also if that is no object of integers. */
bool lift_joint_carry_json(const struct lift_joint *joint, const char *json, int expr,
                           struct lift_choice *to);
/* The point where an expression starts when nothing is known. */
bool lift_joint_start(const struct lift_joint *joint, int expr, struct lift_choice *to);

/* What differs between neighbours; to be or-ed. */
enum lift_joint_moves {
    LIFT_JOINT_STEP = 1,  /* one parameter by one step */
    LIFT_JOINT_VALUE = 2, /* one parameter to any other value, one step included */
    LIFT_JOINT_EXPR = 4,  /* a near expression, values carried over */
};

/* Calls 'visit' with every valid neighbour. Moves of parameters are symmetric. */
typedef void lift_joint_visit(void *user, const struct lift_choice *choice);
void lift_joint_neighbours(const struct lift_joint *joint,
                           const struct lift_choice *choice, unsigned moves,
                           lift_joint_visit *visit, void *user);

/* A point as numbers for a model, in columns that all expressions share: first the
 * features, then the parameters by name. A parameter's number is the logarithm to base 2
 * of its value (the value itself if some value of that name is below 1), and -1 where the
 * expression has none of that name. */
int lift_joint_columns(const struct lift_joint *joint);
int lift_joint_feature_columns(const struct lift_joint *joint);
const char *lift_joint_column_name(const struct lift_joint *joint, int column);
void lift_joint_features(const struct lift_joint *joint, const struct lift_choice *choice,
                         double *columns);

/* Whether there are guesses at all, and that of a point; some 50 microseconds each. */
bool lift_joint_guesses(const struct lift_joint *joint);
double lift_joint_guessed(const struct lift_joint *joint,
                          const struct lift_choice *choice);

/* Whether a point is of this share, where several processes share a space out: of the
 * same expressions (by their keys) and values each point is of one share. */
bool lift_joint_is_ours(const struct lift_joint *joint, const struct lift_choice *choice);

bool lift_choice_equal(const struct lift_choice *a, const struct lift_choice *b);
uint64_t lift_choice_hash(const struct lift_choice *choice);

#endif
