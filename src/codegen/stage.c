/* Staging: values that are stored in local, private or temporary global memory before
 * they are read. */
#include "codegen/gen.h"

static const char *const hints[] = {"temp", "tile", "reg"};

static enum kspace space_of(enum lift_op op)
{
    return op == LIFT_TO_LOCAL     ? KSPACE_LOCAL
           : op == LIFT_TO_PRIVATE ? KSPACE_PRIVATE
                                   : KSPACE_GLOBAL;
}

void cg_declare(struct gen *g, const struct mem *mem)
{
    for (int i = 0; i < mem->leaf_count; i++) {
        cg_use_buffer(g, mem->leaves[i], true);
        cg_emit(g, ks_array(g->arena, mem->leaves[i]));
    }
}

static void materialise(struct gen *g, lift_expr e, const struct env *env)
{
    enum kspace space = space_of(e->op);
    const struct mem *mem;

    if (space == KSPACE_GLOBAL) {
        cg_fail(g, lift_type_base(e->type), "'toGlobal' inside a kernel");
        return;
    }
    mem = cg_mem(g, e->type, space, cg_name(g, hints[space]));
    cg_declare(g, mem);
    cg_write(g, e->u.prim.args[0], env, lift_dest_mem(g->arena, mem));
    cg_remember(g, e, env, (struct value){.kind = VALUE_MEM, .mem = mem});
}

/* Arguments that are data are looked through; functions have variables of their own. */
static void prepare(struct gen *g, lift_expr e, const struct env *env,
                    struct lift_ptrmap *seen)
{
    if (e->kind != LIFT_EXPR_PRIM || lift_ptrmap_get(seen, e) || cg_remembered(g, e, env))
        return;
    lift_ptrmap_put(seen, e, (void *)e);
    if (lift_expr_is_storage(e) && !cg_reads_through(g, e)) {
        materialise(g, e, env);
        return;
    }
    for (int i = 0; i < e->arg_count; i++)
        if (e->u.prim.args[i]->kind != LIFT_EXPR_LAMBDA)
            prepare(g, e->u.prim.args[i], env, seen);
}

void cg_prepare(struct gen *g, lift_expr e, const struct env *env)
{
    struct lift_ptrmap seen = {0};

    prepare(g, e, env, &seen);
    lift_ptrmap_fini(&seen);
}
