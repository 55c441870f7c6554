/* mapSeqSlide: a loop along streams, whose window keeps what the next step reads again.
 * See window.c for what is kept. */
#include "codegen/stream/window.h"
#include "codegen/text/dialect.h"

/* The function at one position, in a scope of its own. */
static void body(struct gen *g, struct slide *s, lift_nat at)
{
    struct scope scope = cg_enter(g, g->block);
    lift_dest d = lift_dest_at(g->arena, s->dest, at);
    struct lift_bound v = {.kind = LIFT_BOUND_WINDOW, .window = s->window};

    cg_guard_early(g, d, s->e->type->elem);
    cg_write(g, s->e->u.prim.args[0]->u.lambda.body,
             lift_walk_bind(&g->walker, s->window->env, v), d);
    cg_leave(g, scope);
}

static void dry_run(struct gen *g, struct slide *s)
{
    struct kblock trial = {0};
    struct scope scope = cg_enter(g, &trial);
    int buffers = g->kernel->buffer_count;
    lift_nat at = cg_index_var(g, "z", s->steps);

    s->window->phase = WINDOW_RECORD;
    s->window->base = lift_nat_mul_const(at, s->step);
    do {
        window_restart(s->window);
        body(g, s, at);
        rings_record(g, s->window);
    } while (s->window->again && !g->failed);
    g->kernel->buffer_count = buffers;
    cg_leave(g, scope);
}

static void set(struct gen *g, kx var, kx value)
{
    cg_emit(g, ks_assign(g->arena, var->name, value));
}

/* Work-items in the loops around a column's path, in the scope that the caller leaves. */
void slide_open_items(struct gen *g, const struct window *w, const struct column *c)
{
    for (int d = 2; d >= 0; d--)
        if (c->extent[d] > 0)
            cg_open_loop(g, KLOOP_LCL, d, c->extent[d]);
    ks_add_style(&g->block->style, w->style);
}

bool slide_same_items(const struct column *a, const struct column *b)
{
    return a->extent[0] == b->extent[0] && a->extent[1] == b->extent[1] &&
           a->extent[2] == b->extent[2];
}

typedef void column_fn(struct gen *g, struct slide *s, struct column *c);

void slide_barrier(struct gen *g)
{
    if (*cg_dialects[g->options->dialect].barrier)
        cg_emit(g, ks_barrier(g->arena));
}

/* Where the barrier is passed in two parts, what is computed from rings alone enters
 * between these, and all else behind. */
static bool enters_now(const struct slide *s, const struct column *c)
{
    return s->part == COLUMNS_ALL || c->stream->chained == (s->part == COLUMNS_LATE);
}

/* Columns from 'first' to before 'end'; those of the same work-items share their loops.
 */
static void columns_between(struct gen *g, struct slide *s, int first, int end,
                            column_fn *fn)
{
    const struct window *w = s->window;
    struct scope scope = cg_enter(g, g->block);
    const struct column *last = NULL;

    for (int i = first; i < end && !g->failed; i++) {
        struct column *c = w->columns[i];

        if (!c->regs || !enters_now(s, c))
            continue;
        if (!last || !slide_same_items(last, c)) {
            cg_leave(g, scope);
            scope = cg_enter(g, g->block);
            slide_open_items(g, w, c);
        }
        last = c;
        fn(g, s, c);
    }
    cg_leave(g, scope);
}

static void each_column(struct gen *g, struct slide *s, column_fn *fn)
{
    columns_between(g, s, 0, s->window->count, fn);
}

static void show(struct gen *g, struct slide *s, struct column *c)
{
    exchange_show(g, s->window, c);
}

/* The same around the second part of the barrier; see ring.c. */
static void enter_in_parts(struct gen *g, struct slide *s, column_fn *fn)
{
    s->part = COLUMNS_EARLY;
    each_column(g, s, fn);
    rings_step(g, s->window);
    s->part = COLUMNS_LATE;
    each_column(g, s, fn);
    s->part = COLUMNS_ALL;
    if (s->window->exchange_count > 0)
        each_column(g, s, show);
}

/* What enters columns, of stage after stage; where one reads at once what others show of
 * the stages before, that has to be there. */
static void enter_columns(struct gen *g, struct slide *s, column_fn *fn)
{
    struct window *w = s->window;

    if (w->split) {
        enter_in_parts(g, s, fn);
        return;
    }
    for (int i = 0, end; i < w->count && !g->failed; i = end) {
        end = exchange_wave(w, i);
        columns_between(g, s, i, end, fn);
        if (w->exchange_count > 0)
            columns_between(g, s, i, end, show);
        if (end < w->count)
            slide_barrier(g);
    }
}

/* ---- registers */

static kx zero(struct gen *g, lift_type t)
{
    if (t->kind == LIFT_TYPE_VECTOR) {
        kx lane = zero(g, lift_type_scalar(g->ir, t->scalar));

        return kx_op(g->ir, LIFT_SPLAT, t, &lane, 1);
    }
    return t->scalar == LIFT_I32    ? kx_int(g->ir, 0)
           : t->scalar == LIFT_BOOL ? kx_bool(g->ir, false)
                                    : kx_float(g->ir, t->scalar, 0);
}

static void declare(struct gen *g, struct column *c)
{
    c->regs = LIFT_NEW_ARRAY(g->arena, kx, c->len);
    c->ready = c->lo - 1;
    for (int64_t i = 0; i < c->len; i++) {
        const char *name = cg_name(g, "win");

        cg_emit(g, ks_decl(g->arena, name, zero(g, c->type)));
        c->regs[i] = kx_var(g->ir, name, c->type);
    }
}

static void fetch(struct gen *g, struct slide *s, struct column *c, int64_t k)
{
    set(g, *window_reg(s->window, c, k),
        window_load(g, s->window, c, lift_nat_const(g->nats, k)));
    c->ready = k;
}

/* What the first step finds in the registers; of stored elements, see below. */
static void fill(struct gen *g, struct slide *s, struct column *c)
{
    c->ready = c->lo - 1;
    if (c->stream->kind == STREAM_PRIVATE)
        return;
    for (int64_t k = c->lo; k <= c->top - s->step; k++)
        fetch(g, s, c, k);
}

static bool filled_together(const struct column *a, const struct column *b)
{
    return a->regs && b->regs && a->stream->kind == STREAM_PRIVATE &&
           b->stream->kind == STREAM_PRIVATE && slide_same_items(a, b) &&
           a->lo == b->lo && a->top == b->top && a->stream->without == b->stream->without;
}

/* One element more at the end of each of these columns. */
static void fill_one(struct gen *g, struct slide *s, int first, int count, lift_nat k)
{
    struct window *w = s->window;

    for (int i = first; i < first + count && !g->failed; i++) {
        const struct column *c = w->columns[i];
        int64_t last = c->top - s->step;

        for (int64_t n = c->lo; n < last; n++)
            set(g, *window_reg(w, c, n), *window_reg(w, c, n + 1));
        set(g, *window_reg(w, c, last), window_load(g, w, c, k));
    }
}

/* Stored elements that the first step finds: computed by a loop, since what computes them
 * may be long. */
static void fill_stored(struct gen *g, struct slide *s)
{
    const struct window *w = s->window;

    for (int i = 0, n; i < w->count && !g->failed; i += n) {
        const struct column *c = w->columns[i];
        struct scope scope = cg_enter(g, g->block);
        int64_t first;
        lift_nat k;

        for (n = 1; i + n < w->count && filled_together(c, w->columns[i + n]);)
            n++;
        first = c->lo > c->stream->without ? c->lo : c->stream->without;
        if (c->regs && c->stream->kind == STREAM_PRIVATE && c->top - s->step >= first) {
            slide_open_items(g, w, c);
            k = cg_open_loop(g, KLOOP_SEQ, 0, c->top - s->step - first + 1);
            fill_one(g, s, i, n, lift_nat_add_const(k, first));
        }
        cg_leave(g, scope);
    }
}

static void load_new(struct gen *g, struct slide *s, struct column *c)
{
    int64_t first = c->top - s->step + 1;

    c->ready = first - 1;
    for (int64_t k = first < c->lo ? c->lo : first; k <= c->top; k++)
        fetch(g, s, c, k);
}

static void shift(struct gen *g, struct slide *s, struct column *c)
{
    for (int64_t k = c->lo; k <= c->top - s->step; k++)
        set(g, *window_reg(s->window, c, k), *window_reg(s->window, c, k + s->step));
}

/* The last offset whose register holds its element when a step begins. What is not stored
 * is loaded for the first step: nothing of it is there in steps before that. */
static int64_t last_ready(const struct slide *s, const struct column *c)
{
    bool loaded = s->ahead == 0 || c->stream->kind == STREAM_PRIVATE;

    return loaded ? c->top - s->step : c->lo - 1;
}

/* Step 'at', whose ring elements are there then; it is negative before the first. */
static void start_step(struct gen *g, struct slide *s, lift_nat at)
{
    struct window *w = s->window;

    w->at = lift_nat_add_const(at, w->warm);
    w->base = lift_nat_mul_const(at, s->step);
    for (int i = 0; i < w->count; i++)
        w->columns[i]->ready = last_ready(s, w->columns[i]);
    if (w->ring_count == 0 && w->exchange_count > 0)
        slide_barrier(g);
    if (!w->split)
        rings_step(g, w);
    else
        rings_await(g, w);
}

/* What the step in hand did may be seen by the next one. */
static void arrive(struct gen *g, const struct slide *s)
{
    rings_arrive(g, s->window, lift_nat_add_const(s->window->at, 1));
}

/* ---- stored elements that the first step finds, by steps without the function
 *
 * Elements that are computed from rings alone need no code of their own: the steps that
 * they enter in are made, from as many before the first as the longest column asks for.
 */

static int64_t before_first(const struct column *c)
{
    int64_t first = c->lo > c->stream->without ? c->lo : c->stream->without;

    return c->regs && c->stream->kind == STREAM_PRIVATE && c->top > first ? c->top - first
                                                                          : 0;
}

static int64_t steps_before(const struct slide *s)
{
    const struct window *w = s->window;
    int64_t most = 0;

    if (w->chained || s->step != 1 || w->ring_count == 0)
        return 0;
    for (int i = 0; i < w->ring_count; i++)
        if (w->rings[i]->depends)
            return 0;
    for (int i = 0; i < w->count; i++)
        if (before_first(w->columns[i]) > most)
            most = before_first(w->columns[i]);
    return most;
}

/* The next smaller number of steps before the first that some column asks for. */
static int64_t next_before(const struct slide *s, int64_t steps)
{
    int64_t next = 0;

    for (int i = 0; i < s->window->count; i++) {
        int64_t n = before_first(s->window->columns[i]);

        if (n < steps && n > next)
            next = n;
    }
    return next;
}

static void enter(struct gen *g, struct slide *s, struct column *c)
{
    if (before_first(c) >= s->ahead)
        load_new(g, s, c);
}

static void move_on(struct gen *g, struct slide *s, struct column *c)
{
    if (before_first(c) >= s->ahead)
        shift(g, s, c);
}

static void warm_up(struct gen *g, struct slide *s)
{
    for (int64_t n = s->window->warm, next; n > 0 && !g->failed; n = next) {
        struct scope scope = cg_enter(g, g->block);

        next = next_before(s, n);
        s->ahead = n;
        start_step(g, s, lift_nat_add_const(cg_open_loop(g, KLOOP_SEQ, 0, n - next), -n));
        enter_columns(g, s, enter);
        arrive(g, s);
        each_column(g, s, move_on);
        cg_leave(g, scope);
    }
    s->ahead = 0;
}

static void prologue(struct gen *g, struct slide *s)
{
    struct window *w = s->window;

    for (int i = 0; i < w->count; i++)
        if (slide_keeps(s, w->columns[i]))
            declare(g, w->columns[i]);
    exchange_declare(g, w);
    split_plan(g, w);
    w->warm = steps_before(s);
    w->steps = s->steps + w->warm;
    w->phase = WINDOW_FILL;
    w->base = lift_nat_const(g->nats, -w->warm * s->step);
    rings_fill(g, w);
    w->base = lift_nat_const(g->nats, 0);
    each_column(g, s, fill);
    if (w->warm == 0)
        fill_stored(g, s);
    w->phase = WINDOW_RUN;
    split_check(g, w);
    rings_arrive(g, w, lift_nat_const(g->nats, 0));
    warm_up(g, s);
}

/* ---- what a step loads */

/* True if what a step loads is for the next one. */
static bool is_early(const struct column *c)
{
    return c->regs && c->top > c->hi;
}

static void load_early(struct gen *g, struct slide *s, struct column *c)
{
    if (is_early(c))
        load_new(g, s, c);
}

static void load_in_time(struct gen *g, struct slide *s, struct column *c)
{
    if (!is_early(c))
        load_new(g, s, c);
}

/* For the step behind 'at'; none is behind the last one. */
static void load_next(struct gen *g, struct slide *s, lift_nat at)
{
    lift_nat left = lift_nat_sub(lift_nat_const(g->nats, s->steps - 2), at);
    kx more = kx_ge0(g->ir, left, g->facts, g->fact_count);
    struct scope scope = cg_enter(g, g->block);
    bool any = false;

    for (int i = 0; i < s->window->count; i++)
        any |= is_early(s->window->columns[i]);
    if (any && more->kind != KX_BOOL) {
        cg_open_if(g, more);
        cg_assume(g, left);
    }
    if (any && !kx_is_bool(more, false))
        each_column(g, s, load_early);
    cg_leave(g, scope);
}

/* ---- the loop */

static void one_step(struct gen *g, struct slide *s, lift_nat at)
{
    start_step(g, s, at);
    load_next(g, s, at);
    slide_fetch_next(g, s);
    enter_columns(g, s, load_in_time);
    if (!s->window->shown_late)
        arrive(g, s);
    body(g, s, at);
    if (s->window->shown_late)
        arrive(g, s);
}

static lift_nat open_steps(struct gen *g, const struct window *w, int64_t count)
{
    lift_nat index = cg_open_loop(g, KLOOP_SEQ, 0, count);

    if (g->block->of && ks_is_loop(g->block->of, KLOOP_SEQ))
        g->block->of->loop.version = w->apart ? KVERSION_ITERATION : KVERSION_NONE;
    return index;
}

static void shifted(struct gen *g, struct slide *s)
{
    struct scope scope = cg_enter(g, g->block);

    one_step(g, s, open_steps(g, s->window, s->steps));
    each_column(g, s, shift);
    cg_leave(g, scope);
}

static void unrolled(struct gen *g, struct slide *s, int64_t turns)
{
    struct scope scope = cg_enter(g, g->block);
    struct window *w = s->window;
    int64_t rounds = s->steps / turns;
    lift_nat round;

    if (rounds > 0) {
        round = lift_nat_mul_const(open_steps(g, w, rounds), turns);
        for (w->turn = 0; w->turn < turns; w->turn++)
            one_step(g, s, lift_nat_add_const(round, w->turn));
    }
    cg_leave(g, scope);
    for (w->turn = 0; w->turn < s->steps % turns; w->turn++)
        one_step(g, s, lift_nat_const(g->nats, rounds * turns + w->turn));
}

static void run(struct gen *g, struct slide *s)
{
    int64_t turns = slide_plan(s);

    s->window->turns = turns;
    prologue(g, s);
    if (g->failed)
        return;
    if (turns > 1)
        unrolled(g, s, turns);
    else
        shifted(g, s);
    rings_end(g, s->window);
}

void cg_write_slide(struct gen *g, lift_expr e, lift_env env, lift_dest dest)
{
    struct scope scope = cg_enter(g, g->block);
    struct window *outer = g->windows;
    struct slide s = {.e = e, .dest = dest, .window = window_create(g, e, env)};

    s.step = s.window->step;
    s.steps = cg_const(g, e->type->len, "the length of 'mapSeqSlide'");
    cg_prepare(g, s.window->xs, env);
    g->windows = s.window;
    if (s.steps > 0 && !g->failed)
        dry_run(g, &s);
    if (s.steps > 0 && !g->failed)
        run(g, &s);
    g->windows = outer;
    cg_leave(g, scope);
}
