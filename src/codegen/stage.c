/* Values that are stored in local, private or temporary global memory before other code
 * reads them. */
#include "codegen/gen.h"

static const char *const hints[] = {"temp", "tile", "reg"};

void cg_declare(struct gen *g, const struct mem *mem)
{
    for (int i = 0; i < mem->leaf_count; i++) {
        cg_use_buffer(g, mem->leaves[i], true);
        cg_emit(g, ks_array(g->arena, mem->leaves[i]));
    }
}

static void materialise(struct gen *g, lift_expr e, lift_env env)
{
    enum kspace space = e->op == LIFT_TO_LOCAL     ? KSPACE_LOCAL
                        : e->op == LIFT_TO_PRIVATE ? KSPACE_PRIVATE
                                                   : KSPACE_GLOBAL;
    const struct mem *mem;

    if (space == KSPACE_GLOBAL) {
        cg_fail(g, lift_type_base(e->type), "'toGlobal' inside a kernel");
        return;
    }
    mem = cg_mem(g, e->type, space, cg_name(g, hints[space]));
    cg_declare(g, mem);
    cg_write(g, e->u.prim.args[0], env, lift_dest_mem(g->arena, mem));
    cg_remember(g, e, env, (struct lift_bound){.kind = LIFT_BOUND_MEM, .mem = mem});
}

struct preparing {
    struct gen *g;
    lift_env env;
};

/* Visits arguments that are data. Skips functions, which bind other variables. */
static bool prepare(void *preparing, lift_expr e)
{
    struct gen *g = ((struct preparing *)preparing)->g;
    lift_env env = ((struct preparing *)preparing)->env;

    if (e->kind != LIFT_EXPR_PRIM || cg_remembered(g, e, env))
        return false;
    if (!lift_expr_is_storage(e) || cg_reads_through(g, e))
        return true;
    materialise(g, e, env);
    return false;
}

void cg_prepare(struct gen *g, lift_expr e, lift_env env)
{
    lift_expr_each(e, prepare, &(struct preparing){g, env});
}
