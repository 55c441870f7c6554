/* Writes results: the loops of the output spine, and the stores at its end. */
#include "codegen/gen.h"
#include "codegen/stream/window.h"
#include "ir/spine.h"

static enum kloop loop_of(enum lift_op op)
{
    switch (op) {
    case LIFT_MAP_PAR:
        return KLOOP_PAR;
    case LIFT_MAP_TASK:
        return KLOOP_TASK;
    case LIFT_MAP_SIMD:
    case LIFT_MAP_VEC:
        return KLOOP_SIMD;
    case LIFT_MAP_GLB:
        return KLOOP_GLB;
    case LIFT_MAP_WRG:
        return KLOOP_WRG;
    case LIFT_MAP_LCL:
        return KLOOP_LCL;
    default:
        return KLOOP_SEQ;
    }
}

bool cg_enter_level(struct gen *g, lift_expr e)
{
    const struct lift_loop_level *level = lift_dialect_level(g->options->dialect, e->op);
    const char *name = lift_prim_info(e->op)->name, *why;
    int dim = lift_map_dim(e);

    if (!level)
        cg_fail(g, e->type, "this device has no '%s'", name);
    else if (dim < 0 || dim > 2)
        cg_fail(g, e->type, "'%s' of dimension %d", name, dim);
    else if ((why = lift_level_misplaced(level, e, g->around)))
        cg_fail(g, e->type, "'%s' %s", name, why);
    else {
        g->around |= lift_level_bit(level, e);
        return true;
    }
    return false;
}

bool cg_at_group_level(const struct gen *g)
{
    return !lift_dialect_has_groups(g->options->dialect) ||
           ((g->around & LIFT_AROUND_WRG) &&
            !(g->around & (LIFT_AROUND_GLB | LIFT_AROUND_LCL)));
}

lift_nat cg_own_index(struct gen *g, int dim, int64_t extent)
{
    int local = g->options->local[dim];
    lift_nat var;

    for (int i = 0; i < g->own_count; i++)
        if (g->own[i].dim == dim && g->own[i].extent == extent)
            return g->own[i].var;
    if (extent > (local > 0 ? local : 1) || g->own_count == CG_OWN_INDICES)
        return cg_index_var(g, "l", extent);
    var = cg_item_var(g, dim, extent);
    g->own[g->own_count++] = (struct own_index){var, dim, extent};
    return var;
}

lift_nat cg_open_loop(struct gen *g, enum kloop loop, int dim, int64_t extent)
{
    static const char *const hints[] = {"i", "p", "t", "s", "g", "w", "l"}; /* by kloop */
    struct ks *s;

    if (extent == 1 && loop <= KLOOP_SIMD)
        return lift_nat_const(g->nats, 0);
    s = ks_loop(g->arena, loop, dim,
                loop == KLOOP_LCL ? cg_own_index(g, dim, extent)
                                  : cg_index_var(g, hints[loop], extent),
                extent);
    cg_emit(g, s);
    g->block = &s->loop.body;
    return s->loop.index;
}

static void write_element(struct gen *g, lift_expr e, lift_env env, lift_dest dest,
                          lift_nat index)
{
    lift_dest d = lift_dest_at(g->arena, dest, index);
    lift_expr f = lift_expr_arg(e, 0);

    cg_guard_early(g, d, e->type->elem);
    cg_write(g, f->u.lambda.body,
             lift_walk_element(&g->walker, lift_expr_arg(e, 1), env, index, f, env), d);
}

/* Sets the style of the current block from the node: the width of vector loads, and the
 * position of boundary checks. */
static bool ask_for_vectors(struct gen *g, lift_expr e)
{
    int n = e->u.prim.attrs.unroll.loads;
    bool steps = e->u.prim.attrs.unroll.tests == LIFT_TESTS_STEPWISE;
    struct kstyle style = {n, steps || e->u.prim.attrs.unroll.tests == LIFT_TESTS_LAST,
                           e->u.prim.attrs.unroll.tests == LIFT_TESTS_ONCE};

    if (n < 0 || n > 16 || (n & (n - 1))) {
        cg_fail(g, e->type, "'mapUnroll' with loads by %d: 2, 4, 8, 16 are possible", n);
        return false;
    }
    ks_add_style(&g->block->style, style);
    style.tests_once = false;
    windows_ask(g, style, steps);
    return true;
}

static bool in_registers(const struct mem *mem)
{
    return mem->leaf_count > 0 && mem->leaves[0]->space == KSPACE_PRIVATE;
}

/* True if a loop may replace straight-line code: the destination needs a test per
 * element, and no enclosing value is in registers, which need constant indices. */
static bool may_be_loop(const struct gen *g, lift_dest dest)
{
    if (!g->part_of_unrolled || g->windows)
        return false;
    for (const struct memo *m = g->memos; m; m = m->next)
        if (m->value.kind == LIFT_BOUND_MEM && in_registers(m->value.mem))
            return false;
    while (dest->parent)
        dest = dest->parent;
    return dest->kind != LIFT_DEST_MEM || !in_registers(dest->u.mem);
}

/* Writes the first 'n' elements one after the other. */
static void write_in_turn(struct gen *g, lift_expr e, lift_env env, lift_dest dest,
                          int64_t n)
{
    struct scope scope = cg_enter(g, g->block);

    for (int64_t i = 0; i < n && !g->failed; i++) {
        write_element(g, e, env, dest, lift_nat_const(g->nats, i));
        cg_leave(g, scope);
    }
}

/* Writes the elements with their statements ordered by loads. */
static void write_together(struct gen *g, lift_expr e, lift_env env, lift_dest dest,
                           int64_t n)
{
    struct kblock *points = LIFT_NEW_ARRAY(g->arena, struct kblock, n);

    for (int64_t i = 0; i < n; i++) {
        struct scope scope = cg_enter(g, &points[i]);

        write_element(g, e, env, dest, lift_nat_const(g->nats, i));
        cg_leave(g, scope);
    }
    cg_emit_together(g, points, (int)n);
}

static void write_unrolled(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    int64_t n = cg_const(g, e->type->len, "the length of 'mapUnroll'");
    struct scope scope;

    if (n > 64)
        cg_fail(g, e->type, "'mapUnroll' of %lld elements", (long long)n);
    if (n > 64 || !ask_for_vectors(g, e))
        return;
    cg_prepare(g, lift_expr_arg(e, 1), env);
    scope = cg_enter(g, g->block);
    if (may_be_loop(g, dest)) {
        write_element(g, e, env, dest, cg_open_loop(g, KLOOP_SEQ, 0, n));
        n = 0;
    }
    if (e->u.prim.attrs.unroll.order == LIFT_ORDER_LOADS)
        write_together(g, e, env, dest, n);
    else
        write_in_turn(g, e, env, dest, n);
    cg_leave(g, scope);
}

/* Sets how threads or lanes divide the iterations, from the node's attributes. */
static void set_sharing(struct gen *g, struct ks *loop, lift_expr e)
{
    const union lift_attrs *attrs = &e->u.prim.attrs;

    if (e->op == LIFT_MAP_VEC) {
        loop->loop.lanes = (int)cg_const(g, e->u.prim.nats[0], "the width of 'mapVec'");
        loop->loop.shuffles = attrs->vec.rows == LIFT_ROWS_SHUFFLE;
        if (lift_expr_is(lift_expr_arg(e, 1), LIFT_PREFETCH))
            loop->loop.ahead =
                cg_const(g, lift_expr_arg(e, 1)->u.prim.nats[0], "the distance");
        loop->loop.nontemporal = attrs->vec.store == LIFT_STORE_NONTEMPORAL;
        loop->loop.version = attrs->vec.tests == LIFT_TESTS_HOISTED ? KVERSION_LOOP
                             : attrs->vec.tests == LIFT_TESTS_APART ? KVERSION_ITERATION
                                                                    : KVERSION_NONE;
        return;
    }
    if (e->op == LIFT_MAP_GLB || e->op == LIFT_MAP_WRG) {
        loop->loop.nontemporal = attrs->glb.store == LIFT_STORE_NONTEMPORAL;
        loop->loop.nontemporal_loads = attrs->glb.load == LIFT_LOAD_NONTEMPORAL;
        g->wanted_once.stores |= loop->loop.nontemporal;
        g->wanted_once.loads |= loop->loop.nontemporal_loads;
    }
    if (e->op != LIFT_MAP_PAR && e->op != LIFT_MAP_TASK)
        return;
    loop->loop.collapse = lift_map_collapse(e);
    if (e->op == LIFT_MAP_PAR)
        loop->loop.schedule = attrs->par.schedule;
    else
        loop->loop.tasks = attrs->task.tasks;
}

/* Notes that threads divide the iterations of the loop just opened, by its own pragma or
 * by the pragma of an enclosing loop. */
static void note_shared(struct gen *g, lift_expr e, lift_nat index)
{
    struct shared_loop loop = {index, g->shared ? g->shared->more - 1 : -1, g->shared};

    if (e->op == LIFT_MAP_PAR || e->op == LIFT_MAP_TASK)
        loop.more = lift_map_collapse(e) > 1 ? lift_map_collapse(e) - 1 : 0;
    if (loop.more >= 0)
        g->shared = lift_arena_copy(g->arena, &loop, sizeof loop);
}

static void write_loop(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    int64_t n = cg_const(g, e->type->len, "the length of a map");
    struct scope scope = cg_enter(g, g->block);
    struct kblock *before;
    lift_nat index;

    if (n > 0 && cg_enter_level(g, e)) {
        before = g->block;
        index = cg_open_loop(g, loop_of(e->op), lift_map_dim(e), n);
        if (g->block != before) {
            set_sharing(g, g->block->of, e);
            note_shared(g, e, index);
        }
        write_element(g, e, env, dest, index);
    }
    cg_leave(g, scope);
}

static void write_map(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    lift_dest inner;

    if (e->op == LIFT_MAP) {
        inner = lift_dest_into(g->arena, e, 1, dest);
        if (inner)
            cg_write(g, lift_expr_arg(e, 1), env, inner);
        else
            cg_fail(g, e->type, "'map' was not lowered");
        return;
    }
    if (e->op == LIFT_MAP_UNROLL) {
        write_unrolled(g, e, env, dest);
        return;
    }
    if (e->op == LIFT_MAP_LCL && e->u.prim.attrs.lcl.halo != LIFT_HALO_BOX) {
        cg_write_halo(g, e, env, dest);
        return;
    }
    cg_prepare(g, lift_expr_arg(e, 1), env);
    write_loop(g, e, env, dest);
}

/* Stores the members of a tuple one by one. */
static void write_leaves(struct gen *g, lift_expr e, lift_env env, lift_dest dest,
                         lift_access path, lift_type t)
{
    if (t->kind == LIFT_TYPE_TUPLE) {
        for (int i = 0; i < t->count; i++)
            write_leaves(g, e, env, lift_dest_member(g->arena, dest, i),
                         lift_access_append(g->arena, path, cg_member(g, i, NULL)),
                         t->parts[i]);
        return;
    }
    if (!lift_type_is_value(t)) {
        cg_fail(g, t, "an array is stored without a loop: '%s'",
                e->kind == LIFT_EXPR_PRIM ? lift_prim_info(e->op)->name : "a variable");
        return;
    }
    cg_store(g, cg_read(g, e, env, path), dest);
}

static void write_let(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    lift_expr f = lift_expr_arg(e, 1);
    struct lift_bound v = lift_walk_value(&g->walker, "val", lift_expr_arg(e, 0), env);

    cg_write(g, f->u.lambda.body, lift_walk_bind(&g->walker, env, v), dest);
}

static void write_select(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    kx cond = cg_read(g, lift_expr_arg(e, 0), env, NULL);
    struct ks *test;
    struct scope scope;

    if (cond->kind == KX_BOOL) {
        cg_write(g, lift_expr_arg(e, cond->truth ? 1 : 2), env, dest);
        return;
    }
    scope = cg_enter(g, g->block);
    test = cg_open_if(g, cond);
    cg_assume_cond(g, cond);
    cg_write(g, lift_expr_arg(e, 1), env, dest);
    cg_leave(g, scope);
    g->block = &test->test.otherwise;
    cg_write(g, lift_expr_arg(e, 2), env, dest);
    cg_leave(g, scope);
}

/* Writes the results of straight-line code one by one, instead of as vectors. */
static bool write_through(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    lift_expr scalars = g->part_of_unrolled ? cg_scalars_under(e) : NULL;

    if (!scalars || !lift_expr_is(scalars, LIFT_TO_PRIVATE) ||
        dest->kind == LIFT_DEST_MEM)
        return false;
    cg_write(g, lift_expr_arg(scalars, 0), env, dest);
    return true;
}

static void write_moved(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    if (lift_expr_is(e, LIFT_INJECT)) {
        cg_write_injected_here(g, e, env, dest);
        return;
    }
    for (int i = 0; i < e->arg_count && !g->failed; i++) {
        lift_dest inner = lift_dest_into(g->arena, e, i, dest);

        if (!inner) {
            cg_fail(g, e->type, "'%s' on the way of a result to memory",
                    lift_prim_info(e->op)->name);
            return;
        }
        cg_write(g, lift_expr_arg(e, i), env, inner);
    }
}

static void write_array(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    if (e->kind != LIFT_EXPR_PRIM)
        write_leaves(g, e, env, dest, NULL, e->type);
    else if (lift_op_is_map(e->op))
        write_map(g, e, env, dest);
    else if (e->op == LIFT_MAP_SEQ_SLIDE)
        cg_write_slide(g, e, env, dest);
    else if (e->op == LIFT_SELECT)
        write_select(g, e, env, dest);
    else if (!write_through(g, e, env, dest))
        write_moved(g, e, env, dest);
}

static void write_any(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    if (lift_expr_is(e, LIFT_LET))
        write_let(g, e, env, dest);
    else if (lift_expr_is_placed(e) || lift_expr_is(e, LIFT_IN_PLACE))
        cg_write(g, lift_expr_arg(e, e->arg_count - 1), env, dest);
    else if (lift_expr_is(e, LIFT_TUPLE) || lift_expr_is(e, LIFT_UNZIP))
        write_moved(g, e, env, dest);
    else if (lift_expr_is(e, LIFT_SELECT) && lift_is_grids(e->type))
        write_select(g, e, env, dest);
    else if (e->type->kind == LIFT_TYPE_ARRAY)
        write_array(g, e, env, dest);
    else
        write_leaves(g, e, env, dest, NULL, e->type);
}

/* True for straight-line code, including its intermediates and the enclosing sequential
 * and lane loops. */
static bool is_unrolled(lift_expr e)
{
    while (e->kind == LIFT_EXPR_PRIM) {
        if (e->op == LIFT_MAP_UNROLL)
            return true;
        if (e->op == LIFT_LET)
            e = lift_expr_arg(e, 1)->u.lambda.body;
        else if (e->op == LIFT_MAP_SEQ || e->op == LIFT_MAP_SIMD ||
                 e->op == LIFT_MAP_VEC || e->op == LIFT_MAP_SEQ_SLIDE)
            e = lift_expr_arg(e, 0)->u.lambda.body;
        else if (lift_moved_slot(e) >= 0)
            e = lift_expr_arg(e, lift_moved_slot(e));
        else
            return false;
    }
    return false;
}

/* Writes straight-line code whose destination may take only some elements. If the
 * destination takes all elements, a version without tests runs, whose statements can
 * share loads. Otherwise a version with a test per element runs, as a loop if possible.
 */
static void write_versions(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    struct scope scope = cg_enter(g, g->block);
    lift_nat guards[CG_GUARDS];
    int count = cg_guards(g, dest, e->type, guards);
    kx all = cg_all_hold(g, guards, count);
    struct ks *test;

    if (all->kind == KX_BOOL) {
        write_any(g, e, env, dest);
        cg_leave(g, scope);
        return;
    }
    test = cg_open_if(g, all);
    cg_assume_all(g, guards, count);
    write_any(g, e, env, dest);
    cg_leave(g, scope);
    g->block = &test->test.otherwise;
    g->part_of_unrolled = true;
    cg_assume_not_all(g, guards, count);
    write_any(g, e, env, dest);
    g->part_of_unrolled = false;
    cg_leave(g, scope);
}

void cg_write(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    /* Loops that are divided among work-items are no straight-line code. Barriers should
     * be outside tests. */
    bool shared = lift_dialect_has_groups(g->options->dialect) && cg_at_group_level(g);

    if (g->failed)
        return;
    if (!shared && !g->part_of_unrolled && is_unrolled(e))
        write_versions(g, e, env, dest);
    else
        write_any(g, e, env, dest);
}
