/* Retiming: analysis of the body of a stream for the rules of retime.c. Private to
 * src/rules. */
#ifndef RULES_NATIVE_RETIME_H
#define RULES_NATIVE_RETIME_H

#include "base/table.h"
#include "lift/build.h"

/* retime_normal.c: the normal form of 'e', which has no loose variables. Views and lets
 * are resolved, each read is an element by its index (w[3].0[1][2]), and a reduction of
 * constant length is the chain of its steps in order. Remaining functions are unchanged.
 * NULL if the result is too large. */
lift_expr retime_normal(struct lift_ir *ir, lift_expr e);
/* The reduction 'e' as the chain of its steps; NULL if its length is no constant or too
 * large. 'e' may have loose variables. */
lift_expr retime_unrolled(struct lift_ir *ir, lift_expr e);

enum { RETIME_MAX_PLANES = 60 };

/* The planes of the window that an expression reads; lo > hi: none. */
struct retime_span {
    int lo, hi;
};

/* A weighted sum over the window 'w' of 'n' planes: nested +, -, and products and
 * quotients with factors independent of w. All other subexpressions are its terms. */
struct retime_sum {
    struct lift_ir *ir;
    lift_expr w;
    int n;
    uint64_t sums, kept; /* members of a plane that are partial sums, or kept values, one
                          * bit each */
    bool fewest;         /* how to choose among sums: see retime_sum_find */
    lift_expr root;      /* the sum itself */
    struct lift_ptrmap spans, masks, columns, parts;
};

/* Finds the sum in 'body', a normal form, whose terms differ most in the last plane that
 * they read. Of several such sums, takes the first; with 'fewest', the sum that leaves
 * the fewest reads of the first plane for the last step, which keeps shared values in one
 * sum. False if no sum reads two planes. Call retime_sum_fini in either case. */
bool retime_sum_find(struct retime_sum *s, lift_expr body);
void retime_sum_fini(struct retime_sum *s);
struct retime_span retime_span_of(struct retime_sum *s, lift_expr e);
/* True if 'e' is w[k]. */
bool retime_is_plane(const struct retime_sum *s, lift_expr e, int *k);
/* retime_column.c: true if 'term' reads one plane only, at elements that the sum reads in
 * no other plane: the term lies outside the column through the window. */
bool retime_beside_column(struct retime_sum *s, lift_expr term);

/* The time of a term: the plane on whose arrival the term is added. */
typedef int retime_time(struct retime_sum *s, lift_expr term, const void *user);
/* The part of the sum that is added at 'time'; NULL if there is none. */
lift_expr retime_part(struct retime_sum *s, retime_time *when, const void *user,
                      int time);

#endif
