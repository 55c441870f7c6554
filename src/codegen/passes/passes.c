/* The passes over kernels, in their order, and the simplifier between them. */
#include "codegen/passes/passes.h"
#include "base/bug.h"
#include "codegen/kast_check.h"
#include "codegen/text/dialect.h"
#include <string.h>

/* Dialects that have something for a pass to do. */
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
    {{"version", "code far from boundaries has a version without tests, where code asks"},
     cg_pass_version,
     EVERYWHERE},
    {{"lanes", "loops over lanes become loops over vectors and a rest"},
     cg_pass_lanes,
     PROCESSORS},
    {{"tests", "tests on indices come behind what they choose, where code asks for it"},
     cg_pass_tests,
     EVERYWHERE},
    {{"edges",
      "tests for a row that say the same at each step are made before the first"},
     cg_pass_edges,
     GROUPS},
    {{"common", "what statements compute more than once goes to a variable"},
     cg_pass_common,
     EVERYWHERE},
    {{"cases", "equal tests choose between branches, where code asks for it"},
     cg_pass_cases,
     GROUPS},
    {{"beside", "warp shuffles precede the statements that use their values"},
     cg_pass_beside,
     GROUPS},
    {{"vectors", "loads that lie side by side become loads of vectors"},
     cg_pass_vectors,
     EVERYWHERE},
    {{"prefetch", "what loops over lanes read later is fetched to the caches"},
     cg_pass_prefetch,
     PROCESSORS},
    {{"fences", "non-temporal stores are fenced"}, cg_pass_fences, PROCESSORS},
    {{"indices",
      "quotients, minima and maxima of indices are computed before loops over lanes"},
     cg_pass_indices,
     PROCESSORS},
    {{"length", "straight-line code that is too long is refused"},
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
    {{"meet", "barriers come out of tests that a group takes as one"},
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
