/* Windows of streams: the elements that a mapSeqSlide keeps, and their reads (Stoltzfus
 * et al., TACO 2019, section 5.2, generalised to any access set).
 *
 * The generator first generates the function once, to record its reads of the window.
 * Reads are grouped in columns: one path into the elements, read at window offsets
 * lo..hi. A column that overlaps its next window is a register window: one register per
 * offset, and one load per step for the new element. All other reads go to memory. For a
 * star this is the usual split: the column through the centre in registers, the plane
 * around it in memory.
 *
 * A path may contain indices of mapLcl loops with one iteration per work-item. Then each
 * work-item has its own registers.
 *
 * The elements of a stored stream are computed when they enter the window, and kept until
 * they leave it. They may be computed from elements of another stream of the same window.
 * A read of a stream's node in the window's environment is a read of the window if its
 * index is inside the window. */
#include "codegen/stream/window.h"
#include "base/bug.h"
#include "codegen/text/dialect.h"

static bool same_path(lift_access a, lift_access b)
{
    while (a && b && a->index == b->index && a->member == b->member) {
        a = a->next;
        b = b->next;
    }
    return !a && !b;
}

static struct column *find(struct window *w, const struct stream *s, lift_access rest)
{
    for (int i = 0; i < w->count; i++)
        if (w->columns[i]->stream == s && same_path(w->columns[i]->rest, rest))
            return w->columns[i];
    for (struct alias *a = w->aliases; a; a = a->next)
        if (a->column->stream == s && same_path(a->rest, rest))
            return a->column;
    return NULL;
}

/* ---- elements */

kx *window_reg(const struct window *w, const struct column *c, int64_t k)
{
    return &c->regs[(k - c->lo + w->turn * w->step) % c->len];
}

lift_nat window_at(struct gen *g, const struct window *w, lift_nat k)
{
    lift_nat at = lift_nat_add(w->base, k);

    if (lift_nat_hi(k) >= w->size)
        at = lift_nat_min(at, lift_nat_add_const(w->xs->type->len, -1));
    return cg_by_facts(g, at);
}

lift_env window_element(struct gen *g, const struct window *w, const struct stream *s,
                        lift_nat at, lift_expr *value)
{
    lift_expr f = s->made->u.prim.args[0];
    lift_nat own = cg_by_facts(g, lift_nat_add_const(at, -s->without));

    *value = f->u.lambda.body->u.prim.args[0];
    return lift_walk_element(&g->walker, s->made->u.prim.args[1], w->env, own, f, w->env);
}

/* The element of a stored stream, computed by the reader. */
static kx compute(struct gen *g, struct window *w, const struct stream *s, lift_nat at,
                  lift_access rest)
{
    lift_expr value;
    lift_env env = window_element(g, w, s, at, &value);

    return cg_read(g, value, env, rest);
}

kx window_load(struct gen *g, struct window *w, const struct column *c, lift_nat k)
{
    lift_nat at = window_at(g, w, k);

    if (c->stream->kind == STREAM_PLAIN)
        return cg_read_here(g, c->stream->node, w->env, cg_index(g, at, c->rest));
    return compute(g, w, c->stream, at, c->rest);
}

lift_nat window_slot(struct gen *g, const struct window *w, const struct stream *s,
                     lift_nat k)
{
    lift_nat slot =
        lift_nat_mod(lift_nat_add(w->base, k), lift_nat_const(g->nats, s->slots));

    return cg_by_facts(g, slot);
}

/* ---- recording */

struct mention {
    const struct gen *g;
    int64_t *extent;
    bool other;
};

static void note_index(void *user, const struct lift_var *var)
{
    struct mention *m = user;
    const struct own_index *own = NULL;

    for (int i = 0; i < m->g->own_count && !own; i++)
        if (m->g->own[i].var == var->nat)
            own = &m->g->own[i];
    if (own)
        m->extent[own->dim] = own->extent;
    else
        m->other = true;
}

/* True if a work-item reads the same place at each step. 'extent' receives the extents of
 * the mapLcl loops whose indices the path contains. */
static bool fixed_path(const struct gen *g, lift_access p, int64_t extent[3])
{
    struct mention m = {g, extent, false};

    for (; p; p = p->next)
        if (p->index)
            lift_nat_each_var(p->index, note_index, &m);
    return !m.other;
}

static void append(struct gen *g, struct window *w, struct column *c)
{
    struct column **old = w->columns;

    if (w->count == w->cap) {
        w->cap = w->cap ? 2 * w->cap : 32;
        w->columns = LIFT_NEW_ARRAY(g->arena, struct column *, w->cap);
        for (int i = 0; i < w->count; i++)
            w->columns[i] = old[i];
    }
    w->columns[w->count++] = c;
}

/* True if two paths lead to the same places at every offset, whatever their boundary
 * checks are. Such paths share a column, since windows of adjacent grid points overlap.
 */
static bool same_places(const struct window *w, const struct column *a,
                        const struct column *b)
{
    for (int64_t k = 0; a->places && k < w->size; k++)
        if (!kx_equal(a->places[k], b->places[k]))
            return false;
    return a->places != NULL;
}

/* A placeholder, since reads of a window have no value while they are recorded. */
static kx recorded(struct gen *g, lift_type type)
{
    g->recorded++;
    return kx_var(g->ir, "window", type);
}

static struct column *find_same_places(struct gen *g, struct window *w, struct column *c)
{
    struct alias *a;
    int before = g->recorded;
    struct known here = cg_forget(g, w->fact_count);

    c->places = LIFT_NEW_ARRAY(g->arena, kx, w->size);
    for (int64_t k = 0; k < w->size; k++)
        c->places[k] = window_load(g, w, c, lift_nat_const(g->nats, k));
    cg_know(g, &here);
    if (g->recorded != before)
        c->places = NULL;
    for (int i = 0; c->places && i < w->count; i++) {
        struct column *known = w->columns[i];

        if (known->stream != c->stream || !same_places(w, known, c))
            continue;
        a = LIFT_NEW(g->arena, struct alias);
        *a = (struct alias){c->rest, known, w->aliases};
        w->aliases = a;
        return known;
    }
    return NULL;
}

/* Records the reads that compute the new elements of a PRIVATE stream. */
static void record_computed(struct gen *g, struct window *w, struct stream *s,
                            lift_access rest)
{
    struct kblock trial = {0};
    struct scope scope = cg_enter(g, &trial);
    struct known here = cg_forget(g, w->fact_count);
    struct beyond *beyond = g->beyond;
    struct wishes *wishes = g->wishes;
    struct stream *outer = w->computing;
    int arm = g->arm;

    g->beyond = NULL;
    g->wishes = NULL;
    g->arm = 0;
    w->computing = s;
    for (int64_t n = w->size > w->step ? w->size - w->step : 0; n < w->size; n++)
        compute(g, w, s, window_at(g, w, lift_nat_const(g->nats, n)), rest);
    w->computing = outer;
    g->wishes = wishes;
    g->beyond = beyond;
    g->arm = arm;
    cg_know(g, &here);
    cg_leave(g, scope);
}

/* Records a read at offset 'k'. A stored element is computed when it enters the window,
 * so its column extends to the end of the window. The reads that compute the element are
 * recorded first. On CPUs, where a thread executes many work-items, elements that cannot
 * be in registers are in memory of the thread. */
static kx record(struct gen *g, struct window *w, struct stream *s, int64_t k,
                 lift_access rest, lift_type type)
{
    struct column *c = find(w, s, rest);
    struct column new = {.stream = s, .rest = rest, .type = type, .shared = w->size};

    new.lo = new.hi = k;
    if (!c && fixed_path(g, rest, new.extent)) {
        if (s->kind == STREAM_PRIVATE) {
            new.hi = w->size - 1;
            record_computed(g, w, s, rest);
        } else
            c = find_same_places(g, w, &new);
    }
    if (!c && fixed_path(g, rest, new.extent)) {
        c = lift_arena_copy(g->arena, &new, sizeof new);
        append(g, w, c);
    }
    if (!c && s->kind == STREAM_PRIVATE &&
        !lift_dialect_has_groups(g->options->dialect)) {
        s->kind = STREAM_LOCAL;
        w->again = true;
    } else if (!c && s->kind == STREAM_PRIVATE)
        return cg_fail(g, type,
                       "a stored element of a stream is read at a grid point whose "
                       "work-item computes several: the group is too small");
    if (c)
        c->arms |= 1u << g->arm;
    if (c && k < c->lo)
        c->lo = k;
    if (c && k > c->hi)
        c->hi = k;
    return recorded(g, type);
}

/* ---- reading */

/* Reads offset 'k', which is no number or is in no register. Memory has the element
 * unless the stream is stored. */
static kx read_any(struct gen *g, struct window *w, const struct stream *s, lift_nat k,
                   lift_access rest, lift_type type)
{
    lift_nat at = lift_nat_add(w->base, k);

    if (s->kind == STREAM_PLAIN)
        return cg_read_here(g, s->node, w->env, cg_index(g, at, rest));
    if (w->phase == WINDOW_FILL)
        return compute(g, w, s, at, rest);
    return cg_fail(g, type,
                   "a stored element of a stream is read at a position that "
                   "is no number");
}

/* True if a circular buffer has the element: the function read its offset when it was
 * recorded. */
static bool in_ring(const struct stream *s, lift_nat offset)
{
    int64_t k;

    return s->ring && (!lift_nat_is_const(offset, &k) || (k >= s->lo && k <= s->hi));
}

/* True if element i of the array is i: such an array needs no storage. */
static bool is_index(lift_expr e)
{
    return lift_expr_is(e, LIFT_ARRAY) &&
           e->u.prim.args[0]->u.lambda.body->kind == LIFT_EXPR_BOUND;
}

static kx read_here(struct gen *g, struct window *w, struct stream *s, lift_nat offset,
                    lift_access rest, lift_type type)
{
    struct column *c;
    int64_t k;

    if (is_index(s->node))
        return cg_read_here(g, s->node, w->env,
                            cg_index(g, window_at(g, w, offset), rest));
    if (w->filling && s->kind != STREAM_PLAIN)
        w->filling->depends = true;
    s->fills |= w->filling && s->kind == STREAM_PLAIN;
    window_note_reader(w, s);
    if (s->kind == STREAM_LOCAL) {
        if (w->phase == WINDOW_RECORD) {
            ring_note_read(w, s, offset);
            return recorded(g, type);
        }
        return in_ring(s, offset)
                   ? cg_load(g, s->ring, cg_index(g, window_slot(g, w, s, offset), rest),
                             type)
                   : read_any(g, w, s, offset, rest, type);
    }
    if (!lift_nat_is_const(offset, &k))
        return read_any(g, w, s, offset, rest, type);
    if (w->phase == WINDOW_RECORD)
        return record(g, w, s, k, rest, type);
    c = find(w, s, rest);
    if (c && c->regs && k >= c->lo && k <= c->ready)
        return *window_reg(w, c, k);
    return read_any(g, w, s, offset, rest, type);
}

/* An element of a stream that is divided among work-items. */
struct theirs {
    lift_access path; /* path inside its plane */
    lift_access own;  /* the path by which the owner reads the element */
    int64_t places[WINDOW_SPREAD];
};

/* Reads an element that another work-item owns: by shuffles along a row, otherwise
 * through memory. Before the first step the reader computes it. */
static kx read_others(struct gen *g, struct window *w, struct stream *s, lift_nat offset,
                      const struct theirs *e, lift_type type)
{
    bool shuffles = cg_dialects[g->options->dialect].beside[0] != NULL;
    struct column *c;
    int64_t k;
    kx x;

    if (!(shuffles && e->places[1] == 0) && w->phase == WINDOW_FILL)
        return read_here(g, w, s, offset, e->path, type);
    x = read_here(g, w, s, offset, e->own, type);
    if (shuffles && e->places[1] == 0)
        return kx_shuffle(g->ir, x, (int)e->places[0]);
    c = find(w, s, e->own);
    if (!c || g->failed || !lift_nat_is_const(offset, &k))
        return x;
    if (w->phase == WINDOW_RUN && !c->exchange)
        return cg_fail(g, type, "a value that no other work-item exchanges");
    if (w->phase == WINDOW_RUN)
        return exchange_read(g, w, c, k, e->places);
    w->shown_late |= !w->computing;
    c->shared = k < c->shared ? k : c->shared;
    c->shared_last = k > c->shared_last ? k : c->shared_last;
    return x;
}

static kx read_offset(struct gen *g, struct window *w, struct stream *s, lift_nat offset,
                      lift_access rest, lift_type type)
{
    struct theirs e = {.path = rest, .own = rest};

    if (s->spread_count && owners_find(g, s, &e.own, e.places) &&
        (e.places[0] || e.places[1]))
        return read_others(g, w, s, offset, &e, type);
    if (owners_find_in_ring(g, w, s, &e.own, &e.places[0]))
        return kx_shuffle(g->ir, read_here(g, w, s, offset, e.own, type),
                          (int)e.places[0]);
    return read_here(g, w, s, offset, e.own, type);
}

/* True if the window holds the offset: a circular buffer the elements that have arrived,
 * other streams constant offsets. */
static bool in_window(const struct gen *g, const struct window *w, const struct stream *s,
                      lift_nat offset)
{
    lift_nat last = lift_nat_const(g->nats, w->size - 1);
    int64_t k;

    if (s->kind != STREAM_LOCAL)
        return lift_nat_is_const(offset, &k) && k >= 0 && k < w->size;
    if (w->phase == WINDOW_FILL)
        return lift_nat_lo(offset) >= s->lo && lift_nat_hi(offset) <= s->hi - w->step;
    return cg_is_inside(g, offset, last);
}

/* True if a neighbouring element is an acceptable value: in registers or local memory. */
static bool can_beyond(const struct gen *g, const struct window *w,
                       const struct stream *s, lift_nat offset)
{
    return (s->spread_count || s->kind == STREAM_LOCAL) && in_window(g, w, s, offset);
}

kx cg_read_window(struct gen *g, struct window *w, lift_access path)
{
    lift_expr node = w->xs;
    lift_type type = lift_access_type(node->type, path);
    lift_access rest;
    struct stream *s;

    LIFT_ASSERT(path && path->index);
    for (rest = path->next; lift_expr_is(node, LIFT_ZIP); rest = rest->next) {
        LIFT_ASSERT(rest && !rest->index);
        node = node->u.prim.args[rest->member];
    }
    s = window_known(w, node);
    if (g->failed || (g->beyond && !(s && can_beyond(g, w, s, path->index))))
        return cg_fail(g, type, "too many streams");
    return read_offset(g, w, s, path->index, rest, type);
}

static struct stream *stream_of(struct gen *g, struct window *w, lift_expr e,
                                lift_env env)
{
    struct stream *s;

    if (env != w->env && e->loose > 0)
        return NULL;
    s = window_known(w, e);
    return s || env != w->env || window_stream(e).kind == STREAM_PLAIN ||
                   window_known(w, window_stream(e).made)
               ? s
               : window_add(g, w, e);
}

bool cg_read_stream(struct gen *g, lift_expr e, lift_env env, lift_access path, kx *out)
{
    for (struct window *w = g->windows; w; w = w->outer) {
        struct stream *s = stream_of(g, w, e, env);
        lift_nat offset = s ? lift_nat_sub(path->index, w->base) : NULL;
        lift_type type;

        if (!s)
            continue;
        type = lift_access_type(e->type, path);
        if (g->beyond && !can_beyond(g, w, s, offset) &&
            (in_window(g, w, s, offset) || s->kind != STREAM_PLAIN))
            *out = cg_fail(g, type, "an element of a window");
        else if (in_window(g, w, s, offset))
            *out = read_offset(g, w, s, offset, path->next, type);
        else if (s->kind == STREAM_PLAIN)
            return false;
        else if (w->phase == WINDOW_FILL)
            *out = compute(g, w, s, path->index, path->next);
        else
            *out = cg_fail(g, type,
                           s->spread_count
                               ? "an element in registers is read at an index that is "
                                 "no fixed distance away, as at 'clamp' or 'mirror': "
                                 "local memory can, 'temporal=streamed'"
                               : "a stored stream is read outside its window, as far as "
                                 "can be shown");
        return true;
    }
    return false;
}
