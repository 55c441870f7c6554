/* Retiming: what the rules of retime.c know of the body of a stream. Private to
 * src/rules. */
#ifndef RULES_NATIVE_RETIME_H
#define RULES_NATIVE_RETIME_H

#include "base/table.h"
#include "lift/build.h"

/* retime_normal.c: 'e', which has no loose variables, with its views, lets and reductions
 * resolved: all that is read is an element by its index (w[3].0[1][2]), a reduction of
 * constant length the chain of its steps, in order. NULL if that is too large. Subterms
 * inside functions that remain are left alone. */
lift_expr retime_normal(struct lift_ir *ir, lift_expr e);
/* The reduction 'e' as the chain of its steps; NULL if its length is no constant or too
 * large. 'e' may have loose variables. */
lift_expr retime_unrolled(struct lift_ir *ir, lift_expr e);

enum { RETIME_MAX_PLANES = 60 };

/* Planes of the window that an expression reads: lo > hi if there are none. */
struct retime_span {
    int lo, hi;
};

/* A weighted sum over the window 'w' of 'n' planes. A sum is made of +, -, and products
 * and quotients with what does not depend on w; what else it is made of are its terms. */
struct retime_sum {
    struct lift_ir *ir;
    lift_expr w;
    int n;
    uint64_t sums, kept; /* members of a plane that are partial sums, or values that are
                          * kept, a bit each */
    bool fewest;         /* which sum it is: see retime_sum_find */
    lift_expr root;      /* the sum itself */
    struct lift_ptrmap spans, masks, columns, parts;
};

/* The sum in 'body', in normal form, whose terms differ most in the planes that they read
 * last; of several the first, or, with 'fewest', the one by which the fewest reads of the
 * first plane are left for the end, so that what is used in two places is one sum. False
 * if there is none with two planes. Ended by retime_sum_fini either way. */
bool retime_sum_find(struct retime_sum *s, lift_expr body);
void retime_sum_fini(struct retime_sum *s);
struct retime_span retime_span_of(struct retime_sum *s, lift_expr e);
/* True if 'e' is w[k]. */
bool retime_is_plane(const struct retime_sum *s, lift_expr e, int *k);
/* retime_column.c: true if a term reads one plane only, and there only what no other
 * plane is asked for: it lies beside the column through the window. */
bool retime_beside_column(struct retime_sum *s, lift_expr term);

/* When a term is added: the plane whose arrival it waits for. */
typedef int retime_time(struct retime_sum *s, lift_expr term, const void *user);
/* The part of the sum that is added at 'time'; NULL if there is none. */
lift_expr retime_part(struct retime_sum *s, retime_time *when, const void *user,
                      int time);

#endif
