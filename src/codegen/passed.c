/* Members of a stored tuple that are only passed on to the result: they are stored there
 * at once, and the copy has no kernel.
 *
 *     let m = toGlobal(unzip(map(...))) in ... concat(m.0, f(m.1)) ...
 *
 * It holds where the copy is all that reads the member. Where the result lies is known
 * before the names are made, and nothing reads it before all are. */
#include "base/table.h"
#include "codegen/gen.h"
#include "ir/spine.h"

struct passing {
    struct gen *g;
    int uses[LIFT_MAX_ARGS]; /* of each member */
    bool whole;              /* the tuple is used */
    lift_dest to[LIFT_MAX_ARGS];
    struct lift_ptrmap seen; /* by expression: under how many binders it was */
};

/* Uses of the variable that is bound 'index' binders outside. */
static void count(struct passing *p, lift_expr e, int index)
{
    void *here = (void *)(intptr_t)(index + 1);

    if (e->loose <= index || lift_ptrmap_get(&p->seen, e) == here)
        return;
    lift_ptrmap_put(&p->seen, e, here);
    if (e->kind == LIFT_EXPR_BOUND) {
        p->whole |= e->u.index == index;
        return;
    }
    if (lift_expr_is(e, LIFT_GET) && lift_expr_arg(e, 0)->kind == LIFT_EXPR_BOUND &&
        lift_expr_arg(e, 0)->u.index == index) {
        p->uses[e->u.prim.attrs.get.k] = 2;
        return;
    }
    if (e->kind == LIFT_EXPR_LAMBDA)
        index += e->arg_count;
    for (int i = 0; i < lift_expr_child_count(e); i++)
        count(p, lift_expr_child(e, i), index);
}

/* The parts of the result, as they become kernels. */
static void look(struct passing *p, lift_expr e, int index, lift_dest to)
{
    bool parts = lift_moves_each(e);
    int moved = lift_moved_slot(e), k;
    lift_expr tuple = lift_copied_member(e, &k);

    if (tuple && tuple->u.index == index) {
        p->uses[k]++;
        p->to[k] = to;
    } else if (!parts && moved < 0) {
        count(p, e, index);
    } else {
        for (int i = 0; i < e->arg_count; i++)
            if (parts || i == moved)
                look(p, e->u.prim.args[i], index, lift_dest_into(p->g->arena, e, i, to));
            else
                count(p, lift_expr_child(e, i), index);
    }
}

static void look_below(struct passing *p, lift_expr e, lift_dest to)
{
    int index = 0;

    for (e = cg_below_layout(e); lift_expr_is(e, LIFT_LET);
         e = cg_below_layout(lift_expr_arg(e, 1)->u.lambda.body))
        count(p, lift_expr_arg(e, 0), index++);
    if (lift_is_repeated(e))
        p->whole = true;
    else
        look(p, e, index, to);
}

const struct mem *cg_pass_members(struct gen *g, const struct mem *mem, lift_expr rest,
                                  lift_dest to)
{
    struct passing p = {.g = g};
    struct mem *out = lift_arena_copy(g->arena, mem, sizeof *mem);
    lift_dest *passed;

    if (mem->type->kind != LIFT_TYPE_TUPLE)
        return mem;
    look_below(&p, rest, to);
    lift_ptrmap_fini(&p.seen);
    passed = LIFT_NEW_ARRAY(g->arena, lift_dest, mem->type->count);
    for (int k = 0; k < mem->type->count; k++)
        if (!p.whole && p.uses[k] == 1) {
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
