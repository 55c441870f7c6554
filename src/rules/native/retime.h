/* Retiming: analysis of the body of a stream for the rules of retime.c. Private to
 * src/rules. */
#ifndef RULES_NATIVE_RETIME_H
#define RULES_NATIVE_RETIME_H

#include "base/table.h"
#include "lift/build.h"

/* retime_normal.c: returns the normal form of 'e', which has no loose variables. The
 * normal form resolves views and lets. Each read is an element by its index
 * (w[3].0[1][2]). A reduction of constant length is the chain of its steps in order.
 * Remaining functions are unchanged. NULL if the result is too large. */
lift_expr retime_normal(struct lift_ir *ir, lift_expr e);
/* Returns the reduction 'e' as the chain of its steps; NULL if its length is not constant
 * or too large. 'e' may have loose variables. */
lift_expr retime_unrolled(struct lift_ir *ir, lift_expr e);

enum { RETIME_MAX_PLANES = 60 };

/* The range of planes of the window that an expression reads; lo > hi: none. */
struct retime_span {
    int lo, hi;
};

/* A weighted sum over the window 'w' of 'n' planes. The sum consists of nested +, -, and
 * products and quotients with factors independent of w. All other subexpressions are its
 * terms. */
struct retime_sum {
    struct lift_ir *ir;
    lift_expr w;
    int n;
    uint64_t sums,
        kept; /* members of a plane that are partial sums or kept values, one bit each */
    int before;     /* reads of planes before the middle; see retime_halves_find */
    lift_expr root; /* the sum itself */
    struct lift_ptrmap spans, masks, columns, parts;
    struct lift_ptrmap newest; /* the members that the function reads in the last plane */
};

/* Finds a sum in 'body', a normal form. Prefers the sum whose terms have the most
 * different last planes. Among such sums, takes the first. Returns false if no sum reads
 * two planes. Call retime_sum_fini in either case. */
bool retime_sum_find(struct retime_sum *s, lift_expr body);
void retime_sum_fini(struct retime_sum *s);
struct retime_span retime_span_of(struct retime_sum *s, lift_expr e);
/* True if 'e' is w[k]. */
bool retime_is_plane(const struct retime_sum *s, lift_expr e, int *k);
/* retime_column.c: true if 'term' reads only one plane, at elements that the sum reads in
 * no other plane. Such a term is outside the column through the window. */
bool retime_beside_column(struct retime_sum *s, lift_expr term);

/* The time of a term: the plane whose arrival adds the term. */
typedef int retime_time(struct retime_sum *s, lift_expr term, const void *user);
/* Returns the part of the sum that is added at 'time'; NULL if there is no such part. */
lift_expr retime_part(struct retime_sum *s, retime_time *when, const void *user,
                      int time);

/* retime_halves.c: finds the sum whose split in halves leaves the fewest reads of planes
 * before the middle for the last step; the first among equals. Two sums may share reads,
 * so that the first split saves none. Sets 's->before' to the reads before the split.
 * Returns false if there is no sum to split. Call retime_sum_fini in either case. */
bool retime_halves_find(struct retime_sum *s, lift_expr body);
/* The same among sums that read the first and the last plane. */
bool retime_whole_halves_find(struct retime_sum *s, lift_expr body);
/* Two groups of terms. The first group has the terms up to the middle plane whose members
 * of the stream are also read in the last plane. Early terms of other
 * members would keep more of their planes. 'user' is unused. */
int retime_by_halves(struct retime_sum *s, lift_expr term, const void *user);

#endif
