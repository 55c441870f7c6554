/* Members of a stored tuple that the result only copies: their stores go to the result
 * directly, and no kernel copies them.
 *
 *     let m = toGlobal(unzip(map(...))) in ... concat(m.0, f(m.1)) ...
 *
 * This is correct if only copies read these members of the tuple. The memory of the
 * result is known before the lets are generated. No kernel reads this memory before the
 * members are stored. */
#include "codegen/gen.h"
#include "ir/spine.h"

struct passing {
    struct gen *g;
    int copies[LIFT_MAX_ARGS]; /* number of copies of each member */
    lift_dest to[LIFT_MAX_ARGS];
    bool read; /* an operation other than a copy reads the tuple */
};

/* Visits the parts of the result that become kernels. The tuple is bound 'index' binders
 * outside. */
static void look(struct passing *p, lift_expr e, int index, lift_dest to)
{
    bool parts = lift_moves_each(e);
    int moved = lift_moved_slot(e), k;
    lift_expr tuple = lift_copied_member(e, &k);

    if (tuple && tuple->u.index == index) {
        p->copies[k]++;
        p->to[k] = to;
    } else if (!parts && moved < 0) {
        p->read |= lift_expr_uses_bound(e, index, 1);
    } else {
        for (int i = 0; i < e->arg_count; i++)
            if (parts || i == moved)
                look(p, e->u.prim.args[i], index, lift_dest_into(p->g->arena, e, i, to));
            else
                p->read |= lift_expr_uses_bound(lift_expr_child(e, i), index, 1);
    }
}

const struct mem *cg_pass_members(struct gen *g, const struct mem *mem, lift_expr rest,
                                  lift_dest to)
{
    struct passing p = {.g = g};
    struct mem *out = lift_arena_copy(g->arena, mem, sizeof *mem);
    lift_dest *passed = LIFT_NEW_ARRAY(g->arena, lift_dest, LIFT_MAX_ARGS);
    lift_expr e = cg_below_layout(rest);
    int index = 0;

    if (mem->type->kind != LIFT_TYPE_TUPLE)
        return mem;
    for (; lift_expr_is(e, LIFT_LET);
         e = cg_below_layout(lift_expr_arg(e, 1)->u.lambda.body))
        p.read |= lift_expr_uses_bound(lift_expr_arg(e, 0), index++, 1);
    if (!lift_is_repeated(e))
        look(&p, e, index, to);
    for (int k = 0; k < mem->type->count && !p.read; k++)
        if (p.copies[k] == 1) {
            passed[k] = p.to[k];
            out->passed = passed;
        }
    return out;
}

lift_dest cg_dest_of(struct gen *g, const struct mem *mem)
{
    lift_dest *each, all = lift_dest_mem(g->arena, mem);

    if (!mem->passed)
        return all;
    each = LIFT_NEW_ARRAY(g->arena, lift_dest, mem->type->count);
    for (int k = 0; k < mem->type->count; k++)
        each[k] = mem->passed[k] ? mem->passed[k] : lift_dest_member(g->arena, all, k);
    return lift_dest_each(g->arena, each);
}

bool cg_is_passed(lift_expr e, lift_env env)
{
    int k;
    lift_expr tuple = lift_copied_member(e, &k);
    const struct lift_bound *v = tuple ? lift_walk_lookup(env, tuple->u.index) : NULL;

    const struct mem *mem = v && v->kind == LIFT_BOUND_MEM ? v->mem : NULL;

    return mem && mem->passed && mem->passed[k];
}
