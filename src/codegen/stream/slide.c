/* mapSeqSlide: a loop along streams whose window keeps the elements that the next step
 * reads again. window.c decides which elements are kept. */
#include "codegen/stream/window.h"
#include "codegen/text/dialect.h"

/* Emits the function at one position, in a new scope. */
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

/* Opens the loops over work-items in a column's path, in the scope that the caller
 * leaves. */
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

void bars_meet(struct gen *g, const struct bars *b, enum ks_kind kind, lift_nat n)
{
    struct ks *s = ks_meet(g->arena, kind, bars_batch(b, n));

    s->batch.boxes = b->of == KBARS_READERS;
    cg_emit(g, s);
}

/* Calls 'fn' for columns; consecutive columns with equal work-items share their loops. */
static void each_of(struct gen *g, struct slide *s, struct column **columns, int count,
                    column_fn *fn)
{
    struct scope scope = cg_enter(g, g->block);
    const struct column *last = NULL;

    for (int i = 0; i < count && !g->failed; i++) {
        struct column *c = columns[i];

        if (!c->regs)
            continue;
        if (!last || !slide_same_items(last, c)) {
            cg_leave(g, scope);
            scope = cg_enter(g, g->block);
            slide_open_items(g, s->window, c);
        }
        last = c;
        fn(g, s, c);
    }
    cg_leave(g, scope);
}

static void each_column(struct gen *g, struct slide *s, column_fn *fn)
{
    each_of(g, s, s->window->columns, s->window->count, fn);
}

static void show(struct gen *g, struct slide *s, struct column *c)
{
    exchange_show(g, s->window, c);
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

/* Loads an element for the first step of 'warm', where the window begins earlier. */
static void fetch_early(struct gen *g, struct slide *s, struct column *c, int64_t k)
{
    struct window *w = s->window;
    lift_nat base = w->base;

    w->base = lift_nat_const(g->nats, -w->warm);
    fetch(g, s, c, k);
    w->base = base;
}

/* Loads the registers for the first step. fill_stored fills registers of stored elements.
 */
static void fill(struct gen *g, struct slide *s, struct column *c)
{
    c->ready = c->lo - 1;
    if (c->stream->kind == STREAM_PRIVATE)
        return;
    for (int64_t k = c->lo; k <= c->top - s->step; k++)
        if (!slide_loads_first(s->window, c))
            fetch(g, s, c, k);
        else if (k >= s->window->warm)
            fetch_early(g, s, c, k);
}

static bool filled_together(const struct column *a, const struct column *b)
{
    return a->regs && b->regs && a->stream->kind == STREAM_PRIVATE &&
           b->stream->kind == STREAM_PRIVATE && slide_same_items(a, b) &&
           a->lo == b->lo && a->top == b->top && a->stream->without == b->stream->without;
}

/* Shifts each of these columns by one, and loads element 'k' at its end. */
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

/* Computes stored elements for the first step, in a loop, since their code may be long.
 */
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

/* The last offset whose register holds its element when a step begins. Streams that are
 * not stored are loaded for the first step, and are in no register before. */
static int64_t last_ready(const struct slide *s, const struct column *c)
{
    bool loaded = s->ahead == 0 || c->stream->kind == STREAM_PRIVATE ||
                  slide_loads_first(s->window, c);

    return loaded ? c->top - s->step : c->lo - 1;
}

/* ---- stored elements for the first step, by steps without the function
 *
 * Elements that are computed from circular buffers only need no separate code. The loop
 * begins early, by the length of the longest column. */

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

    if (s->step != 1 || w->ring_count == 0)
        return 0;
    for (int i = 0; i < w->stream_count; i++)
        if (w->streams[i]->chained && !w->registers_first)
            return 0;
    for (int i = 0; i < w->ring_count; i++)
        if (w->rings[i]->depends)
            return 0;
    for (int i = 0; i < w->count; i++)
        if (before_first(w->columns[i]) > most)
            most = before_first(w->columns[i]);
    return most;
}

/* The next smaller number of steps before the first step at which a column begins. */
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

/* ---- statements for the events of a step */

/* Loads elements of the next step, unless the current step is the last. */
static void load_next(struct gen *g, struct slide *s, const struct event *e)
{
    lift_nat left =
        lift_nat_sub(lift_nat_const(g->nats, s->window->steps - 2), s->window->at);
    kx more = kx_ge0(g->ir, left, g->facts, g->fact_count);
    struct scope scope = cg_enter(g, g->block);

    if (more->kind != KX_BOOL) {
        cg_open_if(g, more);
        cg_assume(g, left);
    }
    if (!kx_is_bool(more, false))
        each_of(g, s, e->columns, e->count, load_new);
    cg_leave(g, scope);
}

static void enter(struct gen *g, struct slide *s, struct column *c)
{
    if (before_first(c) >= s->ahead || slide_loads_first(s->window, c))
        load_new(g, s, c);
}

static void move_on(struct gen *g, struct slide *s, struct column *c)
{
    if (before_first(c) >= s->ahead || slide_loads_first(s->window, c))
        shift(g, s, c);
}

static void fill_columns(struct gen *g, struct slide *s)
{
    struct window *w = s->window;

    w->base = lift_nat_const(g->nats, 0);
    each_column(g, s, fill);
    if (w->warm == 0)
        fill_stored(g, s);
    w->phase = WINDOW_RUN;
}

static void emit(struct gen *g, struct slide *s, const struct event *e, lift_nat at)
{
    struct window *w = s->window;
    lift_nat n = lift_nat_add_const(w->at, e->batch);

    switch (e->kind) {
    case EVENT_MEET:
        slide_barrier(g);
        break;
    case EVENT_ARRIVE:
        bars_meet(g, &w->meets, KS_ARRIVE, n);
        break;
    case EVENT_AWAIT:
        bars_meet(g, &w->meets, KS_AWAIT, n);
        break;
    case EVENT_COPY:
        rings_copy(g, w, e->ring, e->batch);
        break;
    case EVENT_COMMIT:
        cg_emit(g, ks_commit(g->arena));
        break;
    case EVENT_WAIT:
        cg_emit(g, ks_wait(g->arena, bars_batch(&w->boxes, n), e->pending));
        break;
    case EVENT_FILL:
        fill_columns(g, s);
        break;
    case EVENT_LOAD_NEXT:
        load_next(g, s, e);
        break;
    case EVENT_FETCH_NEXT:
        slide_fetch_next(g, s);
        break;
    case EVENT_ENTER:
        each_of(g, s, e->columns, e->count, enter);
        break;
    case EVENT_SHOW:
        each_of(g, s, e->columns, e->count, show);
        break;
    case EVENT_BODY:
        body(g, s, at);
        break;
    case EVENT_SHIFT:
        each_column(g, s, move_on);
        break;
    }
}

static void emit_all(struct gen *g, struct slide *s, const struct events *plan,
                     lift_nat at)
{
    for (int i = 0; i < plan->count && !g->failed; i++)
        emit(g, s, &plan->items[i], at);
}

/* Emits step 'at', whose elements of circular buffers have arrived; 'at' < 0 before the
 * first step. */
static void one_step(struct gen *g, struct slide *s, const struct events *plan,
                     lift_nat at)
{
    struct window *w = s->window;

    w->at = lift_nat_add_const(at, w->warm);
    w->base = lift_nat_mul_const(at, s->step);
    for (int i = 0; i < w->count; i++)
        w->columns[i]->ready = last_ready(s, w->columns[i]);
    emit_all(g, s, plan, at);
}

static void warm_up(struct gen *g, struct slide *s)
{
    struct events plan = events_of_step(g, s->window, true);

    for (int64_t n = s->window->warm, next; n > 0 && !g->failed; n = next) {
        struct scope scope = cg_enter(g, g->block);

        next = next_before(s, n);
        s->ahead = n;
        one_step(g, s, &plan,
                 lift_nat_add_const(cg_open_loop(g, KLOOP_SEQ, 0, n - next), -n));
        cg_leave(g, scope);
    }
    s->ahead = 0;
}

static void prologue(struct gen *g, struct slide *s)
{
    struct window *w = s->window;
    struct events plan;

    for (int i = 0; i < w->count; i++)
        if (slide_keeps(s, w->columns[i]))
            declare(g, w->columns[i]);
    exchange_declare(g, w);
    w->warm = steps_before(s);
    w->steps = s->steps + w->warm;
    w->phase = WINDOW_FILL;
    w->at = lift_nat_const(g->nats, 0);
    w->base = lift_nat_const(g->nats, -w->warm * s->step);
    events_open(g, w);
    plan = events_before(g, w);
    emit_all(g, s, &plan, w->at);
    if (g->failed)
        return;
    s->plan = events_of_step(g, w, false);
    warm_up(g, s);
}

/* ---- the loop */

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

    one_step(g, s, &s->plan, open_steps(g, s->window, s->steps));
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
            one_step(g, s, &s->plan, lift_nat_add_const(round, w->turn));
    }
    cg_leave(g, scope);
    for (w->turn = 0; w->turn < s->steps % turns; w->turn++)
        one_step(g, s, &s->plan, lift_nat_const(g->nats, rounds * turns + w->turn));
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
    events_close(g, s->window);
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
