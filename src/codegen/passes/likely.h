/* What values are where tests on indices have their likely outcomes. */
#ifndef CODEGEN_PASSES_LIKELY_H
#define CODEGEN_PASSES_LIKELY_H

#include "codegen/kast.h"

struct likely {
    struct lift_ir *ir;
    /* True of comparisons that stay; NULL: none does. */
    bool (*stays)(const void *of, kx comparison);
    const void *of;
    kx tests; /* all outcomes that were taken; NULL: none was */
};

/* 'e' without its comparisons of indices, which are taken to have the outcome that they
 * have more often if indices have every value of their ranges as often. A comparison
 * whose range is not known stays. 'e' itself if there is none; 'tests' gains what was
 * taken. */
kx kx_likely(struct likely *l, kx e);

/* True if a comparison of indices depends on the variable. */
bool kx_compares(kx e, lift_nat var);
kx kx_not(struct lift_ir *ir, kx e);
/* True if 'e' asks for all of 'tests', among others; NULL: for nothing. */
bool kx_implies(kx e, kx tests);
/* 'tests' and 'more', each once; either may be NULL. */
kx kx_all(struct lift_ir *ir, kx tests, kx more);

#endif
