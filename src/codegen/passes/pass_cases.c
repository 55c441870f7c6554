/* Stores of selected values, in straight-line code with mapUnroll, predicates=merged.
 * Equal conditions become one branch, which computes and stores the values. Inside a
 * branch, adjacent loads and stores become vector accesses, which separate selects
 * prevent:
 *
 *     x[0] = c ? a : b; x[1] = c ? d : e;
 *   = if (c) { x[0] = a; x[1] = d; } else { x[0] = b; x[1] = e; }
 *
 * Conditions that agree in all lanes of an aligned vector count as equal. Values from one
 * array in local memory are computed before values from the next array, which keeps fewer
 * registers live. */
#include "codegen/passes/passes.h"
#include <string.h>

enum { STORES = 128, BUFFERS = 8 };

/* The sources of a value: a bit for each local buffer, and one bit for all other memory.
 */
static const uintptr_t elsewhere = (uintptr_t)1 << BUFFERS;

struct cases {
    struct gen *g;
    struct lift_ptrmap tests; /* from variables that hold tests to the tests */
    struct lift_ptrmap held;  /* buffers of the stores that are held back */
    struct ks *stores[STORES];
    kx conds[STORES];
    bool done[STORES];
    int count;
    bool reads_held;         /* the current expression reads such a buffer */
    struct ks *first, *last; /* declarations that are held back */
    const struct kbuffer *buffers[BUFFERS]; /* local buffers of these declarations */
    int buffer_count;
    struct lift_ptrmap sources; /* from the name of a variable to its sources */
    uintptr_t source;           /* sources of the current expression */
};

/* ---- tests */

/* 'n' rounded down to a multiple of 'lanes', if its remainder is known: n >= 0 keeps its
 * value. */
static lift_nat rounded(lift_nat n, int lanes)
{
    for (int more = 0; more < lanes; more++)
        if (kx_is_aligned(lift_nat_add_const(n, -more), lanes))
            return lift_nat_add_const(n, -more);
    return n;
}

static kx normal(void *user, kx e)
{
    struct cases *c = user;
    kx test = e->kind == KX_VAR ? lift_ptrmap_get(&c->tests, e->name) : NULL;
    lift_nat n = kx_is_op(e, LIFT_NOT) ? NULL : cg_nonneg(e);

    if (test)
        return test;
    if (n)
        return kx_ge0(c->g->ir, rounded(n, c->g->block->style.loads), NULL, 0);
    return kx_map_args(c->g->ir, e, normal, c);
}

/* ---- branches */

/* One vector store for store 'i' and the stores of the following lanes. NULL if a lane
 * has no store. */
static struct ks *vector_store(struct cases *c, int i, int branch)
{
    struct ks *s = c->stores[i];
    int lanes = c->g->block->style.loads, found[16] = {i};
    kx values[16];

    if (lanes < 2 || !kx_is_aligned(s->store.at, lanes))
        return NULL;
    for (int lane = 0; lane < lanes; lane++) {
        lift_nat at = lift_nat_add_const(s->store.at, lane);
        int k = i;

        while (k < c->count &&
               (c->done[k] || c->stores[k]->store.buffer != s->store.buffer ||
                c->stores[k]->store.at != at || c->conds[k] != c->conds[i]))
            k++;
        if (k == c->count)
            return NULL;
        found[lane] = k;
        values[lane] = c->stores[k]->store.value->args[branch];
    }
    for (int lane = 0; lane < lanes; lane++)
        c->done[found[lane]] = true;
    return ks_store(c->g->arena, s->store.buffer, s->store.at,
                    kx_lanes(c->g->ir,
                             lift_type_vector(c->g->ir, s->store.buffer->scalar, lanes),
                             values, lanes));
}

static void fill(struct cases *c, struct kblock *block, kx cond, int branch)
{
    struct scope scope = cg_enter(c->g, block);

    block->style = scope.block->style;
    for (int i = 0; i < c->count; i++) {
        struct ks *s = NULL;

        if (c->done[i] || c->conds[i] != cond)
            continue;
        s = vector_store(c, i, branch);
        if (!s) {
            s = ks_copy(c->g->arena, c->stores[i]);
            ks_set_expr(s, s->store.value->args[branch]);
        }
        c->done[i] = true;
        cg_emit(c->g, s);
    }
    cg_leave(c->g, scope);
}

static void make_branches(struct cases *c, kx cond)
{
    struct ks *test = ks_if(c->g->arena, cond);
    bool done[STORES];

    memcpy(done, c->done, sizeof done);
    fill(c, &test->test.body, cond, 1);
    memcpy(c->done, done, sizeof done);
    fill(c, &test->test.otherwise, cond, 2);
    cg_emit(c->g, test);
}

/* ---- the order of declarations */

static uintptr_t source_of(struct cases *c, const struct kbuffer *buffer)
{
    int i = 0;

    while (i < c->buffer_count && c->buffers[i] != buffer)
        i++;
    if (buffer->space != KSPACE_LOCAL || i == BUFFERS)
        return elsewhere;
    c->buffers[i] = buffer;
    c->buffer_count += i == c->buffer_count;
    return (uintptr_t)1 << i;
}

/* The sources of a variable. The table stores them with an extra bit, since its values
 * are never NULL. */
static uintptr_t source_of_name(const struct cases *c, const char *name)
{
    return (uintptr_t)lift_ptrmap_get(&c->sources, name) >> 1;
}

static void note_source(void *user, kx e)
{
    struct cases *c = user;

    if (e->kind == KX_LOAD)
        c->source |= source_of(c, e->load.buffer);
    if (e->kind == KX_VAR)
        c->source |= source_of_name(c, e->name);
}

static void await_turn(struct cases *c, struct ks *s)
{
    c->source = 0;
    kx_each(s->set.value, note_source, c);
    lift_ptrmap_put(&c->sources, s->set.name, (void *)(c->source << 1 | 1));
    if (c->last)
        c->last->next = s;
    else
        c->first = s;
    c->last = s;
    s->next = NULL;
}

/* The rank of a declaration: values without memory, then values from one local buffer
 * after the other, then the rest. */
static int turn_of(const struct cases *c, const struct ks *s)
{
    uintptr_t source = source_of_name(c, s->set.name);

    for (int i = 0; i < BUFFERS; i++)
        if (source == (uintptr_t)1 << i)
            return 1 + i;
    return source ? 1 + BUFFERS : 0;
}

static void declare(struct cases *c)
{
    for (int turn = 0; turn <= 1 + BUFFERS; turn++) {
        struct ks **at = &c->first;

        while (*at) {
            struct ks *s = *at;

            if (turn_of(c, s) == turn) {
                *at = s->next;
                cg_emit(c->g, s);
            } else {
                at = &s->next;
            }
        }
    }
    c->last = NULL;
    c->buffer_count = 0;
    lift_ptrmap_clear(&c->sources);
}

/* Emits the statements that were held back. */
static void release(struct cases *c)
{
    declare(c);
    for (int i = 0; i < c->count; i++) {
        int same = 0;

        if (c->done[i])
            continue;
        for (int k = 0; k < c->count; k++)
            same += c->conds[k] == c->conds[i];
        if (same > 1) {
            make_branches(c, c->conds[i]);
        } else {
            c->done[i] = true;
            cg_emit(c->g, c->stores[i]);
        }
    }
    c->count = 0;
    lift_ptrmap_clear(&c->held);
}

/* ---- statements */

static void note_held(void *user, kx e)
{
    struct cases *c = user;

    c->reads_held |= e->kind == KX_LOAD && lift_ptrmap_get(&c->held, e->load.buffer);
}

static bool reads_held(struct cases *c, const struct ks *s)
{
    c->reads_held = false;
    if (ks_expr(s))
        kx_each(ks_expr(s), note_held, c);
    return c->reads_held;
}

static void hold(struct cases *c, struct ks *s)
{
    kx cond = normal(c, s->store.value->args[0]);

    for (int i = 0; i < c->count; i++)
        if (kx_equal(cond, c->conds[i]))
            cond = c->conds[i];
    lift_ptrmap_put(&c->held, s->store.buffer, c);
    c->stores[c->count] = s;
    c->done[c->count] = false;
    c->conds[c->count++] = cond;
}

static bool is_case(const struct ks *s)
{
    return s->kind == KS_STORE && !ks_is_async(s) && !s->store.nontemporal &&
           kx_is_op(s->store.value, LIFT_SELECT) && !kx_is_vector(s->store.value);
}

static void visit(struct cases *c, struct kblock *block);

static struct ks *each(void *user, struct ks *s)
{
    struct cases *c = user;
    struct ks *next = s->next;
    bool asked = c->g->block->style.tests_once && ks_is_simple(s);

    if (!asked || s->kind == KS_ASSIGN || c->count == STORES || reads_held(c, s) ||
        (s->kind == KS_STORE && !is_case(s)))
        release(c);
    if (asked && s->kind == KS_DECL && lift_type_is_scalar(s->set.value->type, LIFT_BOOL))
        lift_ptrmap_put(&c->tests, s->set.name, (void *)normal(c, s->set.value));
    if (asked && is_case(s)) {
        hold(c, s);
    } else if (asked && s->kind == KS_DECL) {
        await_turn(c, s);
    } else {
        for (int i = 0; ks_block(s, i); i++)
            visit(c, ks_block(s, i));
        cg_emit(c->g, s);
    }
    if (!next)
        release(c);
    return next;
}

static void visit(struct cases *c, struct kblock *block)
{
    cg_refill(c->g, block, each, c);
}

void cg_pass_cases(struct gen *g, struct kernel *kernel)
{
    struct cases c = {.g = g};

    visit(&c, &kernel->body);
    lift_ptrmap_fini(&c.tests);
    lift_ptrmap_fini(&c.held);
    lift_ptrmap_fini(&c.sources);
}
