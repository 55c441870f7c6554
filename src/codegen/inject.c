/* Values that are added to a grid at points between its elements: each point adds to the
 * elements of a box.
 *
 * injection=separate_kernel: a kernel adds the values after the grid is stored. Boxes may
 * overlap, but the kernel has no races and needs no atomics. The first point whose box
 * contains an element adds the values of all points to that element, in order. So results
 * are bitwise reproducible. An earlier kernel computes bounding boxes of blocks of
 * points, so that this kernel tests few points. A CPU adds the points one after the
 * other.
 *
 * injection=fused: each read of an element tests all points. */
#include "base/bug.h"
#include "codegen/gen.h"
#include "lift/build.h"

/* An inject, and an element of its grid. */
struct spot {
    struct gen *g;
    lift_expr e;
    lift_env env;
    int dims;
    int64_t points, width;
    int64_t block; /* points of a block; 1: no blocks */
    kx at[LIFT_MAX_DIMS];
};

/* The largest number of points that every element tests without blocks. */
enum { FEW_POINTS = 64 };

/* Points of a block: the smallest power of two that is at least the square root of
 * 'points'. 1 for CPUs and few points. */
static int64_t block_of(const struct gen *g, int64_t points)
{
    int64_t block = 1;

    if (!lift_dialect_has_groups(g->options->dialect) || points <= FEW_POINTS)
        return 1;
    while (block * block < points)
        block *= 2;
    return block;
}

static struct spot spot_of(struct gen *g, lift_expr e, lift_env env)
{
    lift_type corners = lift_expr_arg(e, 1)->type->parts[0],
              weights = lift_expr_arg(e, 1)->type->parts[1];

    int64_t points = cg_const(g, corners->len, "a number of points");

    return (struct spot){.g = g,
                         .e = e,
                         .env = env,
                         .dims = lift_type_rank(e->type),
                         .points = points,
                         .width =
                             cg_const(g, weights->elem->elem->len, "a number of weights"),
                         .block = block_of(g, points)};
}

static int64_t blocks_of(const struct spot *s)
{
    return (s->points + s->block - 1) / s->block;
}

static kx binary(struct gen *g, enum lift_op op, kx a, kx b)
{
    bool compares = op == LIFT_LT || op == LIFT_LE || op == LIFT_EQ;
    lift_type t = compares ? lift_type_scalar(g->ir, LIFT_BOOL) : b->type;

    return kx_op(g->ir, op, t, (kx[]){a, b}, 2);
}

static kx number(struct gen *g, int64_t n)
{
    return kx_nat(g->ir, lift_nat_const(g->nats, n));
}

/* 0 <= i < n */
static kx in_range(struct gen *g, kx i, int64_t n)
{
    return kx_and(g->ir, binary(g, LIFT_LE, number(g, 0), i),
                  binary(g, LIFT_LT, i, number(g, n)));
}

static lift_nat along(const struct spot *s, int a)
{
    return lift_nat_const(s->g->nats, a);
}

static kx corner(const struct spot *s, lift_nat p, int a)
{
    lift_access path = cg_index(s->g, along(s, a), NULL);

    path = cg_member(s->g, 0, cg_index(s->g, p, path));
    return cg_read(s->g, lift_expr_arg(s->e, 1), s->env, path);
}

/* The choice by which point 'p' updates a sum. '*env' binds the variables of the choice.
 */
static lift_expr step_of(const struct spot *s, lift_nat p, kx sum, lift_env *env)
{
    struct gen *g = s->g;
    lift_type i32 = lift_type_scalar(g->ir, LIFT_I32);
    struct lift_bound point = {.kind = LIFT_BOUND_EXPR,
                               .expr = lift_inject_list(g->ir, s->e),
                               .env = s->env,
                               .at = cg_index(g, p, NULL)};
    lift_expr of[LIFT_MAX_DIMS + 2], choice;

    of[0] = lift_fresh(g->ir, "sum", lift_type_base(s->e->type));
    *env = lift_walk_bind(&g->walker, s->env, lift_walk_known(sum));
    for (int a = 0; a < s->dims; a++) {
        of[1 + a] = lift_fresh(g->ir, "i", i32);
        *env = lift_walk_bind(&g->walker, *env, lift_walk_known(s->at[a]));
    }
    of[1 + s->dims] = lift_fresh(g->ir, "point", point.expr->type->elem);
    *env = lift_walk_bind(&g->walker, *env, point);
    choice = lift_inject_step(g->ir, of[0], of[1 + s->dims], of + 1);
    return lift_expr_abstract(g->ir, of, s->dims + 2, choice)->u.lambda.body;
}

/* The condition that the box of point 'p' contains the element. */
static kx covers(const struct spot *s, lift_nat p)
{
    lift_env env;
    lift_expr choice = step_of(s, p, NULL, &env);

    return cg_read(s->g, lift_expr_arg(choice, 0), env, NULL);
}

/* Adds the value of point 'p', whose box contains the element, to 'sum'. */
static void add_value(const struct spot *s, lift_nat p, kx sum)
{
    lift_env env;
    lift_expr choice = step_of(s, p, sum, &env);
    kx more = cg_read(s->g, lift_expr_arg(choice, 1), env, NULL);

    cg_emit(s->g, ks_assign(s->g->arena, sum->name, more));
}

static kx declare(struct gen *g, const char *hint, kx value)
{
    const char *name = cg_name(g, hint);

    cg_emit(g, ks_decl(g->arena, name, value));
    return kx_var(g->ir, name, value->type);
}

/* ---- blocks of points */

/* The type of the table of bounding boxes. Each block has its least indices in all
 * dimensions, then the largest. */
static lift_type block_type(const struct spot *s)
{
    struct gen *g = s->g;
    lift_type ends = lift_type_array(g->ir, lift_type_scalar(g->ir, LIFT_I32),
                                     lift_nat_const(g->nats, 2 * (int64_t)s->dims));

    return lift_type_array(g->ir, ends, lift_nat_const(g->nats, blocks_of(s)));
}

lift_type cg_injected_blocks(struct gen *g, lift_expr e)
{
    struct spot s = spot_of(g, e, NULL);

    return s.block > 1 && !g->failed ? block_type(&s) : NULL;
}

/* Opens a loop over the points of a block; returns the point. */
static lift_nat open_block(const struct spot *s, lift_nat block)
{
    struct gen *g = s->g;
    lift_nat p = lift_nat_mul(block, lift_nat_const(g->nats, s->block));

    p = lift_nat_add(p, cg_open_loop(g, KLOOP_SEQ, 0, s->block));
    if (s->points % s->block)
        cg_open_if(g, binary(g, LIFT_LT, kx_nat(g->ir, p), number(g, s->points)));
    return p;
}

void cg_write_blocks(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    struct spot s = spot_of(g, e, env);
    struct scope scope = cg_enter(g, g->block), inner;
    lift_nat b = cg_open_loop(g, KLOOP_GLB, 0, blocks_of(&s)), p;
    kx ends[2 * LIFT_MAX_DIMS];

    p = lift_nat_mul(b, lift_nat_const(g->nats, s.block));
    for (int i = 0; i < 2 * s.dims; i++)
        ends[i] = declare(g, "end", corner(&s, p, i % s.dims));
    inner = cg_enter(g, g->block);
    p = open_block(&s, b);
    for (int i = 0; i < 2 * s.dims; i++) {
        enum lift_op op = i < s.dims ? LIFT_MIN : LIFT_MAX;
        kx end = binary(g, op, ends[i], corner(&s, p, i % s.dims));

        cg_emit(g, ks_assign(g->arena, ends[i]->name, end));
    }
    cg_leave(g, inner);
    dest = lift_dest_at(g->arena, dest, b);
    for (int i = 0; i < 2 * s.dims; i++)
        cg_store(g, ends[i], lift_dest_at(g->arena, dest, along(&s, i)));
    cg_leave(g, scope);
}

/* The condition that the bounding box of the block contains the element. */
static kx may_cover(const struct spot *s, lift_nat block)
{
    struct gen *g = s->g;
    kx all = kx_bool(g->ir, true);
    lift_type i32 = lift_type_scalar(g->ir, LIFT_I32);

    for (int i = 0; i < 2 * s->dims; i++) {
        kx at = s->at[i % s->dims];
        lift_access path = cg_index(g, block, cg_index(g, along(s, i), NULL));
        kx end = cg_load(g, g->point_blocks, path, i32);

        all = kx_and(
            g->ir, all,
            i < s->dims
                ? binary(g, LIFT_LE, end, at)
                : binary(g, LIFT_LT, binary(g, LIFT_SUB, at, number(g, s->width)), end));
    }
    return all;
}

/* Opens loops over the points whose boxes may contain the element, in order. */
static lift_nat open_points(const struct spot *s)
{
    lift_nat block;

    if (!s->g->point_blocks)
        return cg_open_loop(s->g, KLOOP_SEQ, 0, s->points);
    block = cg_open_loop(s->g, KLOOP_SEQ, 0, blocks_of(s));
    cg_open_if(s->g, may_cover(s, block));
    return open_block(s, block);
}

/* ---- elements */

/* Adds the values of all points whose boxes contain the element to the sum, in order. */
static void add_points(const struct spot *s, kx sum)
{
    struct scope scope = cg_enter(s->g, s->g->block);
    lift_nat p = open_points(s);

    cg_open_if(s->g, covers(s, p));
    add_value(s, p, sum);
    cg_leave(s->g, scope);
}

kx cg_read_injected(struct gen *g, lift_expr e, lift_env env, lift_access path)
{
    struct spot s = spot_of(g, e, env);
    lift_access at = path;
    kx sum;

    for (int a = 0; a < s.dims; a++, at = at->next) {
        LIFT_ASSERT(at);
        s.at[a] = kx_nat(g->ir, at->index);
    }
    sum = declare(g, "sum", cg_read(g, lift_expr_arg(e, 0), env, path));
    if (s.points > 0)
        add_points(&s, sum);
    return sum;
}

/* An expression that copies 'x'. */
static lift_expr copied(struct lift_ir *ir, lift_expr x)
{
    lift_expr e;

    if (x->type->kind != LIFT_TYPE_ARRAY)
        return x;
    e = lift_fresh(ir, "e", x->type->elem);
    return lift_call2(ir, LIFT_MAP_SEQ, lift_fun(ir, copied(ir, e), e), x);
}

void cg_write_injected_here(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    struct lift_bound v = {.kind = LIFT_BOUND_EXPR, .expr = e, .env = env};
    lift_expr x = lift_fresh(g->ir, "x", e->type);

    cg_write(g, lift_fun(g->ir, copied(g->ir, x), x)->u.lambda.body,
             lift_walk_bind(&g->walker, env, v), dest);
}

/* Opens loops over the elements of boxes, and an 'if' for elements inside the grid;
 * returns the point. A box outside the grid is moved next to the grid, so that no index
 * overflows. */
static lift_nat open_boxes(struct spot *s, bool groups)
{
    struct gen *g = s->g;
    lift_nat width = lift_nat_const(g->nats, s->width), rest, p;
    kx inside = kx_bool(g->ir, true);
    int64_t count = s->points;
    lift_type t = s->e->type;

    for (int a = 0; a < s->dims; a++)
        count *= s->width;
    rest = cg_open_loop(g, groups ? KLOOP_GLB : KLOOP_SEQ, 0, count);
    for (int a = s->dims - 1; a >= 0; a--) {
        s->at[a] = kx_nat(g->ir, lift_nat_mod(rest, width));
        rest = lift_nat_div(rest, width);
    }
    p = rest;
    for (int a = 0; a < s->dims; a++, t = t->elem) {
        int64_t n = cg_const(g, t->len, "an array length");
        kx c = binary(g, LIFT_MIN, corner(s, p, a), number(g, n));

        c = binary(g, LIFT_MAX, number(g, -s->width), c);
        s->at[a] = cg_variable(g, "at", binary(g, LIFT_ADD, c, s->at[a]));
        inside = kx_and(g->ir, inside, in_range(g, s->at[a], n));
    }
    cg_open_if(g, inside);
    return p;
}

/* The destination of the element. */
static lift_dest element(const struct spot *s, lift_dest dest)
{
    lift_type t = s->e->type;

    for (int a = 0; a < s->dims; a++, t = t->elem)
        dest = lift_dest_at(
            s->g->arena, dest,
            cg_as_index(s->g, s->at[a], cg_const(s->g, t->len, "an array length")));
    return dest;
}

/* Opens an 'if' for elements that are not in the box of a point before 'p'. */
static void open_if_first(const struct spot *s, lift_nat p)
{
    struct gen *g = s->g;
    kx before = declare(g, "before", number(g, 0)), cond;
    struct scope scope = cg_enter(g, g->block);
    lift_nat other = open_points(s);

    cond = covers(s, other);
    cond =
        kx_and(g->ir, binary(g, LIFT_LT, kx_nat(g->ir, other), kx_nat(g->ir, p)), cond);
    cg_open_if(g, cond);
    cg_emit(g, ks_assign(g->arena, before->name, number(g, 1)));
    cg_leave(g, scope);
    cg_open_if(g, binary(g, LIFT_EQ, before, number(g, 0)));
}

void cg_write_injected(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    bool groups = lift_dialect_has_groups(g->options->dialect);
    struct spot s = spot_of(g, e, env);
    struct scope scope = cg_enter(g, g->block);
    lift_nat guards[CG_GUARDS], p;
    const struct mem *mem;
    lift_access path;
    int count = 0;
    kx sum;

    if (s.points == 0 || g->failed)
        return;
    p = open_boxes(&s, groups);
    if (groups)
        open_if_first(&s, p);
    dest = element(&s, dest);
    path = cg_follow(g, dest, NULL, &mem, guards, &count);
    sum = declare(g, "sum", cg_load(g, mem, path, lift_type_base(e->type)));
    if (groups)
        add_points(&s, sum);
    else
        add_value(&s, p, sum);
    cg_store(g, sum, dest);
    cg_leave(g, scope);
}
