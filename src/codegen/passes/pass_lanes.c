/* Loops over lanes with an explicit width become loops over whole vectors, and a loop
 * over the remaining iterations, which the C compiler may vectorise. A statement whose
 * condition or loop length differs between lanes is emitted once per lane. */
#include "codegen/lanes.h"
#include "codegen/passes/passes.h"

static void note_failure(struct lanes *p, const char *what)
{
    cg_fail(p->g, lift_type_scalar(p->g->ir, LIFT_I32), "'mapVec' around %s", what);
}

/* ---- variables that are vectors */

struct search {
    struct lanes *lanes;
    bool more; /* another variable was found */
};

static void add_vector(struct search *x, const char *name)
{
    if (lanes_vary(x->lanes, name))
        return;
    lanes_set_vary(x->lanes, name, true);
    x->more = true;
}

/* Variables that a divergent statement assigns are vectors, since lanes assign at
 * different times. */
static void find_assigned(void *search, struct ks *s)
{
    if (s->kind == KS_ASSIGN)
        add_vector(search, ks_name(s));
}

/* True if the condition of a test, or the length of a loop, differs between lanes. */
static bool diverges(const struct lanes *p, const struct ks *s)
{
    lift_nat limit = s->kind == KS_LOOP ? s->loop.limit : NULL;

    if (s->kind == KS_IF)
        return !s->test.versions && lanes_differ(p, ks_expr(s));
    return limit && (lanes_gather(p, limit) ||
                     lanes_nat(p, limit, lift_nat_const(p->g->nats, 0)) !=
                         lanes_nat(p, limit, lift_nat_const(p->g->nats, p->width - 1)));
}

static void find_vector(void *search, struct ks *s)
{
    struct search *x = search;

    if ((s->kind == KS_DECL || s->kind == KS_ASSIGN) &&
        lanes_differ(x->lanes, ks_expr(s)))
        add_vector(x, ks_name(s));
    for (int i = 0; ks_block(s, i) && diverges(x->lanes, s); i++)
        ks_each(ks_block(s, i), find_assigned, x);
}

/* A vector that is used as an index gets a variable for each lane. */
static void find_index(void *search, const struct lift_var *var)
{
    struct search *x = search;
    struct lanes *p = x->lanes;
    struct lane_index *i;

    if (!lanes_vary(p, var->name) || lanes_index(p, var->name))
        return;
    i = LIFT_NEW(p->g->arena, struct lane_index);
    *i = (struct lane_index){p->indices, var->nat,
                             LIFT_NEW_ARRAY(p->g->arena, lift_nat, p->width)};
    for (int l = 0; l < p->width; l++)
        i->lanes[l] = cg_index_var(p->g, "at", var->hi + 1);
    p->indices = i;
    x->more = true;
}

static void find_indices_of(void *search, kx e)
{
    if (kx_index(e))
        lift_nat_each_var(kx_index(e), find_index, search);
}

static void find_indices(void *search, struct ks *s)
{
    if (ks_expr(s))
        kx_each(ks_expr(s), find_indices_of, search);
    if (s->kind == KS_STORE)
        lift_nat_each_var(s->store.at, find_index, search);
    if (s->kind == KS_LOOP && s->loop.limit)
        lift_nat_each_var(s->loop.limit, find_index, search);
}

static void find_vectors(struct lanes *p, const struct kblock *block)
{
    struct search x = {p, true};

    while (x.more) {
        x.more = false;
        ks_each(block, find_vector, &x);
        ks_each(block, find_indices, &x);
    }
}

/* ---- statements */

/* The vector 'name' with 'value' in the current lane. */
static kx with_lane(const struct lanes *p, const char *name, kx value)
{
    kx *lanes = LIFT_NEW_ARRAY(p->g->arena, kx, p->width);
    kx old = kx_var(p->g->ir, name, value->type);

    for (int i = 0; i < p->width; i++)
        lanes[i] = i == p->lane ? value : lanes_one(p, old, i);
    return lanes_of(p, value->type, lanes);
}

static kx value_of(struct lanes *p, const struct ks *s)
{
    kx value = ks_expr(s);
    bool vector = s->kind == KS_STORE || lanes_vary(p, ks_name(s));

    if (p->lane >= 0) {
        value = lanes_one(p, value, p->lane);
        return s->kind == KS_ASSIGN && vector ? with_lane(p, ks_name(s), value) : value;
    }
    p->together = s->together;
    if (kx_any(value, kx_is_vector))
        note_failure(p, "vectors");
    return vector ? lanes_vector(p, value) : value;
}

/* Stores lanes that are not contiguous one by one. */
static void scatter(struct lanes *p, const struct ks *s)
{
    kx value = cg_variable(p->g, "lanes", s->store.value);

    for (int i = 0; i < p->width; i++) {
        struct ks *one = ks_copy(p->g->arena, s);
        kx lane = kx_lane(p->g->ir, value, i);

        if (s->store.buffer->scalar == LIFT_BOOL)
            lane = kx_op(p->g->ir, LIFT_NE, lift_type_scalar(p->g->ir, LIFT_BOOL),
                         (kx[]){lane, kx_int(p->g->ir, 0)}, 2);
        one->store.at = lanes_nat(p, s->store.at, lift_nat_const(p->g->nats, i));
        one->store.value = lane;
        cg_emit(p->g, one);
    }
}

/* True if the layout guarantees that the store is aligned. */
static bool is_aligned(const struct lanes *p, const struct ks *store)
{
    const struct kbuffer *b = store->store.buffer;
    const struct lift_layout *l = b->layout;

    return b->space == KSPACE_GLOBAL && l && l->multiple > 0 &&
           l->multiple % p->width == 0 && kx_is_aligned(store->store.at, p->width);
}

/* The lane whose indices a statement uses: lane 0 if the statement is for all lanes. */
static int lane_of(const struct lanes *p)
{
    return p->lane >= 0 ? p->lane : 0;
}

static void add_store(struct lanes *p, struct ks *s)
{
    lift_nat at = lanes_nat(p, s->store.at, lift_nat_const(p->g->nats, lane_of(p)));

    if (p->lane < 0)
        at = s->store.buffer->scalar == LIFT_BOOL ? NULL : lanes_row(p, s->store.at);
    if (!at) {
        scatter(p, s);
        return;
    }
    s->store.at = at;
    if (p->lane < 0)
        s->store.nontemporal = p->nontemporal && is_aligned(p, s);
    cg_emit(p->g, s);
}

/* Declares the index of each lane. */
static void add_indices(const struct lanes *p, const struct lane_index *index, kx value)
{
    int end = p->lane >= 0 ? p->lane + 1 : p->width;

    for (int l = lane_of(p); l < end; l++)
        cg_emit(p->g, ks_decl(p->g->arena, lift_nat_is_var(index->lanes[l], NULL),
                              lanes_one(p, value, l)));
}

static void add(struct lanes *p, const struct ks *from);
static void fill(struct lanes *p, const struct kblock *from, struct kblock *to);

/* Emits 'from' for all lanes together, or for the current lane. */
static void add_together(struct lanes *p, const struct ks *from)
{
    const struct lane_index *index =
        from->kind == KS_DECL ? lanes_index(p, ks_name(from)) : NULL;
    struct ks *s = ks_copy(p->g->arena, from);

    if (index) {
        add_indices(p, index, ks_expr(from));
        return;
    }
    if (p->lane < 0 && s->kind == KS_ARRAY)
        note_failure(p, "an array in registers");
    if (p->lane >= 0 && s->kind == KS_DECL && lanes_vary(p, ks_name(s)))
        lanes_set_vary(p, ks_name(s), false);
    if (ks_expr(s))
        ks_set_expr(s, s->kind == KS_IF ? lanes_one(p, ks_expr(s), lane_of(p))
                                        : value_of(p, s));
    if (s->kind == KS_LOOP && s->loop.limit)
        s->loop.limit =
            lanes_nat(p, s->loop.limit, lift_nat_const(p->g->nats, lane_of(p)));
    if (s->kind == KS_STORE)
        add_store(p, s);
    else
        cg_emit(p->g, s);
    for (int i = 0; ks_block(s, i); i++)
        fill(p, ks_block(from, i), ks_block(s, i));
}

static void add_each(struct lanes *p, const struct ks *from)
{
    for (p->lane = 0; p->lane < p->width; p->lane++)
        add_together(p, from);
    p->lane = -1;
}

static void find_array(void *any, struct ks *s)
{
    *(bool *)any |= s->kind == KS_ARRAY;
}

static bool is_version(const struct ks *s)
{
    return s->kind == KS_IF && s->test.versions;
}

static void add_block(struct lanes *p, const struct kblock *from)
{
    for (const struct ks *s = from->first; s; s = s->next)
        add(p, s);
}

/* Adds the code for mixed lanes: the general version, or one lane after the other. */
static void add_otherwise(struct lanes *p, const struct ks *from)
{
    if (is_version(from))
        add_block(p, &from->test.otherwise);
    else
        add_each(p, from);
}

/* Emits a divergent statement: a vector version if all lanes pass the test, and code for
 * mixed lanes otherwise. */
static void add_diverging(struct lanes *p, const struct ks *from)
{
    kx pass = from->kind == KS_IF && p->lane < 0 ? lanes_pass(p, ks_expr(from))
                                                 : kx_bool(p->g->ir, false);
    const struct kblock *body = ks_block(from, 0);
    bool arrays = false;
    struct ks *test;
    struct scope scope;

    ks_each(body, find_array, &arrays);
    if (kx_is_bool(pass, true) && !arrays) {
        add_block(p, body);
        return;
    }
    if (pass->kind == KX_BOOL || arrays) {
        add_otherwise(p, from);
        return;
    }
    test = ks_copy(p->g->arena, from);
    test->test.cond = pass;
    fill(p, body, &test->test.body);
    scope = cg_enter(p->g, &test->test.otherwise);
    add_otherwise(p, from);
    cg_leave(p->g, scope);
    cg_emit(p->g, test);
}

static void add(struct lanes *p, const struct ks *from)
{
    if (is_version(from) || (p->lane < 0 && diverges(p, from)))
        add_diverging(p, from);
    else
        add_together(p, from);
}

static void fill(struct lanes *p, const struct kblock *from, struct kblock *to)
{
    struct scope scope = cg_enter(p->g, to);

    add_block(p, from);
    cg_leave(p->g, scope);
}

/* ---- loops */

static struct ks *new_loop(struct gen *g, const struct ks *like, enum kloop level,
                           const char *hint, int64_t extent)
{
    struct ks *loop = ks_loop(g->arena, level, 0, cg_index_var(g, hint, extent), extent);

    loop->loop.body.style = like->loop.body.style;
    loop->loop.ahead = like->loop.ahead;
    loop->loop.version = like->loop.version;
    return loop;
}

/* The number of iterations that are executed; NULL: all. */
static lift_nat end_of(const struct gen *g, const struct ks *s)
{
    lift_nat zero = lift_nat_const(g->nats, 0);
    lift_nat all = lift_nat_const(g->nats, s->loop.extent), limit = s->loop.limit;

    return limit ? lift_nat_max(zero, lift_nat_min(limit, all)) : NULL;
}

static void widen(struct gen *g, struct ks *s)
{
    int lanes = s->loop.lanes;
    lift_nat width = lift_nat_const(g->nats, lanes), end = end_of(g, s);
    struct ks *main = new_loop(g, s, KLOOP_SEQ, "x", s->loop.extent / lanes);
    struct lanes p = {.g = g,
                      .width = lanes,
                      .lane = -1,
                      .shuffles = s->loop.shuffles,
                      .nontemporal = s->loop.nontemporal,
                      .index = s->loop.index,
                      .first = lift_nat_mul(main->loop.index, width)};

    if (end)
        main->loop.limit = lift_nat_div(end, width);
    find_vectors(&p, &s->loop.body);
    fill(&p, &s->loop.body, &main->loop.body);
    lift_ptrmap_fini(&p.vectors);
    cg_emit(g, main);
}

/* Emits the iterations that are left over after whole vectors. */
static void add_rest(struct gen *g, struct ks *s)
{
    int lanes = s->loop.lanes;
    int64_t whole = s->loop.extent / lanes * lanes;
    lift_nat width = lift_nat_const(g->nats, lanes), end = end_of(g, s);
    struct ks *rest =
        new_loop(g, s, KLOOP_SIMD, "r", end ? lanes - 1 : s->loop.extent - whole);
    struct lanes p = {.g = g, .width = 1, .index = s->loop.index};

    p.first = lift_nat_const(g->nats, whole);
    if (end) {
        p.first = lift_nat_mul(lift_nat_div(end, width), width);
        rest->loop.limit = lift_nat_sub(end, p.first);
    }
    p.first = lift_nat_add(p.first, rest->loop.index);
    fill(&p, &s->loop.body, &rest->loop.body);
    cg_emit(g, rest);
}

static struct ks *visit(void *user, struct ks *s)
{
    struct gen *g = user;
    struct ks *next = s->next;

    for (int i = 0; ks_block(s, i); i++)
        cg_refill(g, ks_block(s, i), visit, g);
    if (s->kind != KS_LOOP || s->loop.lanes <= 1 || s->loop.extent < s->loop.lanes) {
        cg_emit(g, s);
        return next;
    }
    widen(g, s);
    if (s->loop.limit || s->loop.extent % s->loop.lanes)
        add_rest(g, s);
    return next;
}

void cg_pass_lanes(struct gen *g, struct kernel *kernel)
{
    cg_refill(g, &kernel->body, visit, g);
}
