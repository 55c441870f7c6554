/* What values are where tests on indices have their likely outcomes. */
#ifndef CODEGEN_PASSES_LIKELY_H
#define CODEGEN_PASSES_LIKELY_H

#include "base/table.h"
#include "codegen/kast.h"

struct likely {
    struct lift_ir *ir;
    lift_nat depends;         /* comparisons that do not depend on it stay; NULL: none */
    struct lift_ptrmap inner; /* nor are those taken that depend on these indices */
    bool clamps;              /* minima and maxima in indices are chosen from, too */
    kx tests;                 /* all outcomes that were taken; NULL: none was */
};

/* 'e' with each comparison of indices replaced by its likely outcome: the outcome of most
 * values in the ranges of its indices. Comparisons with unknown ranges stay. Returns 'e'
 * itself if there is none. The outcomes are added to 'tests'. */
kx kx_likely(struct likely *l, kx e);

kx kx_not(struct lift_ir *ir, kx e);
/* True if 'e' asks for all of 'tests', among others; NULL: for nothing. */
bool kx_implies(kx e, kx tests);
/* 'tests' and 'more', each once; either may be NULL. */
kx kx_all(struct lift_ir *ir, kx tests, kx more);

#endif
