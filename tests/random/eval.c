#include "base/bug.h"
#include "base/rng.h"
#include "eval_core.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 16, LARGE = 4096, STEPS = 32 };

/* Elements that are known already. */
struct cache {
    bool *known;
    struct rp_num *num;
};

/* A variable: an element of 'e' where 'env' holds, or numbers. */
struct frame {
    const struct frame *up;
    int var;
    const struct rp_expr *e;
    const struct frame *env;
    const struct path *prefix; /* NULL: all of 'e' */
    const struct rp_num *num;  /* instead, in the order of rp_data */
    struct cache cache;
};

/* The number of a scalar in the order of rp_data. */
static int64_t place(const struct rp_program *p, rp_type t, struct path path)
{
    int64_t at = 0;

    while (t->form != RP_SCALAR) {
        int i = pop(&path);

        if (t->form == RP_ARRAY) {
            at += i * rp_scalars(p, t->elem);
            t = t->elem;
        } else {
            for (int k = 0; k < i; k++)
                at += rp_scalars(p, t->member[k]);
            t = t->member[i];
        }
    }
    LIFT_ASSERT(path.n == 0);
    return at;
}

/* The way to scalar number 'at'. */
static void path_to(const struct rp_program *p, rp_type t, int64_t at, struct path *path)
{
    int way[PATH], n = 0;

    while (t->form != RP_SCALAR) {
        int i = 0;

        if (t->form == RP_ARRAY) {
            i = (int)(at / rp_scalars(p, t->elem));
            at %= rp_scalars(p, t->elem);
            t = t->elem;
        } else {
            while (at >= rp_scalars(p, t->member[i]))
                at -= rp_scalars(p, t->member[i++]);
            t = t->member[i];
        }
        way[n++] = i;
    }
    path->n = 0;
    push_all(path, way, n);
}

/* ---- variables */

static struct rp_num eval_var(struct rp_run *r, const struct rp_expr *e,
                              const struct frame *f, const struct path *path)
{
    struct path whole = *path;
    struct rp_num v;
    int64_t at;

    while (f && f->var != e->k)
        f = f->up;
    LIFT_ASSERT(f);
    if (f->num)
        return f->num[place(r->program, e->type, *path)];
    at = f->cache.known ? place(r->program, e->type, *path) : 0;
    if (f->cache.known && f->cache.known[at])
        return f->cache.num[at];
    if (f->prefix)
        for (int i = 0; i < f->prefix->n; i++)
            push(&whole, f->prefix->at[i]);
    v = rp_eval(r, f->e, f->env, &whole);
    if (f->cache.known) {
        f->cache.known[at] = true;
        f->cache.num[at] = v;
    }
    return v;
}

/* The value of a body where one variable stands for 'e', computed at most once. */
static struct rp_num eval_with(struct rp_run *r, const struct rp_expr *body,
                               struct frame *frame, const struct path *path)
{
    int64_t n = rp_scalars(r->program, r->program->vars[frame->var].type);
    bool known[SMALL] = {false};
    struct rp_num num[SMALL], v;
    bool large = n > SMALL && n <= LARGE && body->op != RP_VAR && !frame->prefix;

    if (n <= SMALL)
        frame->cache = (struct cache){known, num};
    if (large)
        frame->cache = (struct cache){calloc((size_t)n, sizeof *known),
                                      malloc((size_t)n * sizeof *num)};
    v = rp_eval(r, body, frame, path);
    if (large) {
        free(frame->cache.known);
        free(frame->cache.num);
    }
    return v;
}

static struct rp_num eval_call(struct rp_run *r, const struct rp_expr *e,
                               const struct frame *env, const struct path *path)
{
    const struct rp_fun *fun = &r->program->funs[e->k];
    struct frame frames[RP_MEMBERS];
    bool known[RP_MEMBERS][SMALL] = {{false}};
    struct rp_num num[RP_MEMBERS][SMALL];
    const struct frame *up = NULL;

    for (int i = 0; i < fun->param_count; i++) {
        frames[i] =
            (struct frame){.up = up, .var = fun->param[i], .e = e->arg[i], .env = env};
        if (rp_scalars(r->program, e->arg[i]->type) <= SMALL)
            frames[i].cache = (struct cache){known[i], num[i]};
        up = &frames[i];
    }
    return rp_eval(r, fun->body, up, path);
}

static struct rp_num integer(int i)
{
    return rp_num_of(RP_I32, i);
}

/* ---- functions of arrays */

static struct rp_num eval_map(struct rp_run *r, const struct rp_expr *e,
                              const struct frame *env, struct path path)
{
    struct path prefix = {.n = 0};
    struct frame frame = {
        .up = env, .var = e->param[0], .e = e->arg[0], .env = env, .prefix = &prefix};
    int i[RP_DIMS];

    pop_all(&path, i, e->d);
    push_all(&prefix, i, e->d);
    return eval_with(r, e->arg[1], &frame, &path);
}

static void eval_scalars(struct rp_run *r, const struct rp_expr *e,
                         const struct frame *env, struct rp_num *out)
{
    int64_t n = rp_scalars(r->program, e->type);

    LIFT_ASSERT(n <= SMALL);
    for (int64_t k = 0; k < n; k++) {
        struct path path;

        path_to(r->program, e->type, k, &path);
        out[k] = rp_eval(r, e, env, &path);
    }
}

static struct rp_num eval_reduce(struct rp_run *r, const struct rp_expr *e,
                                 const struct frame *env, const struct path *path)
{
    struct rp_num acc[SMALL], next[SMALL];
    int n = rp_len_value(r->program, e->arg[1]->type->len);

    eval_scalars(r, e->arg[0], env, acc);
    for (int i = 0; i < n && !r->bad; i++) {
        struct path prefix = {1, {i}};
        struct frame sum = {.up = env, .var = e->param[0], .num = acc};
        struct frame elem = {.up = &sum,
                             .var = e->param[1],
                             .e = e->arg[1],
                             .env = env,
                             .prefix = &prefix};

        eval_scalars(r, e->arg[2], &elem, next);
        memcpy(acc, next, sizeof acc);
    }
    return acc[place(r->program, e->type, *path)];
}

/* ---- steps */

/* Variable 'param' of step k has the result of step k - 1. */
static void open_steps(struct rp_run *r, const struct rp_expr *e, const struct frame *env,
                       struct frame *steps)
{
    int64_t n = rp_scalars(r->program, e->type);

    LIFT_ASSERT(e->a[0].add <= STEPS);
    for (int k = 0; k < e->a[0].add; k++)
        steps[k] = (struct frame){.up = env,
                                  .var = e->param[0],
                                  .e = e->arg[k > 0],
                                  .env = k > 0 ? &steps[k - 1] : env,
                                  .cache = {calloc((size_t)n, sizeof(bool)),
                                            malloc((size_t)n * sizeof(struct rp_num))}};
}

static void close_steps(const struct rp_expr *e, struct frame *steps)
{
    for (int k = 0; k < e->a[0].add; k++) {
        free(steps[k].cache.known);
        free(steps[k].cache.num);
    }
}

static struct rp_num eval_iterate(struct rp_run *r, const struct rp_expr *e,
                                  const struct frame *env, const struct path *path)
{
    struct frame steps[STEPS];
    struct rp_num v;

    open_steps(r, e, env, steps);
    v = e->a[0].add > 0 ? rp_eval(r, e->arg[1], &steps[e->a[0].add - 1], path)
                        : rp_eval(r, e->arg[0], env, path);
    close_steps(e, steps);
    return v;
}

/* A function of indices. */
static struct rp_num eval_indexed(struct rp_run *r, const struct rp_expr *body,
                                  const int *params, const int *index, int count,
                                  const struct frame *env, const struct path *path)
{
    struct rp_num num[RP_DIMS];
    struct frame frames[RP_DIMS];

    for (int i = 0; i < count; i++) {
        num[i] = integer(index[i]);
        frames[i] = (struct frame){.up = env, .var = params[i], .num = &num[i]};
        env = &frames[i];
    }
    return rp_eval(r, body, env, path);
}

static struct rp_num eval_array_of(struct rp_run *r, const struct rp_expr *e,
                                   const struct frame *env, struct path path)
{
    int i[RP_DIMS];

    pop_all(&path, i, e->d);
    return eval_indexed(r, e->arg[0], e->param, i, e->d, env, &path);
}

static struct rp_num eval_reorder(struct rp_run *r, const struct rp_expr *e,
                                  const struct frame *env, struct path path)
{
    int i = pop(&path), n = rp_len_value(r->program, e->type->len);
    const struct path none = {.n = 0};
    struct rp_num at = eval_indexed(r, e->arg[1], e->param, &i, 1, env, &none);

    if (!at.sure || at.v < 0 || at.v >= n) {
        r->bad = "an element that is not there";
        return rp_num_unknown(RP_F32);
    }
    push(&path, (int)at.v);
    return rp_eval(r, e->arg[0], env, &path);
}

/* ---- pads and insets */

static int outside_to(enum rp_pad kind, int i, int n)
{
    if (kind == RP_CLAMP)
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    if (kind == RP_MIRROR)
        return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
    return (i % n + n) % n;
}

/* True if the coordinates, counted from the first element of 't', are inside of it. */
static bool shift_in(struct rp_run *r, const struct rp_expr *e, rp_type t, int *i)
{
    bool inside = true;

    for (int k = 0; k < e->d; k++, t = t->elem) {
        int n = rp_len_value(r->program, t->len);

        i[k] -= rp_len_value(r->program, e->a[k]);
        if (e->op == RP_PAD)
            i[k] = outside_to((enum rp_pad)e->k, i[k], n);
        inside &= i[k] >= 0 && i[k] < n;
    }
    return inside;
}

static struct rp_num eval_pad(struct rp_run *r, const struct rp_expr *e,
                              const struct frame *env, struct path path)
{
    rp_type t = e->arg[0]->type;
    int i[RP_DIMS];
    bool inside;

    pop_all(&path, i, e->d);
    inside = shift_in(r, e, t, i);
    if (inside) {
        push_all(&path, i, e->d);
        return rp_eval(r, e->arg[0], env, &path);
    }
    if (e->op == RP_PAD_CONST)
        return rp_eval(r, e->arg[1], env, &path);
    LIFT_ASSERT(e->op == RP_PAD_FUN);
    i[1] = rp_len_value(r->program, t->len);
    return eval_indexed(r, e->arg[1], e->param, i, 2, env, &path);
}

static struct rp_num eval_inset(struct rp_run *r, const struct rp_expr *e,
                                const struct frame *env, const struct path *path)
{
    struct path in = *path;
    int i[RP_DIMS];

    pop_all(&in, i, e->d);
    if (shift_in(r, e, e->arg[1]->type, i)) {
        push_all(&in, i, e->d);
        return rp_eval(r, e->arg[1], env, &in);
    }
    return rp_eval(r, e->arg[0], env, e->op == RP_INSET ? path : &in);
}

/* The function of the interior, or that of the layer around it, of an element. */
static struct rp_num eval_regions(struct rp_run *r, const struct rp_expr *e,
                                  const struct frame *env, struct path path)
{
    struct path prefix = {.n = 0};
    struct frame frame = {
        .up = env, .var = e->param[0], .e = e->arg[0], .env = env, .prefix = &prefix};
    rp_type t = e->arg[0]->type;
    bool inside = true;
    int i[RP_DIMS];

    pop_all(&path, i, e->d);
    push_all(&prefix, i, e->d);
    for (int k = 0; k < e->d; k++, t = t->elem)
        inside &=
            i[k] >= rp_len_value(r->program, e->a[k]) &&
            i[k] < rp_len_value(r->program, t->len) - rp_len_value(r->program, e->b[k]);
    return rp_num_chosen(r->program->exact,
                         eval_with(r, e->arg[inside ? 1 : 2], &frame, &path));
}

/* ---- arrays whose elements lie in other arrays */

static void view_windows(struct rp_run *r, const struct rp_expr *e, struct path *path)
{
    int i[RP_DIMS], j[RP_DIMS];

    pop_all(path, i, e->d);
    pop_all(path, j, e->d);
    for (int k = 0; k < e->d; k++)
        i[k] =
            j[k] + i[k] * rp_len_value(r->program, e->op == RP_SLIDE ? e->b[k] : e->a[k]);
    push_all(path, i, e->d);
}

static void view_untile(struct rp_run *r, const struct rp_expr *e, struct path *path)
{
    rp_type t = rp_element(e->arg[0]->type, e->d);
    int i[RP_DIMS], j[RP_DIMS];

    pop_all(path, i, e->d);
    for (int k = 0; k < e->d; k++, t = t->elem) {
        int n = rp_len_value(r->program, t->len);

        j[k] = i[k] % n;
        i[k] /= n;
    }
    push_all(path, j, e->d);
    push_all(path, i, e->d);
}

static void view_turn(const struct rp_expr *e, struct path *path)
{
    int i[RP_DIMS], j[RP_DIMS], by = e->op == RP_ROTATE ? e->d - 1 : 1;

    pop_all(path, i, e->d);
    for (int k = 0; k < e->d; k++)
        j[k] = i[(k + by) % e->d];
    push_all(path, j, e->d);
}

/* Which argument, and where in it. */
static const struct rp_expr *view(struct rp_run *r, const struct rp_expr *e,
                                  struct path *path)
{
    int i[RP_DIMS], k;

    switch (e->op) {
    case RP_MAKE:
        return e->arg[pop(path)];
    case RP_GET:
        push(path, e->k);
        return e->arg[0];
    case RP_AT:
        push(path, rp_len_value(r->program, e->a[0]));
        return e->arg[0];
    case RP_ZIP:
        pop_all(path, i, e->d);
        k = pop(path);
        push_all(path, i, e->d);
        return e->arg[k];
    case RP_UNZIP:
        k = pop(path);
        pop_all(path, i, e->d);
        push(path, k);
        push_all(path, i, e->d);
        return e->arg[0];
    case RP_SLIDE:
    case RP_TILE:
        view_windows(r, e, path);
        return e->arg[0];
    case RP_SPLIT:
        k = pop(path);
        push(path, k * rp_len_value(r->program, e->a[0]) + pop(path));
        return e->arg[0];
    case RP_JOIN:
    case RP_UNTILE:
        view_untile(r, e, path);
        return e->arg[0];
    case RP_TRANSPOSE:
        pop_all(path, i, 2);
        push(path, i[0]);
        push(path, i[1]);
        return e->arg[0];
    case RP_ROTATE:
    case RP_UNROTATE:
        view_turn(e, path);
        return e->arg[0];
    case RP_TAKE:
        return e->arg[0];
    case RP_DROP:
        push(path, pop(path) + rp_len_value(r->program, e->a[0]));
        return e->arg[0];
    case RP_CONCAT:
        i[0] = pop(path);
        for (k = 0; i[0] >= rp_len_value(r->program, e->arg[k]->type->len); k++)
            i[0] -= rp_len_value(r->program, e->arg[k]->type->len);
        push(path, i[0]);
        return e->arg[k];
    default:
        return NULL;
    }
}

/* ---- scalars */

static enum rp_kind common(rp_type a, rp_type b)
{
    enum rp_kind x = a->kind, y = b->kind;

    if (x == y)
        return x;
    return x == RP_F64 || y == RP_F64 ? RP_F64 : RP_F32;
}

static struct rp_num eval_scalar(struct rp_run *r, const struct rp_expr *e,
                                 const struct frame *env, const struct path *path)
{
    bool exact = r->program->exact, bad = false;
    struct rp_num a, b;
    enum rp_kind kind;

    a = rp_eval(r, e->arg[0], env, path);
    if (e->op == RP_CONVERT)
        return rp_num_convert(exact, e->type->kind, a);
    if (e->count == 1) {
        a = rp_num_unary(exact, e->op, a, &bad);
    } else {
        kind = common(e->arg[0]->type, e->arg[1]->type);
        a = rp_num_convert(exact, kind, a);
        b = rp_num_convert(exact, kind, rp_eval(r, e->arg[1], env, path));
        a = rp_num_binary(exact, e->op, a, b, &bad);
    }
    if (bad)
        r->bad = "an i32 that overflows, or a division by 0";
    return a;
}

static struct rp_num eval_if(struct rp_run *r, const struct rp_expr *e,
                             const struct frame *env, const struct path *path)
{
    const struct path none = {.n = 0};
    struct rp_num c = rp_eval(r, e->arg[0], env, &none);

    if (c.sure)
        return rp_num_chosen(r->program->exact,
                             rp_eval(r, e->arg[c.v != 0 ? 1 : 2], env, path));
    return rp_num_either(rp_eval(r, e->arg[1], env, path),
                         rp_eval(r, e->arg[2], env, path));
}

static struct rp_num eval_let(struct rp_run *r, const struct rp_expr *e,
                              const struct frame *env, const struct path *path)
{
    struct frame frame = {.up = env, .var = e->param[0], .e = e->arg[0], .env = env};

    return eval_with(r, e->arg[1], &frame, path);
}

static struct rp_num eval_leaf(struct rp_run *r, const struct rp_expr *e,
                               const struct path *path)
{
    switch (e->op) {
    case RP_INPUT:
        return r->in[e->k].num[place(r->program, e->type, *path)];
    case RP_PARAM:
        return rp_num_of(e->type->kind, r->param[e->k]);
    case RP_CONST:
        return rp_num_of(e->type->kind, r->program->consts[e->k].value);
    case RP_LENGTH:
        return integer(rp_len_value(r->program, e->a[0]));
    default:
        LIFT_ASSERT(e->op == RP_LIT);
        return rp_num_of(e->type->kind, e->value);
    }
}

struct rp_num rp_eval(struct rp_run *r, const struct rp_expr *e, const struct frame *env,
                      const struct path *path)
{
    const struct rp_expr *of;
    struct path at;

    if (r->bad || ++r->steps > r->limit) {
        r->bad = r->bad ? r->bad : "too many steps";
        return rp_num_unknown(RP_F32);
    }
    switch (e->op) {
    case RP_VAR:
        return eval_var(r, e, env, path);
    case RP_IF:
        return eval_if(r, e, env, path);
    case RP_LET:
        return eval_let(r, e, env, path);
    case RP_CALL:
        return eval_call(r, e, env, path);
    case RP_MAP:
        return eval_map(r, e, env, *path);
    case RP_REDUCE:
        return eval_reduce(r, e, env, path);
    case RP_ARRAY_OF:
        return eval_array_of(r, e, env, *path);
    case RP_REORDER:
        return eval_reorder(r, e, env, *path);
    case RP_PAD:
    case RP_PAD_CONST:
    case RP_PAD_FUN:
        return eval_pad(r, e, env, *path);
    case RP_INSET:
    case RP_INSET_FILL:
        return eval_inset(r, e, env, path);
    case RP_ITERATE:
        return eval_iterate(r, e, env, path);
    case RP_REGIONS:
        return eval_regions(r, e, env, *path);
    case RP_INJECT:
        return rp_eval_inject(r, e, env, path);
    case RP_SAMPLE:
        return rp_eval_sample(r, e, env, *path);
    default:
        break;
    }
    if (e->count == 0)
        return eval_leaf(r, e, path);
    at = *path;
    of = view(r, e, &at);
    return of ? rp_eval(r, of, env, &at) : eval_scalar(r, e, env, path);
}

/* ---- a whole step */

/* Grids that are named around all of the result are computed once. */
static void fill(struct rp_run *r, const struct rp_expr *e, const struct frame *env,
                 struct rp_data *out)
{
    if (e->op == RP_LET) {
        int64_t n = rp_scalars(r->program, e->arg[0]->type);
        struct frame frame = {.up = env,
                              .var = e->param[0],
                              .e = e->arg[0],
                              .env = env,
                              .cache = {calloc((size_t)n, sizeof(bool)),
                                        malloc((size_t)n * sizeof(struct rp_num))}};

        if (e->arg[0]->op == RP_ITERATE) {
            struct rp_data value = {n, frame.cache.num};

            fill(r, e->arg[0], env, &value);
            memset(frame.cache.known, !r->bad, (size_t)n * sizeof(bool));
        }
        fill(r, e->arg[1], &frame, out);
        free(frame.cache.known);
        free(frame.cache.num);
        return;
    }
    if (e->op == RP_ITERATE && e->a[0].add > 0) {
        struct frame steps[STEPS];

        open_steps(r, e, env, steps);
        fill(r, e->arg[1], &steps[e->a[0].add - 1], out);
        close_steps(e, steps);
        return;
    }
    for (int64_t k = 0; k < out->count && !r->bad; k++) {
        struct path path;

        path_to(r->program, e->type, k, &path);
        out->num[k] = rp_eval(r, e, env, &path);
    }
}

static struct rp_data data_of(const struct rp_program *p, rp_type t)
{
    int64_t n = rp_scalars(p, t);

    return (struct rp_data){n, calloc((size_t)n, sizeof(struct rp_num))};
}

/* Many small integers, so that ties and zeros are there. */
static double draw(struct lift_rng *rng, enum rp_kind kind, bool wild)
{
    static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0};

    if (kind == RP_BOOL)
        return (double)lift_rng_below(rng, 2);
    if (kind == RP_I32)
        return (double)lift_rng_range(rng, -9, 9);
    if (wild && lift_rng_below(rng, 10) == 0)
        return special[lift_rng_below(rng, 5)];
    if (lift_rng_below(rng, 8) == 0)
        return (double)lift_rng_range(rng, -2, 2);
    return 2 * lift_rng_unit(rng) - 1;
}

static void draw_all(struct lift_rng *rng, const struct rp_program *p, rp_type t,
                     struct rp_data *data)
{
    if (t->form == RP_SCALAR) {
        data->num[data->count++] = rp_num_of(t->kind, draw(rng, t->kind, p->wild));
    } else if (t->form == RP_TUPLE) {
        for (int i = 0; i < t->count; i++)
            draw_all(rng, p, t->member[i], data);
    } else {
        for (int i = 0; i < rp_len_value(p, t->len); i++)
            draw_all(rng, p, t->elem, data);
    }
}

void rp_run_init(struct rp_run *run, const struct rp_program *p, uint64_t seed)
{
    struct lift_rng rng;

    lift_rng_seed(&rng, seed);
    *run = (struct rp_run){.program = p, .limit = 20000000};
    for (int i = 0; i < p->param_count; i++)
        run->param[i] = p->params[i].value;
    for (int i = 0; i < p->input_count; i++) {
        run->in[i] = data_of(p, p->inputs[i].type);
        run->in[i].count = 0;
        draw_all(&rng, p, p->inputs[i].type, &run->in[i]);
    }
    run->out = data_of(p, p->body->type);
}

void rp_run_fini(struct rp_run *run)
{
    for (int i = 0; i < RP_INPUTS; i++)
        free(run->in[i].num);
    free(run->out.num);
}

bool rp_run_step(struct rp_run *run)
{
    fill(run, run->program->body, NULL, &run->out);
    return !run->bad;
}

/* The numbers of output 'k' of several. */
static const struct rp_num *output_at(const struct rp_run *run, int k)
{
    const struct rp_program *p = run->program;
    const struct rp_num *at = run->out.num;

    if (p->output_count == 1)
        return at;
    LIFT_ASSERT(p->body->type->form == RP_TUPLE);
    for (int i = 0; i < k; i++)
        at += rp_scalars(p, p->body->type->member[i]);
    return at;
}

void rp_run_advance(struct rp_run *run)
{
    const struct rp_program *p = run->program;
    struct rp_data next[RP_INPUTS];

    for (int i = 0; i < p->input_count; i++) {
        const struct rp_num *from =
            p->next[i] < 0 ? run->in[-1 - p->next[i]].num : output_at(run, p->next[i]);

        next[i] = data_of(p, p->inputs[i].type);
        for (int64_t k = 0; k < next[i].count; k++)
            next[i].num[k] = rp_num_closed(from[k]);
    }
    for (int i = 0; i < p->input_count; i++) {
        free(run->in[i].num);
        run->in[i] = next[i];
    }
}

double rp_most_unknown(const struct rp_program *p)
{
    return p->wild && !p->exact ? 0.7 : 0.1;
}

double rp_run_unknown(const struct rp_run *run)
{
    int64_t unknown = 0;

    for (int64_t k = 0; k < run->out.count; k++)
        unknown += !rp_num_known(run->out.num[k]);
    return (double)unknown / (double)run->out.count;
}
