/* The inside of a space, shared by the files space*.c. */
#ifndef TUNER_SPACE_SPACE_CORE_H
#define TUNER_SPACE_SPACE_CORE_H

#include "tuner/space/space_eval.h"

struct constraint {
    enum lift_constraint_kind kind;
    struct tuner_code a, b;
    int last; /* the parameter that binds the last variable; -1: there is none */
};

/* The number of completions of a prefix depends only on the values that a later
 * constraint still looks at: they make the key, and so many prefixes share one entry. */
struct memo_entry {
    uint64_t key; /* 0: free */
    int64_t count;
};

struct memo {
    struct memo_entry *entries;
    size_t count, cap;
    int64_t work;
    bool done, failed; /* counted; given up */
    double estimate;   /* of the uncounted part; 0: not made */
};

/* Valid points: those that satisfy the constraints, or those in a list of all points in
 * lexicographic order ('rows', with a number per parameter each). */
struct lift_space {
    struct lift_arena *arena;
    struct lift_param *params;
    int param_count;
    struct constraint *constraints; /* by 'last' */
    int *first;     /* [param_count + 2]; of the constraints ending at -1, 0, ... */
    uint32_t *live; /* [param_count + 1]; values that matter from there on */
    struct memo *memo;
    bool possible; /* the constraints without parameters hold */
    const int *rows;
    int64_t row_count;
};

/* A point being built: bound values, by parameter. */
struct prefix {
    int index[LIFT_SPACE_PARAMS];
    int64_t value[LIFT_SPACE_PARAMS];
};

bool space_holds(const struct constraint *c, const int64_t *values);
/* Binds parameter 'at'; false if a constraint that this completes does not hold. */
bool space_bind(const struct lift_space *s, struct prefix *p, int at, int index);
void space_load(const struct lift_space *s, struct prefix *p, const int *point);
void space_store(const struct lift_space *s, const struct prefix *p, int *point);

/* Counts the space at the first need; false if that is too much work. Afterwards
 * 'completions' of a valid prefix of 'at' values is a look-up. */
bool space_counted(const struct lift_space *s);
int64_t space_completions(const struct lift_space *s, struct prefix *p, int at);
/* False if it is known that no point begins so. */
bool space_promising(const struct lift_space *s, struct prefix *p, int at);

/* Of a list of points: how many begin with the first 'at' values, and where they are. */
int64_t space_rows(const struct lift_space *s, const int *index, int at, int64_t *begin);

#endif
