/* Values that were computed without their tests are mended where these fail. */
#ifndef CODEGEN_PASSES_MEND_H
#define CODEGEN_PASSES_MEND_H

#include "codegen/gen.h"

/* Adds to the branch 'to', where not all of 'tests' hold, what 'values' set there: tests
 * of one index at a time. False, and adds nothing, if that does not pay or cannot be. No
 * value is computed from another one. */
bool mend_by_index(struct gen *g, const struct kblock *values, kx tests, struct ks *to);

#endif
