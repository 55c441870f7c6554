/* Walks over terms: the value at the end of a path into an expression, over any
 * arithmetic of values: code, costs, elements that are read. Views (ir/view.h) are paths
 * over the arithmetic's own indices. */
#ifndef IR_WALK_H
#define IR_WALK_H

#include "ir/view.h"

enum lift_bound_kind {
    LIFT_BOUND_EXPR,  /* the element at 'at' of an expression, computed when it is read */
    LIFT_BOUND_MEM,   /* the element at 'at' of an array in memory */
    LIFT_BOUND_KNOWN, /* a value of the arithmetic */
    LIFT_BOUND_WINDOW, /* the window of a mapSeqSlide */
};

typedef const struct lift_env *lift_env;

/* The value of a variable. */
struct lift_bound {
    enum lift_bound_kind kind;
    lift_expr expr;
    lift_env env;
    lift_access at;
    const void *mem; /* MEM, KNOWN, WINDOW: of the arithmetic's own types */
    const void *known;
    void *window;
};

/* Bound variables, the innermost first. */
struct lift_env {
    struct lift_bound value;
    lift_env next;
    void *notes; /* the arithmetic's own; NULL at first */
};

/* Finds the value of a primitive. */
typedef const void *lift_reader(void *user, lift_expr e, lift_env env, lift_access path);

/* An arithmetic of values; NULL is an unknown value. 'user' is that of the walker's
 * indices. */
struct lift_walk_ops {
    /* The value at a path: lift_walk_find, or the arithmetic's own function. */
    lift_reader *read;
    const void *(*input)(void *user, lift_expr variable, lift_access path);
    const void *(*literal)(void *user, lift_expr e);
    const void *(*scalar)(void *user, lift_expr e, const void *const *args);
    /* An index as a value (NULL: indices are values); a value, or NULL, as an index below
     * 'n'. */
    const void *(*of_index)(void *user, const void *index);
    const void *(*as_index)(void *user, const void *value, lift_nat n);
    /* An element of memory or of a window; NULL: no variable has such a value. */
    const void *(*load)(void *user, const struct lift_bound *from, lift_access path);
    /* NULL: the arithmetic has its own reader of ITERATE. */
    int64_t (*count)(void *user, lift_nat iterations);
    /* These four may be NULL: then no value is stored before it is read, values need no
     * variables, and none is remembered. */
    void (*prepare)(void *user, lift_expr e, lift_env env);
    const void *(*variable)(void *user, const char *hint, const void *value);
    const struct lift_bound *(*remembered)(void *user, lift_expr e, lift_env env);
    void (*remember)(void *user, lift_expr e, lift_env env,
                     const struct lift_bound *value);
    /* Readers by lift_walk; NULL: the reader of ir/walk.c, which reads all alternatives.
     */
    lift_reader *own[LIFT_WALK_COUNT];
};

struct lift_walker {
    const struct lift_walk_ops *ops;
    struct lift_indices indices;
};

/* The value at 'path' of 'e', by the kind of expression. */
const void *lift_walk_find(const struct lift_walker *w, lift_expr e, lift_env env,
                           lift_access path);
const void *lift_walk_bound(const struct lift_walker *w, const struct lift_bound *v,
                            lift_access path);
/* Readers for use in other readers: of an element of one argument, by its move; of the
 * function of a map. */
const void *lift_walk_view(const struct lift_walker *w, lift_expr e, lift_env env,
                           lift_access path);
const void *lift_walk_map(const struct lift_walker *w, lift_expr e, lift_env env,
                          lift_access path);
/* Reads all scalars of the value of type 't' at 'path'; of an array, the element at index
 * 'at'. */
void lift_walk_all(const struct lift_walker *w, lift_expr e, lift_env env, lift_type t,
                   lift_access path, const void *at);
/* Takes the first index off a path. */
const void *lift_walk_pop(const struct lift_walker *w, lift_access *path);

lift_env lift_walk_bind(const struct lift_walker *w, lift_env env,
                        struct lift_bound value);
const struct lift_bound *lift_walk_lookup(lift_env env, int index);
struct lift_bound lift_walk_known(const void *value);
/* The binding of a variable to an expression; scalars are computed immediately. */
struct lift_bound lift_walk_value(const struct lift_walker *w, const char *hint,
                                  lift_expr e, lift_env env);
/* 'around' with element 'index' of 'xs' as the parameter of a function; computed once if
 * it is a scalar that the function uses. */
lift_env lift_walk_element(const struct lift_walker *w, lift_expr xs, lift_env env,
                           const void *index, lift_expr lambda, lift_env around);

#endif
