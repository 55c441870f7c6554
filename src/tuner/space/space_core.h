/* Internal structures of a space, shared by the files space*.c. */
#ifndef TUNER_SPACE_SPACE_CORE_H
#define TUNER_SPACE_SPACE_CORE_H

#include "tuner/space/space_eval.h"

struct constraint {
    enum lift_constraint_kind kind;
    struct tuner_code a, b;
    int last; /* the parameter that binds the last variable; -1: no variables */
};

/* The number of completions of a prefix depends only on the values that later
 * constraints use. These values form the key, so many prefixes share one entry. */
struct memo_entry {
    uint64_t key; /* 0: free */
    int64_t count;
};

struct memo {
    struct memo_entry *entries;
    size_t count, cap;
    int64_t work;
    bool done, failed; /* counted; given up */
    double estimate;   /* of the number of points; 0: not computed */
};

/* The valid points satisfy the constraints, or are listed: 'rows' has all points in
 * lexicographic order, with a number for each parameter. */
struct lift_space {
    struct lift_arena *arena;
    struct lift_param *params;
    int param_count;
    struct constraint *constraints; /* sorted by 'last' */
    int *first;     /* [param_count + 2]; first constraint whose 'last' is -1, 0, ... */
    uint32_t *live; /* [param_count + 1]; bits of earlier parameters that constraints from
                       there on use */
    struct memo *memo;
    bool possible; /* the constraints without parameters hold */
    const int *rows;
    int64_t row_count;
};

/* A partially built point: bound values, by parameter. */
struct prefix {
    int index[LIFT_SPACE_PARAMS];
    int64_t value[LIFT_SPACE_PARAMS];
};

bool space_holds(const struct constraint *c, const int64_t *values);
/* Binds parameter 'at'. Returns false if a constraint with all variables bound does
 * not hold. */
bool space_bind(const struct lift_space *s, struct prefix *p, int at, int index);
void space_load(const struct lift_space *s, struct prefix *p, const int *point);
void space_store(const struct lift_space *s, const struct prefix *p, int *point);

/* Counts the space on the first call; false if counting takes too much work. If true,
 * 'completions' of a valid prefix of 'at' values is a look-up. */
bool space_counted(const struct lift_space *s);
int64_t space_completions(const struct lift_space *s, struct prefix *p, int at);
/* Returns false if no point is known to have this prefix. */
bool space_promising(const struct lift_space *s, struct prefix *p, int at);

/* In a list of points: the number of points with this prefix of 'at' values, and
 * their first row. */
int64_t space_rows(const struct lift_space *s, const int *index, int at, int64_t *begin);

#endif
