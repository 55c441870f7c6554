/* Passes over a generated kernel, in order; passes.c describes each pass. Each pass
 * leaves a kernel that ks_check (kast_check.h) accepts. */
#ifndef CODEGEN_PASSES_PASSES_H
#define CODEGEN_PASSES_PASSES_H

#include "codegen/gen.h"

/* Runs all passes of the dialect, up to the last pass in the options, or until a pass
 * fails. */
void cg_run_passes(struct gen *g, struct kernel *kernel);

/* Removes variables that no statement reads; called between passes. */
void cg_simplify(struct gen *g, struct kernel *kernel);

/* Aborts with the name of the pass and the statement if ks_check rejects the kernel: a
 * bug of the pass. */
void cg_check_kernel(const struct gen *g, const struct kernel *kernel, const char *pass);

/* True if all work-items of a row (LIFT_ROW_ITEMS) execute the blocks of a statement. The
 * statement is a loop with one iteration for each work-item, or a loop in other
 * dimensions inside code of the whole row ('in_row'). */
bool cg_keeps_row(const struct ks *of, bool in_row);

/* Maps variables by name to the statement that sets them, or to the map itself if several
 * statements set them. */
void cg_find_sets(const struct kblock *block, struct lift_ptrmap *sets);
/* The value of a variable that is set once, or the load of a lane whose vector was
 * loaded. Otherwise 'e'. */
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
void cg_pass_nontemporal(struct gen *g, struct kernel *kernel);
/* Fails if the term wants non-temporal accesses and no kernel has any. */
void cg_check_nontemporal(struct gen *g);
void cg_pass_team(struct gen *g, struct kernel *kernel);
void cg_pass_later(struct gen *g, struct kernel *kernel);
void cg_pass_indices(struct gen *g, struct kernel *kernel);
void cg_pass_length(struct gen *g, struct kernel *kernel);
void cg_pass_branches(struct gen *g, struct kernel *kernel);
void cg_pass_barriers(struct gen *g, struct kernel *kernel);
void cg_pass_meet(struct gen *g, struct kernel *kernel);

#endif
