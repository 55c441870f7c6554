/* Adjacent loads in straight-line code that sets a vector width become vector loads. No
 * store may separate the loads. The elements must be read unconditionally or be in local
 * memory. If vectors are aligned and the kernel does not write the array, a vector is
 * also loaded if only some of its lanes are read. */
#include "codegen/lanes.h"
#include "codegen/passes/passes.h"

struct load {
    kx e;
    bool always;        /* an unconditional load is valid */
    bool tested;        /* a statement reads the element under a test */
    uintptr_t stores;   /* number of stores to its buffer before the load */
    struct load *next;  /* other loads at this index */
    struct load *after; /* the next load in the order of the pass */
    struct group *group;
    int lane;
};

struct group {
    struct kbuffer *buffer;
    lift_nat at; /* index of the first lane */
    kx var;
};

struct pass {
    struct gen *g;
    int width;
    struct lift_ptrmap at;     /* from an index to its loads */
    struct load *first, *last; /* all loads, in order */
    struct lift_ptrmap stores; /* from a buffer to its number of stores so far */
};

static uintptr_t stores_to(const struct pass *p, const struct kbuffer *buffer)
{
    return (uintptr_t)lift_ptrmap_get(&p->stores, buffer);
}

static struct load *find(const struct pass *p, const struct kbuffer *buffer, lift_nat at,
                         uintptr_t stores)
{
    struct load *l = lift_ptrmap_get(&p->at, at);

    while (l && (l->e->load.buffer != buffer || l->stores != stores))
        l = l->next;
    return l;
}

static void add(struct pass *p, kx e, bool always, bool tested)
{
    struct load *l = find(p, e->load.buffer, e->load.at, stores_to(p, e->load.buffer));

    if (!l) {
        l = LIFT_NEW(p->g->arena, struct load);
        l->e = e;
        l->stores = stores_to(p, e->load.buffer);
        l->next = lift_ptrmap_get(&p->at, e->load.at);
        lift_ptrmap_put(&p->at, e->load.at, l);
        if (p->last)
            p->last->after = l;
        else
            p->first = l;
        p->last = l;
    }
    l->always = l->always || always;
    l->tested = l->tested || tested;
}

static bool is_candidate(kx e)
{
    return e->kind == KX_LOAD && !kx_is_vector(e) && e->type->scalar != LIFT_BOOL &&
           (e->load.buffer->space == KSPACE_GLOBAL ||
            e->load.buffer->space == KSPACE_LOCAL);
}

/* Notes the loads of an expression. Elements that always exist may be loaded
 * unconditionally. */
static void look(struct pass *p, kx e, bool always)
{
    if (is_candidate(e))
        add(p, e, always || (e->load.buffer->space == KSPACE_LOCAL && kx_is_there(e)),
            !always);
    for (int i = 0; i < e->arg_count; i++)
        look(p, e->args[i], always && (i == 0 || !kx_is_lazy(e)));
}

static struct load *beside(const struct pass *p, const struct load *l, int by)
{
    struct load *b =
        find(p, l->e->load.buffer, lift_nat_add_const(l->e->load.at, by), l->stores);

    return b && b->always ? b : NULL;
}

/* Makes a vector from 'from' on, relative to load 'l'; some of its lanes may not be read.
 */
static void group_lanes(struct pass *p, struct load *l, int from, int to)
{
    struct group *group = LIFT_NEW(p->g->arena, struct group);

    group->buffer = l->e->load.buffer;
    group->at = lift_nat_add_const(l->e->load.at, from);
    for (int i = from > 0 ? from : 0; i < to && i < from + p->width; i++) {
        struct load *member = i ? beside(p, l, i) : l;

        member->group = group;
        member->lane = i - from;
    }
}

/* True if the compiler vectorises the loads itself: adjacent unconditional loads from
 * local memory. */
static bool is_seen(const struct pass *p, const struct load *l, int from, int to)
{
    bool seen = l->e->load.buffer->space == KSPACE_LOCAL;

    for (int i = from > 0 ? from : 0; i < to && seen; i++)
        seen = !(i ? beside(p, l, i) : l)->tested;
    return seen;
}

/* True if the vector is worth loading: the code reads all lanes, or at least two lanes of
 * a vector that may be loaded as a whole. */
static bool pays(const struct pass *p, const struct load *l, int from, int length)
{
    int to = from + p->width < length ? from + p->width : length;

    if (is_seen(p, l, from, to))
        return false;
    return to - (from > 0 ? from : 0) == p->width ||
           (to - (from > 0 ? from : 0) > 1 &&
            lanes_are_whole(l->e->load.buffer, p->width));
}

/* The offset of the first aligned vector, relative to load 'l'. The offset is negative if
 * the vector begins before 'l'; 'width' if the alignment is unknown. */
static int first_aligned(const struct pass *p, const struct load *l)
{
    int skip = 0;

    while (skip < p->width &&
           !kx_is_aligned(lift_nat_add_const(l->e->load.at, skip), p->width))
        skip++;
    return skip == 0 || skip == p->width ? skip : skip - p->width;
}

/* Groups the row of loads from 'l' on: into aligned vectors if the alignment is known and
 * one of them pays, otherwise into whole unaligned vectors. */
static void group_row(struct pass *p, struct load *l)
{
    int length = 1, from = first_aligned(p, l), groups = 0;

    while (beside(p, l, length))
        length++;
    for (int i = from; i < length && from < p->width; i += p->width)
        if (pays(p, l, i, length)) {
            group_lanes(p, l, i, length);
            groups++;
        }
    for (int i = 0; groups == 0 && i + p->width <= length; i += p->width)
        if (!is_seen(p, l, i, i + p->width))
            group_lanes(p, l, i, length);
}

/* The lane of a load. The first use declares the vector. */
static kx lane_of(struct pass *p, const struct load *l)
{
    struct group *group = l->group;
    lift_type type = lift_type_vector(p->g->ir, group->buffer->scalar, p->width);

    if (!group->var)
        group->var =
            cg_variable(p->g, "row", kx_load(p->g->ir, group->buffer, group->at, type));
    return kx_lane(p->g->ir, group->var, l->lane);
}

static kx replace(void *user, kx e)
{
    struct pass *p = user;
    const struct load *l = is_candidate(e) ? find(p, e->load.buffer, e->load.at,
                                                  stores_to(p, e->load.buffer))
                                           : NULL;

    if (l && l->group)
        return lane_of(p, l);
    return kx_map_args(p->g->ir, e, replace, p);
}

static void count_store(struct pass *p, const struct ks *s)
{
    if (s->kind == KS_STORE)
        lift_ptrmap_put(&p->stores, s->store.buffer,
                        (void *)(stores_to(p, s->store.buffer) + 1));
}

static void find_rows(struct pass *p, const struct ks *s, const struct ks *end)
{
    for (; s != end; s = s->next) {
        if (ks_expr(s) && !ks_is_async(s))
            look(p, ks_expr(s), true);
        count_store(p, s);
    }
    for (struct load *l = p->first; l; l = l->after)
        if (l->always && !beside(p, l, -1))
            group_row(p, l);
    lift_ptrmap_fini(&p->stores);
}

/* Moves the statements from 's' to before 'end' to the current block, with vector loads.
 */
static void merge(struct gen *g, int width, struct ks *s, const struct ks *end)
{
    struct pass p = {.g = g, .width = width};
    struct ks *next;

    find_rows(&p, s, end);
    for (; s != end; s = next) {
        next = s->next;
        if (ks_expr(s) && !ks_is_async(s))
            ks_set_expr(s, replace(&p, ks_expr(s)));
        count_store(&p, s);
        cg_emit(g, s);
    }
    lift_ptrmap_fini(&p.at);
    lift_ptrmap_fini(&p.stores);
}

static void visit_block(struct gen *g, struct kblock *block);

static struct ks *visit(void *user, struct ks *s)
{
    struct gen *g = user;
    struct ks *next;

    for (int i = 0; ks_block(s, i); i++)
        visit_block(g, ks_block(s, i));
    if (g->block->style.loads > 1 && ks_is_simple(s)) {
        struct ks *end = ks_run_end(s);

        merge(g, g->block->style.loads, s, end);
        return end;
    }
    next = s->next;
    cg_emit(g, s);
    return next;
}

/* Loads before a sequential loop get the loop's vector width, since the loop uses their
 * values. */
static void visit_block(struct gen *g, struct kblock *block)
{
    for (const struct ks *s = block->first; s; s = s->next)
        if (ks_is_loop(s, KLOOP_SEQ) && s->loop.body.style.loads > block->style.loads)
            block->style.loads = s->loop.body.style.loads;
    cg_refill(g, block, visit, g);
}

void cg_pass_vectors(struct gen *g, struct kernel *kernel)
{
    visit_block(g, &kernel->body);
}
