/* mapSeqSlide: a loop whose window keeps in registers what the next step reads again
 * (Stoltzfus et al., TACO 2019, section 5.2, generalised to any access set).
 *
 * The function is first generated once to see what it reads of the window. Reads are
 * grouped in columns: one path into the elements, read at window offsets lo..hi. A column
 * whose next window overlaps it lives in registers, one an offset, and loads only what is
 * new at each step; all other reads go to memory. For a star this is the usual split: the
 * column through the centre in registers, the plane around it wherever the elements are.
 */
#include "gen.h"
#include "lift/bug.h"

enum { COLUMNS = 128, UNROLL_LIMIT = 16 };

struct column {
    const struct path *rest;
    lift_type type;
    int64_t lo, hi;
    kx *regs; /* NULL: read from memory */
};

struct window {
    lift_expr xs;
    const struct env *env;
    lift_nat base; /* index of the window's first element */
    int64_t turn;  /* how far the registers are rotated */
    bool recording;
    struct column columns[COLUMNS];
    int count;
};

static bool constant_path(const struct path *p)
{
    while (p && (!p->index || lift_nat_is_const(p->index, NULL)))
        p = p->next;
    return !p;
}

static bool same_path(const struct path *a, const struct path *b)
{
    while (a && b && a->index == b->index && a->member == b->member) {
        a = a->next;
        b = b->next;
    }
    return !a && !b;
}

static struct column *find(struct window *w, const struct path *rest)
{
    for (int i = 0; i < w->count; i++)
        if (same_path(w->columns[i].rest, rest))
            return &w->columns[i];
    return NULL;
}

static kx record(struct gen *g, struct window *w, int64_t k, const struct path *rest,
                 lift_type type)
{
    struct column *c = find(w, rest);

    if (!c && w->count < COLUMNS) {
        c = &w->columns[w->count++];
        *c = (struct column){rest, type, k, k, NULL};
    }
    if (c && k < c->lo)
        c->lo = k;
    if (c && k > c->hi)
        c->hi = k;
    return kx_var(g->ir, "window", type);
}

static kx *reg(const struct window *w, const struct column *c, int64_t k)
{
    return &c->regs[(k - c->lo + w->turn) % (c->hi - c->lo + 1)];
}

static kx load(struct gen *g, struct window *w, lift_nat k, const struct path *rest)
{
    return cg_read(g, w->xs, w->env, cg_index(g, lift_nat_add(w->base, k), rest));
}

kx cg_read_window(struct gen *g, struct window *w, const struct path *path,
                  lift_type type)
{
    struct column *c = NULL;
    int64_t k;

    LIFT_ASSERT(path && path->index);
    if (lift_nat_is_const(path->index, &k) && constant_path(path->next)) {
        if (w->recording)
            return record(g, w, k, path->next, type);
        c = find(w, path->next);
    }
    return c && c->regs ? *reg(w, c, k) : load(g, w, path->index, path->next);
}

struct slide {
    lift_expr e;
    const struct dest *dest;
    struct window *window;
    int64_t step, steps;
};

/* The function at one position, in a scope of its own. */
static void body(struct gen *g, struct slide *s, lift_nat at)
{
    struct scope scope = cg_enter(g, g->block);
    const struct dest *d =
        cg_dest(g, (struct dest){.kind = DEST_AT, .parent = s->dest, .n = at});
    struct value v = {.kind = VALUE_WINDOW, .window = s->window};

    cg_guard_early(g, d, s->e->type->elem);
    cg_write(g, s->e->u.prim.args[0]->u.lambda.body, cg_bind(g, s->window->env, v), d);
    cg_leave(g, scope);
}

static void dry_run(struct gen *g, struct slide *s)
{
    struct scope scope = cg_enter(g, ks_new(g->arena, KS_BLOCK));
    int buffers = g->kernel->buffer_count;

    s->window->recording = true;
    s->window->base = cg_index_var(g, "z", s->steps);
    body(g, s, s->window->base);
    s->window->recording = false;
    g->kernel->buffer_count = buffers;
    cg_leave(g, scope);
}

static void set(struct gen *g, enum ks_kind kind, kx var, kx value)
{
    struct ks *s = ks_new(g->arena, kind);

    s->name = var->name;
    s->value = value;
    cg_emit(g, s);
}

/* Registers of the columns that overlap from step to step; those that the first step
 * finds loaded get their values. */
static void prologue(struct gen *g, struct slide *s)
{
    struct window *w = s->window;

    w->base = lift_nat_const(g->nats, 0);
    for (int i = 0; i < w->count; i++) {
        struct column *c = &w->columns[i];

        if (c->hi - c->lo < s->step)
            continue;
        c->regs = LIFT_NEW_ARRAY(g->arena, kx, c->hi - c->lo + 1);
        for (int64_t k = c->lo; k <= c->hi; k++) {
            kx first = k <= c->hi - s->step
                           ? load(g, w, lift_nat_const(g->nats, k), c->rest)
                           : kx_float(g->ir, c->type->scalar, 0);
            struct ks *decl = ks_new(g->arena, KS_DECL);

            if (first->kind == KX_FLOAT && lift_type_is_scalar(c->type, LIFT_I32))
                first = kx_int(g->ir, 0);
            decl->name = cg_name(g, "win");
            decl->value = first;
            cg_emit(g, decl);
            c->regs[k - c->lo] = kx_var(g->ir, decl->name, c->type);
        }
    }
}

static void load_new(struct gen *g, struct slide *s)
{
    struct window *w = s->window;

    for (int i = 0; i < w->count; i++) {
        struct column *c = &w->columns[i];

        for (int64_t k = c->hi - s->step + 1; c->regs && k <= c->hi; k++)
            set(g, KS_ASSIGN, *reg(w, c, k),
                load(g, w, lift_nat_const(g->nats, k), c->rest));
    }
}

static void shift(struct gen *g, struct slide *s)
{
    struct window *w = s->window;

    for (int i = 0; i < w->count; i++) {
        struct column *c = &w->columns[i];

        for (int64_t k = c->lo; c->regs && k <= c->hi - s->step; k++)
            set(g, KS_ASSIGN, *reg(w, c, k), *reg(w, c, k + s->step));
    }
}

static void one_step(struct gen *g, struct slide *s, lift_nat at)
{
    s->window->base = lift_nat_mul_const(at, s->step);
    load_new(g, s);
    body(g, s, at);
}

/* Of positive numbers. */
static int64_t gcd(int64_t a, int64_t b)
{
    while (b > 0) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a > 0 ? a : 1;
}

/* Steps after which all rotations are back at the start; 1 if there are too many for
 * straight-line code, or a step other than 1: then registers are shifted. */
static int64_t period(const struct slide *s)
{
    int64_t p = 1;

    for (int i = 0; i < s->window->count && p <= UNROLL_LIMIT; i++) {
        const struct column *c = &s->window->columns[i];
        int64_t n = c->hi - c->lo + 1;

        LIFT_ASSERT(n >= 1);
        if (c->regs)
            p *= n / gcd(n, p);
    }
    return s->step == 1 && p <= UNROLL_LIMIT ? p : 1;
}

static void shifted(struct gen *g, struct slide *s)
{
    struct scope scope = cg_enter(g, g->block);

    one_step(g, s, cg_open_loop(g, KLOOP_SEQ, 0, s->steps));
    shift(g, s);
    cg_leave(g, scope);
}

static void unrolled(struct gen *g, struct slide *s, int64_t turns)
{
    struct scope scope = cg_enter(g, g->block);
    int64_t rounds = s->steps / turns;
    lift_nat round;

    if (rounds > 0) {
        round = lift_nat_mul_const(cg_open_loop(g, KLOOP_SEQ, 0, rounds), turns);
        for (s->window->turn = 0; s->window->turn < turns; s->window->turn++)
            one_step(g, s, lift_nat_add_const(round, s->window->turn));
    }
    cg_leave(g, scope);
    for (s->window->turn = 0; s->window->turn < s->steps % turns; s->window->turn++)
        one_step(g, s, lift_nat_const(g->nats, rounds * turns + s->window->turn));
}

void cg_write_slide(struct gen *g, lift_expr e, const struct env *env,
                    const struct dest *dest)
{
    struct scope scope = cg_enter(g, g->block);
    struct slide s = {.e = e, .dest = dest, .window = LIFT_NEW(g->arena, struct window)};
    int64_t turns;

    s.step = cg_const(g, e->u.prim.nats[1], "the step of 'mapSeqSlide'");
    s.steps = cg_const(g, e->type->len, "the length of 'mapSeqSlide'");
    s.window->xs = e->u.prim.args[1];
    s.window->env = env;
    cg_prepare(g, s.window->xs, env);
    if (s.steps > 0)
        dry_run(g, &s);
    if (s.steps > 1 && !g->failed)
        prologue(g, &s);
    turns = e->u.prim.attrs[0] == LIFT_WINDOW_UNROLL ? period(&s) : 1;
    if (s.steps > 0 && !g->failed) {
        if (turns > 1)
            unrolled(g, &s, turns);
        else
            shifted(g, &s);
    }
    cg_leave(g, scope);
}
