/* Invariants of a kernel after generation and after each pass. */
#ifndef CODEGEN_KAST_CHECK_H
#define CODEGEN_KAST_CHECK_H

#include "codegen/kast.h"

struct ks_flaw {
    const struct ks *where; /* the statement; NULL: none in particular */
    const char *what;       /* in the arena of the context */
};

/* True if the kernel with the parameters 'params' is well formed; otherwise false and the
 * first flaw. A kernel is well formed if
 *   - each statement has the members of its kind, and each block its end and owner;
 *   - each variable and index is declared once in a scope around its uses, by the same
 *     pointer to its name, and has one type; operands of arithmetic and of selects agree
 *     in type;
 *   - each buffer belongs to the kernel; local and private buffers are declared in a
 *     scope around their uses; stored buffers are marked as written;
 *   - nested loops of one parallel level have different dimensions;
 *   - all work-items of a group reach each barrier: no barrier is in a loop over
 *     work-items or under a condition that depends on a work-item's index;
 *   - mbarriers are initialised before batches use them and invalidated once; batches are
 *     committed before a wait; asynchronous stores are committed. */
bool ks_check(struct lift_ir *ir, const struct kernel *kernel,
              const struct lift_bind *params, int param_count, struct ks_flaw *flaw);

#endif
