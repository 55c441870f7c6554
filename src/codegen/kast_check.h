/* What every kernel must be, after it was generated and after each pass. */
#ifndef CODEGEN_KAST_CHECK_H
#define CODEGEN_KAST_CHECK_H

#include "codegen/kast.h"

struct ks_flaw {
    const struct ks *where; /* the statement; NULL: none in particular */
    const char *what;       /* in the arena of the context */
};

/* True if the kernel is well formed; else false and the first flaw. Its parameters are
 * 'params'. That is so if
 *   - each kind of statement has what it needs, and blocks know their ends and owners;
 *   - variables and indices are declared once on the way to where they are used, under
 *     the same pointer to their name, and have one type; so do operands of arithmetic and
 *     of choices;
 *   - buffers are the kernel's: those of a group or of a work-item are declared where
 * they are used, and what is stored to is noted as written;
 *   - loops of one level around each other, but sequential ones, have different
 * dimensions;
 *   - work-items of a group meet at barriers: none stands in a loop over them, or under a
 *     test of an index of theirs or of what is computed from it;
 *   - memory barriers are made before batches count on them, and ended once; batches are
 *     committed before they are waited for, and asynchronous stores are committed. */
bool ks_check(struct lift_ir *ir, const struct kernel *kernel,
              const struct lift_bind *params, int param_count, struct ks_flaw *flaw);

#endif
