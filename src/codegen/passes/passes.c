/* The passes over kernels, in order, and the simplifier between passes. */
#include "codegen/passes/passes.h"
#include "base/bug.h"
#include "codegen/kast_check.h"
#include "codegen/text/dialect.h"
#include <string.h>

/* The dialects to which a pass applies. */
enum where { EVERYWHERE, PROCESSORS, GROUPS, ITEM_LOOPS, ASYNC_COPIES };

static const struct pass {
    struct lift_pass info;
    void (*run)(struct gen *g, struct kernel *kernel);
    enum where where;
} passes[] = {
    {{"generate", "the kernel as the term says it, before any pass"}, NULL, EVERYWHERE},
    {{"scalars", "private arrays whose every index is a number become variables"},
     cg_pass_scalars,
     EVERYWHERE},
    {{"copies", "stores stay asynchronous where they copy from global memory"},
     cg_pass_copies,
     ASYNC_COPIES},
    {{"held", "elements that a vector holds are not loaded again"},
     cg_pass_held,
     EVERYWHERE},
    {{"version",
      "code far from boundaries has a version without predicates, where code asks"},
     cg_pass_version,
     EVERYWHERE},
    {{"lanes", "loops over lanes become loops over vectors and a remainder"},
     cg_pass_lanes,
     PROCESSORS},
    {{"tests", "predicates move behind the loads and values that they select, where code "
               "asks for it"},
     cg_pass_tests,
     EVERYWHERE},
    {{"edges", "predicates of a row that do not change between steps are evaluated "
               "before the first step"},
     cg_pass_edges,
     GROUPS},
    {{"common", "common subexpressions go to variables"}, cg_pass_common, EVERYWHERE},
    {{"cases", "equal predicates choose between branches, where code asks for it"},
     cg_pass_cases,
     GROUPS},
    {{"beside", "warp shuffles precede the statements that use their values"},
     cg_pass_beside,
     GROUPS},
    {{"vectors", "adjacent loads become vector loads"}, cg_pass_vectors, EVERYWHERE},
    {{"prefetch", "data that loops over lanes read later is prefetched to the caches"},
     cg_pass_prefetch,
     PROCESSORS},
    {{"fences", "non-temporal stores are fenced"}, cg_pass_fences, PROCESSORS},
    {{"nontemporal", "stores and loads of a grid point are non-temporal, where code asks "
                     "for it"},
     cg_pass_nontemporal,
     GROUPS},
    {{"indices",
      "quotients, minima and maxima of indices are computed before loops over lanes"},
     cg_pass_indices,
     PROCESSORS},
    {{"length", "straight-line code that is too long is rejected"},
     cg_pass_length,
     EVERYWHERE},
    {{"team", "threads that share loops inside of others stay together"},
     cg_pass_team,
     PROCESSORS},
    {{"later", "straight-line code of threads that stay together stores at its end"},
     cg_pass_later,
     PROCESSORS},
    {{"branches", "local arrays of the two branches of a test share memory"},
     cg_pass_branches,
     GROUPS},
    {{"barriers", "barriers between work-items that write and read local memory"},
     cg_pass_barriers,
     GROUPS},
    {{"meet", "barriers move out of branches that a group takes as a whole"},
     cg_pass_meet,
     ITEM_LOOPS},
    {{NULL, NULL}, NULL, EVERYWHERE},
};

bool lift_codegen_has_pass(enum lift_dialect dialect, int i)
{
    const struct dialect *d = &cg_dialects[dialect];
    enum where where = passes[i].where;

    return where == EVERYWHERE || (where == ASYNC_COPIES && d->async_copies) ||
           (where == ITEM_LOOPS && d->item_loops) || (where == GROUPS && *d->barrier) ||
           (where == PROCESSORS && !*d->barrier);
}

#ifdef LIFT_CHECK_KERNELS
static const bool checks = true;
#else
static const bool checks;
#endif

void cg_check_kernel(const struct gen *g, const struct kernel *kernel, const char *pass)
{
    struct lift_str text = {0};
    struct ks_flaw flaw;

    if (ks_check(g->ir, kernel, g->binds + g->param_bind, g->options->param_count, &flaw))
        return;
    if (flaw.where)
        cg_print_plain_statement(flaw.where, &text);
    LIFT_BUG("pass '%s' leaves %s that is not well formed: %s: %s", pass, kernel->name,
             flaw.what, lift_str_get(&text));
}

void cg_run_passes(struct gen *g, struct kernel *kernel)
{
    const char *last = g->options->last_pass;

    for (int i = 0; passes[i].info.name && !g->failed; i++) {
        if (passes[i].run && lift_codegen_has_pass(g->options->dialect, i)) {
            passes[i].run(g, kernel);
            cg_simplify(g, kernel);
        }
        if (checks && !g->failed)
            cg_check_kernel(g, kernel, passes[i].info.name);
        if (last && !strcmp(last, passes[i].info.name))
            return;
    }
}

bool cg_keeps_row(const struct ks *of, bool in_row)
{
    if (!of || of->kind != KS_LOOP)
        return false;
    if (ks_is_loop(of, KLOOP_LCL) && of->loop.dim == 0)
        return of->loop.extent == LIFT_ROW_ITEMS;
    return in_row && !of->loop.limit;
}

const struct lift_pass *lift_codegen_pass(int i)
{
    int count = sizeof passes / sizeof *passes - 1;

    return i >= 0 && i < count ? &passes[i].info : NULL;
}
