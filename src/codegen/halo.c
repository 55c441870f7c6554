/* Copies of a tile with its halo to shared memory, by other loops than one nest over the
 * whole box. The box is the core, the grid points of the tile, and two sides for each
 * dimension. A side extends over the core of the outer dimensions. It extends over the
 * halo of an inner dimension only if a reader needs these corners. */
#include "base/bug.h"
#include "codegen/gen.h"
#include "lift/build.h"

/* The dimensions of a box, outermost first. */
struct halo {
    struct gen *g;
    lift_env env;
    lift_dest dest;
    int dims;
    lift_expr map[LIFT_MAX_DIMS];
    int64_t length[LIFT_MAX_DIMS], core[LIFT_MAX_DIMS];
    int before[LIFT_MAX_DIMS], after[LIFT_MAX_DIMS];
};

/* The core, or the two sides of one dimension, and its number of elements. */
enum { CORE = -1 };

struct piece {
    int axis; /* CORE, or the dimension of the sides */
    int64_t extent[LIFT_MAX_DIMS], count;
};

static bool find_halo(struct halo *h, lift_expr e)
{
    for (; lift_expr_is(e, LIFT_MAP_LCL) && h->dims < LIFT_MAX_DIMS;
         e = lift_expr_arg(e, 0)->u.lambda.body) {
        const union lift_attrs *a = &e->u.prim.attrs;
        int k = h->dims++;

        if (!cg_enter_level(h->g, e))
            return false;
        h->map[k] = e;
        h->length[k] = cg_const(h->g, e->type->len, "the length of a map");
        h->before[k] = a->lcl.before;
        h->after[k] = a->lcl.after;
        h->core[k] = h->length[k] - h->before[k] - h->after[k];
        if (h->before[k] < 0 || h->after[k] < 0 || h->core[k] < 1)
            cg_fail(h->g, e->type, "a tile without grid points inside its halo");
    }
    return !h->g->failed;
}

/* True if the sides of dimension 'axis' extend over the halo of dimension 'k'. */
static bool has_corners(const struct halo *h, int axis, int k)
{
    return k > axis && h->map[axis]->u.prim.attrs.lcl.corners >> (k - axis - 1) & 1;
}

static struct piece piece_of(const struct halo *h, int axis)
{
    struct piece p = {.axis = axis, .count = 1};

    for (int k = 0; k < h->dims; k++) {
        p.extent[k] = k == axis                 ? h->before[k] + h->after[k]
                      : axis == CORE            ? h->core[k]
                      : has_corners(h, axis, k) ? h->length[k]
                                                : h->core[k];
        p.count *= p.extent[k];
    }
    return p;
}

/* The index in the box of iteration 'i' of a piece along dimension 'k'. */
static lift_nat index_of(struct halo *h, const struct piece *p, int k, lift_nat i)
{
    struct gen *g = h->g;
    lift_nat behind = lift_nat_add_const(i, h->core[k]), before;
    kx sides[3];

    if (k != p->axis)
        return p->axis != CORE && has_corners(h, p->axis, k)
                   ? i
                   : lift_nat_add_const(i, h->before[k]);
    if (h->before[k] == 0 || h->after[k] == 0)
        return h->before[k] == 0 ? behind : i;
    if (h->before[k] == h->after[k]) {
        before = cg_by_facts(g, lift_nat_div(i, lift_nat_const(g->nats, h->before[k])));
        return lift_nat_add(i, lift_nat_mul_const(before, h->core[k]));
    }
    before = lift_nat_sub(lift_nat_const(g->nats, h->before[k] - 1), i);
    sides[0] = kx_ge0(g->ir, before, g->facts, g->fact_count);
    sides[1] = kx_nat(g->ir, i);
    sides[2] = kx_nat(g->ir, behind);
    return cg_as_index(
        g, kx_op(g->ir, LIFT_SELECT, lift_type_scalar(g->ir, LIFT_I32), sides, 3),
        h->length[k]);
}

static bool has_quotient(lift_nat n)
{
    for (int t = 0; t < lift_nat_term_count(n); t++) {
        int factors;

        lift_nat_term(n, t, &factors);
        for (int f = 0; f < factors; f++)
            if (lift_nat_factor(n, t, f).kind == LIFT_ATOM_DIV)
                return true;
    }
    return false;
}

/* A variable for an index with quotients, which boundary checks and addresses repeat. */
static lift_nat as_variable(struct gen *g, lift_nat index, int64_t length)
{
    lift_nat var;

    if (!has_quotient(index))
        return index;
    var = cg_index_var(g, "at", length);
    cg_emit(g, ks_decl(g->arena, lift_nat_is_var(var, NULL), kx_nat(g->ir, index)));
    return var;
}

/* Copies the element at 'index' of the box. */
static void write_at(struct halo *h, const lift_nat index[LIFT_MAX_DIMS])
{
    struct gen *g = h->g;
    struct scope scope = cg_enter(g, g->block);
    lift_env env = h->env;
    lift_dest dest = h->dest;
    lift_expr f = NULL;

    for (int k = 0; k < h->dims; k++) {
        lift_nat at = as_variable(g, index[k], h->length[k]);
        lift_expr xs;

        LIFT_ASSERT(h->map[k]);
        xs = lift_expr_arg(h->map[k], 1);
        f = lift_expr_arg(h->map[k], 0);
        cg_prepare(g, xs, env);
        dest = lift_dest_at(g->arena, dest, at);
        env = lift_walk_element(&g->walker, xs, env, at, f, env);
    }
    LIFT_ASSERT(f);
    cg_write(g, f->u.lambda.body, env, dest);
    cg_leave(g, scope);
}

/* Copies a piece by a loop for each dimension, whose iterations the threads of the
 * block's dimension share. */
static void write_piece(struct halo *h, const struct piece *p, bool more)
{
    struct gen *g = h->g;
    struct scope scope = cg_enter(g, g->block);
    lift_nat index[LIFT_MAX_DIMS];

    for (int k = 0; k < h->dims; k++) {
        index[k] = cg_open_loop(g, KLOOP_LCL, lift_map_dim(h->map[k]), p->extent[k]);
        if (k == 0)
            g->block->of->loop.more = more;
    }
    for (int k = 0; k < h->dims; k++)
        index[k] = index_of(h, p, k, index[k]);
    write_at(h, index);
    cg_leave(g, scope);
}

/* Opens a loop of 'count' iterations that all threads of the block share, and the one
 * test that ends the loop. Returns its index. */
static lift_nat open_flat(struct halo *h, int64_t count, bool more)
{
    struct gen *g = h->g;
    int64_t threads = 1;
    lift_nat i = lift_nat_const(g->nats, 0), left;
    kx inside;

    for (int k = 0; k < h->dims; k++) {
        int dim = lift_map_dim(h->map[k]);
        int64_t n = g->options->local[dim] > 1 ? g->options->local[dim] : 1;

        i = lift_nat_add(lift_nat_mul_const(i, n), cg_open_loop(g, KLOOP_LCL, dim, n));
        threads *= n;
        if (k == 0)
            g->block->of->loop.more = more;
    }
    i = lift_nat_add(
        i, lift_nat_mul_const(
               cg_open_loop(g, KLOOP_SEQ, 0, (count + threads - 1) / threads), threads));
    left = lift_nat_sub(lift_nat_const(g->nats, count - 1), i);
    inside = kx_ge0(g->ir, left, g->facts, g->fact_count);
    if (inside->kind != KX_BOOL)
        cg_open_if(g, inside);
    cg_assume(g, left);
    return i;
}

/* The indices of element 'i' of a piece in row-major order. */
static void find_indices(struct halo *h, const struct piece *p, lift_nat i,
                         lift_nat index[LIFT_MAX_DIMS])
{
    struct gen *g = h->g;

    for (int k = h->dims - 1; k >= 0; k--) {
        lift_nat n = lift_nat_const(g->nats, p->extent[k]);

        index[k] = index_of(h, p, k, k > 0 ? cg_by_facts(g, lift_nat_mod(i, n)) : i);
        i = cg_by_facts(g, lift_nat_div(i, n));
    }
}

/* Copies the whole box by one loop. */
static void write_flat(struct halo *h)
{
    struct scope scope = cg_enter(h->g, h->g->block);
    struct piece box = {.axis = 0, .count = 1};
    lift_nat index[LIFT_MAX_DIMS], i;

    for (int k = 0; k < h->dims; k++)
        box.count *= h->length[k];
    i = open_flat(h, box.count, false);
    for (int k = h->dims - 1; k >= 0; k--) {
        lift_nat n = lift_nat_const(h->g->nats, h->length[k]);

        index[k] = k > 0 ? cg_by_facts(h->g, lift_nat_mod(i, n)) : i;
        i = cg_by_facts(h->g, lift_nat_div(i, n));
    }
    write_at(h, index);
    cg_leave(h->g, scope);
}

/* Copies the sides of all dimensions by one loop; each iteration copies an element of
 * each dimension's sides. */
static void write_together(struct halo *h, const struct piece *pieces, int count)
{
    struct gen *g = h->g;
    struct scope scope = cg_enter(g, g->block), inner;
    int64_t most = 0;
    lift_nat i;

    for (int a = 0; a < count; a++)
        most = pieces[a].count > most ? pieces[a].count : most;
    i = open_flat(h, most, true);
    inner = cg_enter(g, g->block);
    for (int a = 0; a < count; a++) {
        lift_nat left = lift_nat_sub(lift_nat_const(g->nats, pieces[a].count - 1), i);
        lift_nat index[LIFT_MAX_DIMS];

        if (pieces[a].count < most)
            cg_open_if(g, kx_ge0(g->ir, left, g->facts, g->fact_count));
        cg_assume(g, left);
        find_indices(h, &pieces[a], i, index);
        write_at(h, index);
        cg_leave(g, inner);
    }
    cg_leave(g, scope);
}

/* Copies the sides of all dimensions by one loop over a list of all their elements. Each
 * iteration selects the indices of its element. */
static void write_list(struct halo *h, const struct piece *pieces, int count)
{
    struct gen *g = h->g;
    struct scope scope = cg_enter(g, g->block);
    lift_type i32 = lift_type_scalar(g->ir, LIFT_I32);
    lift_nat index[LIFT_MAX_DIMS], of[LIFT_MAX_DIMS], i;
    int64_t all = 0, first;
    kx chosen[LIFT_MAX_DIMS];

    for (int a = 0; a < count; a++)
        all += pieces[a].count;
    i = open_flat(h, all, true);
    first = all;
    for (int a = count - 1; a >= 0; a--) {
        lift_nat left = lift_nat_sub(lift_nat_const(g->nats, first - 1), i);

        first -= pieces[a].count;
        find_indices(h, &pieces[a], lift_nat_add_const(i, -first), of);
        for (int k = 0; k < h->dims; k++) {
            kx own = kx_nat(g->ir, of[k]);
            kx choice[] = {kx_ge0(g->ir, left, NULL, 0), own, chosen[k]};

            chosen[k] = a == count - 1 ? own : kx_op(g->ir, LIFT_SELECT, i32, choice, 3);
        }
    }
    for (int k = 0; k < h->dims; k++)
        index[k] = cg_as_index(g, chosen[k], h->length[k]);
    write_at(h, index);
    cg_leave(g, scope);
}

void cg_write_halo(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    struct scope scope = cg_enter(g, g->block);
    struct halo h = {.g = g, .env = env, .dest = dest};
    enum lift_halo_copy how = e->u.prim.attrs.lcl.halo;
    struct piece pieces[LIFT_MAX_DIMS], core;
    int count = 0;

    if (find_halo(&h, e) && how == LIFT_HALO_FLAT) {
        write_flat(&h);
    } else if (!g->failed) {
        for (int k = 0; k < h.dims; k++) {
            pieces[count] = piece_of(&h, k);
            count += pieces[count].count > 0;
        }
        core = piece_of(&h, CORE);
        write_piece(&h, &core, false);
        for (int a = 0; a < count && how == LIFT_HALO_EACH; a++)
            write_piece(&h, &pieces[a], true);
        if (count > 0 && how == LIFT_HALO_AXIS)
            write_together(&h, pieces, count);
        if (count > 0 && how == LIFT_HALO_LIST)
            write_list(&h, pieces, count);
    }
    cg_leave(g, scope);
}
