/* Values of expressions where tests on indices have their likely outcomes. */
#ifndef CODEGEN_PASSES_LIKELY_H
#define CODEGEN_PASSES_LIKELY_H

#include "base/table.h"
#include "codegen/kast.h"

struct likely {
    struct lift_ir *ir;
    /* Comparisons that do not depend on this index stay; NULL: comparisons of all
     * indices are replaced. */
    lift_nat depends;
    struct lift_ptrmap inner; /* comparisons that depend on these indices stay, too */
    bool clamps;              /* minima and maxima in indices are replaced, too */
    kx tests;                 /* all assumed outcomes; NULL: none */
};

/* 'e' with each comparison of indices replaced by its likely outcome: the outcome of most
 * values in the ranges of its indices. Comparisons with unknown ranges stay. Returns 'e'
 * itself if no comparison is replaced. Adds the outcomes to 'tests'. */
kx kx_likely(struct likely *l, kx e);

kx kx_not(struct lift_ir *ir, kx e);
/* True if 'e' is a conjunction that contains all of 'tests'. NULL: no tests. */
bool kx_implies(kx e, kx tests);
/* The conjunction of 'tests' and 'more' without duplicates; either may be NULL. */
kx kx_all(struct lift_ir *ir, kx tests, kx more);

#endif
