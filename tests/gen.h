/* Random well-typed terms, for properties that hold of all terms. Terms are built from
 * the type that is wanted inwards, so that every draw succeeds; with numbers for sizes
 * they can be evaluated, but for overflow of i32. */
#ifndef LIFT_TESTS_GEN_H
#define LIFT_TESTS_GEN_H

#include "base/rng.h"
#include "lift/build.h"

struct gen_options {
    int budget;     /* about the number of nodes; 0: 40 */
    bool low_level; /* with mapGlb, toLocal, asVector, ... too */
    bool symbolic;  /* lengths mention the size 'n' and the tunable 'k' */
    bool user_funs; /* calls of C functions */
};

struct gen {
    struct lift_ir *ir;
    struct lift_rng *rng;
    struct gen_options options;
    int budget;
    const lift_type *scope; /* types of the parameters in scope, outermost first */
    int depth;
};

/* The context may be used for any number of terms. */
void tgen_init(struct gen *g, struct lift_ir *ir, struct lift_rng *rng,
               const struct gen_options *options);
/* A type of data: scalars, vectors (low level only), tuples, arrays up to three deep. */
lift_type tgen_type(struct gen *g, int depth);
/* A closed term; its free variables are named x0, x1, ... by their types. */
lift_expr tgen_term(struct gen *g);
lift_expr tgen_term_of(struct gen *g, lift_type type);

#endif
