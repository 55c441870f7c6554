/* Passes over a kernel that was generated, in their order: see passes.c for what each
 * does. Each leaves a kernel that ks_check (kast_check.h) accepts. */
#ifndef CODEGEN_PASSES_PASSES_H
#define CODEGEN_PASSES_PASSES_H

#include "codegen/gen.h"

/* All that the dialect needs, up to the one that the options name, or until one fails. */
void cg_run_passes(struct gen *g, struct kernel *kernel);

/* Between passes: variables that nothing reads go away. */
void cg_simplify(struct gen *g, struct kernel *kernel);

/* A kernel that ks_check does not accept is a bug of the pass: aborts with its name and
 * the statement. */
void cg_check_kernel(const struct gen *g, const struct kernel *kernel, const char *pass);

/* True if all work-items of a row (LIFT_ROW_ITEMS) are in the blocks of a statement: it
 * is a loop with a turn for each, or has no part in it and all were around, 'in_row'. */
bool cg_keeps_row(const struct ks *of, bool in_row);

/* Variables by name: the statement that sets one, or the map itself where several do. */
void cg_find_sets(const struct kblock *block, struct lift_ptrmap *sets);
/* The value of a variable that is set once; a load also where it is a lane of a vector
 * that was loaded. Else 'e'. */
kx cg_loaded(struct gen *g, const struct lift_ptrmap *sets, kx e);

void cg_pass_scalars(struct gen *g, struct kernel *kernel);
void cg_pass_copies(struct gen *g, struct kernel *kernel);
void cg_pass_held(struct gen *g, struct kernel *kernel);
void cg_pass_version(struct gen *g, struct kernel *kernel);
void cg_pass_lanes(struct gen *g, struct kernel *kernel);
void cg_pass_tests(struct gen *g, struct kernel *kernel);
void cg_pass_edges(struct gen *g, struct kernel *kernel);
void cg_pass_common(struct gen *g, struct kernel *kernel);
void cg_pass_cases(struct gen *g, struct kernel *kernel);
void cg_pass_beside(struct gen *g, struct kernel *kernel);
void cg_pass_vectors(struct gen *g, struct kernel *kernel);
void cg_pass_prefetch(struct gen *g, struct kernel *kernel);
void cg_pass_fences(struct gen *g, struct kernel *kernel);
void cg_pass_team(struct gen *g, struct kernel *kernel);
void cg_pass_later(struct gen *g, struct kernel *kernel);
void cg_pass_indices(struct gen *g, struct kernel *kernel);
void cg_pass_length(struct gen *g, struct kernel *kernel);
void cg_pass_branches(struct gen *g, struct kernel *kernel);
void cg_pass_barriers(struct gen *g, struct kernel *kernel);
void cg_pass_meet(struct gen *g, struct kernel *kernel);

#endif
