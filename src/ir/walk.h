/* Walks over terms: find the value at the end of a path into an expression. The values
 * have any arithmetic: code, costs, elements that are read. Views (ir/view.h) are paths
 * over the arithmetic's own indices. */
#ifndef IR_WALK_H
#define IR_WALK_H

#include "ir/view.h"

enum lift_bound_kind {
    LIFT_BOUND_EXPR,   /* the element at 'at' of an expression, computed on each read */
    LIFT_BOUND_MEM,    /* the element at 'at' of an array in memory */
    LIFT_BOUND_KNOWN,  /* a value of the arithmetic */
    LIFT_BOUND_WINDOW, /* the window of a mapSeqSlide */
};

typedef const struct lift_env *lift_env;

/* The value of a variable. */
struct lift_bound {
    enum lift_bound_kind kind;
    lift_expr expr;
    lift_env env;
    lift_access at;
    const void *mem; /* MEM, KNOWN, WINDOW: in the arithmetic's own types */
    const void *known;
    void *window;
};

/* Bound variables, innermost first. */
struct lift_env {
    struct lift_bound value;
    lift_env next;
    void *notes; /* belongs to the arithmetic; initially NULL */
};

/* Finds the value of a primitive. */
typedef const void *lift_reader(void *user, lift_expr e, lift_env env, lift_access path);

/* An arithmetic of values; NULL is an unknown value. 'user' is the 'user' of the
 * walker's indices. */
struct lift_walk_ops {
    /* The value at a path: lift_walk_find, or the arithmetic's own function. */
    lift_reader *read;
    const void *(*input)(void *user, lift_expr variable, lift_access path);
    const void *(*literal)(void *user, lift_expr e);
    const void *(*scalar)(void *user, lift_expr e, const void *const *args);
    /* of_index converts an index to a value (NULL: indices are values). as_index
     * converts a value, or NULL, to an index below 'n'. */
    const void *(*of_index)(void *user, const void *index);
    const void *(*as_index)(void *user, const void *value, lift_nat n);
    /* Reads an element of memory or of a window. NULL: no variable has such a value. */
    const void *(*load)(void *user, const struct lift_bound *from, lift_access path);
    /* The number of iterations to walk. NULL: the arithmetic has its own reader of
     * ITERATE. */
    int64_t (*count)(void *user, lift_nat iterations);
    /* These four functions may be NULL. Then no value is stored before its reads, values
     * need no variables, and the walk remembers no value. */
    void (*prepare)(void *user, lift_expr e, lift_env env);
    const void *(*variable)(void *user, const char *hint, const void *value);
    const struct lift_bound *(*remembered)(void *user, lift_expr e, lift_env env);
    void (*remember)(void *user, lift_expr e, lift_env env,
                     const struct lift_bound *value);
    /* Readers, indexed by lift_walk. NULL: the reader of ir/walk.c, which reads all
     * alternatives. */
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
/* Readers for use in other readers. lift_walk_view reads an element of one argument, by
 * its move; lift_walk_map reads the function of a map. */
const void *lift_walk_view(const struct lift_walker *w, lift_expr e, lift_env env,
                           lift_access path);
const void *lift_walk_map(const struct lift_walker *w, lift_expr e, lift_env env,
                          lift_access path);
/* Reads all scalars of the value of type 't' at 'path'; for an array, only the element
 * at index 'at'. */
void lift_walk_all(const struct lift_walker *w, lift_expr e, lift_env env, lift_type t,
                   lift_access path, const void *at);
/* Removes the first index of a path and returns the index. */
const void *lift_walk_pop(const struct lift_walker *w, lift_access *path);

lift_env lift_walk_bind(const struct lift_walker *w, lift_env env,
                        struct lift_bound value);
const struct lift_bound *lift_walk_lookup(lift_env env, int index);
struct lift_bound lift_walk_known(const void *value);
/* The binding of a variable to an expression; scalars are computed immediately. */
struct lift_bound lift_walk_value(const struct lift_walker *w, const char *hint,
                                  lift_expr e, lift_env env);
/* 'around' with element 'index' of 'xs' as the parameter of a function. A scalar that
 * the function uses is computed once. */
lift_env lift_walk_element(const struct lift_walker *w, lift_expr xs, lift_env env,
                           const void *index, lift_expr lambda, lift_env around);

#endif
