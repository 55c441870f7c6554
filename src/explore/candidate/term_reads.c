/* A walk (ir/walk.h) without indices. Equal reads are walked once, so the walk is short
 * even where the number of reads is exponential in the number of nested stencils. */
#include "explore/candidate/term_reads.h"
#include "base/arena.h"
#include "base/bug.h"
#include "base/table.h"
#include "ir/nat.h"
#include "ir/walk.h"
#include <math.h>

enum { SOME_ITERATIONS = 16 }; /* if their number is not known */

/* Reads of the value at a path. */
struct known {
    lift_expr e;
    lift_env env;
    lift_access path;
    double reads;
};

struct reading {
    struct lift_arena *arena;
    struct lift_walker walker;
    struct lift_table known;
    double reads; /* for the current value so far */
    double most;  /* of the values so far */
};

/* ---- indices, which do not matter */

static const char any_index;

static const void *number(void *user, lift_nat n)
{
    return (void)user, (void)n, &any_index;
}

static const void *add(void *user, const void *i, lift_nat n, bool minus)
{
    return (void)user, (void)n, (void)minus, i;
}

static const void *merge(void *user, const struct lift_view *v, const void *i,
                         const void *j)
{
    return (void)user, (void)v, (void)j, i;
}

static void cut(void *user, const struct lift_view *v, const void *i, const void **row,
                const void **rest)
{
    (void)user, (void)v;
    *row = *rest = i;
}

static const void *misfit(void *user)
{
    (void)user;
    LIFT_BUG("a path does not fit the type");
}

/* ---- values */

static const void *literal(void *user, lift_expr e)
{
    return (void)user, (void)e, NULL;
}

static const void *input(void *user, lift_expr e, lift_access path)
{
    return (void)user, (void)e, (void)path, NULL;
}

static const void *scalar(void *user, lift_expr e, const void *const *args)
{
    return (void)user, (void)e, (void)args, NULL;
}

static const void *as_index(void *user, const void *value, lift_nat n)
{
    return (void)user, (void)value, (void)n, &any_index;
}

static int64_t count(void *user, lift_nat iterations)
{
    int64_t n;

    (void)user;
    return lift_nat_is_const(iterations, &n) ? n : SOME_ITERATIONS;
}

/* ---- reading */

static uint64_t hash_of(const struct known *k)
{
    uint64_t hash = (uintptr_t)k->e * 31 + (uintptr_t)k->env;

    for (lift_access p = k->path; p; p = p->next)
        hash = hash * 31 + (p->index ? 1 : 2 + (uint64_t)p->member);
    return hash * 0x9e3779b97f4a7c15u;
}

static bool is_same(const void *entry, const void *key)
{
    const struct known *a = entry, *b = key;
    lift_access p = a->path, q = b->path;

    if (a->e != b->e || a->env != b->env)
        return false;
    for (; p && q && !p->index == !q->index && (p->index || p->member == q->member);
         p = p->next)
        q = q->next;
    return !p && !q;
}

/* True for values that code generation keeps in variables. */
static bool is_kept(lift_expr e)
{
    enum lift_walk way =
        e->kind == LIFT_EXPR_PRIM ? lift_walk_of(e->op) : LIFT_WALK_COUNT;

    return way == LIFT_WALK_LET || way == LIFT_WALK_REDUCE || way == LIFT_WALK_STORED;
}

static const void *read(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct reading *r = user;
    struct known k = {.e = e, .env = env, .path = path};
    uint64_t hash = hash_of(&k);
    const struct known *known = lift_table_find(&r->known, hash, &k, is_same);
    bool again = known && is_kept(e);
    double reads = r->reads;

    if (!known) {
        r->reads = 1;
        lift_walk_find(&r->walker, e, env, path);
        k.reads = r->reads;
        known = lift_arena_copy(r->arena, &k, sizeof k);
        lift_table_insert(&r->known, hash, (void *)known);
    }
    r->reads = reads + (again ? 1 : known->reads);
    return NULL;
}

static const void *r_select(void *user, lift_expr e, lift_env env, lift_access path)
{
    read(user, lift_expr_arg(e, 0), env, NULL);
    for (int i = 1; i < 3; i++)
        read(user, lift_expr_arg(e, i), env, path);
    return NULL;
}

static const void *r_reduce(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct reading *r = user;
    const struct lift_walker *w = &r->walker;
    lift_expr f = lift_expr_arg(e, 0), xs = lift_expr_arg(e, 2);
    lift_env inner = lift_walk_bind(w, env, lift_walk_known(NULL));
    double before;

    (void)path;
    lift_walk_all(w, lift_expr_arg(e, 1), env, e->type, NULL, NULL);
    before = r->reads;
    r->reads = 0;
    inner = lift_walk_element(w, xs, env, &any_index, f, inner);
    lift_walk_all(w, f->u.lambda.body, inner, e->type, NULL, NULL);
    if (e->op == LIFT_REDUCE_UNROLL)
        r->reads *= (double)count(r, xs->type->len);
    r->reads += before;
    return NULL;
}

/* Reads the function of a mapSeqSlide. Each position of the window is an element of the
 * stream. */
static const void *r_windows(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct reading *r = user;
    struct lift_bound xs = {
        .kind = LIFT_BOUND_EXPR, .expr = lift_expr_arg(e, 1), .env = env};

    lift_walk_pop(&r->walker, &path);
    return read(r, lift_expr_arg(e, 0)->u.lambda.body,
                lift_walk_bind(&r->walker, env, xs), path);
}

/* A stored array is computed once, and read as an element of memory. A scalar in a
 * register is computed again for each position. */
static const void *r_stored(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct reading *r = user;
    double outer = r->reads;

    if (lift_type_is_value(e->type))
        return read(r, lift_expr_arg(e, 0), env, path);
    r->reads = 0;
    read(r, lift_expr_arg(e, 0), env, path);
    r->most = fmax(r->most, r->reads);
    r->reads = outer;
    return NULL;
}

double term_reads_most(lift_expr term)
{
    static const struct lift_index_ops indices = {number, add, merge, cut, misfit};
    static const struct lift_walk_ops ops = {
        .read = read,
        .input = input,
        .literal = literal,
        .scalar = scalar,
        .as_index = as_index,
        .count = count,
        .own =
            {
                [LIFT_WALK_SELECT] = r_select,
                [LIFT_WALK_REDUCE] = r_reduce,
                [LIFT_WALK_WINDOWS] = r_windows,
                [LIFT_WALK_STORED] = r_stored,
            },
    };
    struct lift_arena *arena = lift_arena_create();
    struct reading r = {.arena = arena};

    r.walker = (struct lift_walker){&ops, {&indices, &r, arena}};
    lift_walk_all(&r.walker, term, NULL, term->type, NULL, NULL);
    lift_table_fini(&r.known);
    lift_arena_destroy(arena);
    return fmax(r.most, r.reads);
}
