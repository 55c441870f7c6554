/* Private arrays whose every index is a number become scalar variables, so that they live
 * in registers on every device. Elements that no statement reads are removed with their
 * stores, which may leave elements of earlier arrays unread. So the pass begins with the
 * last array. */
#include "base/bug.h"
#include "base/table.h"
#include "codegen/passes/passes.h"

enum { MOST_ELEMENTS = 2048 };

/* An element of the current array. */
struct element {
    kx var;
    bool read;
    bool declared; /* its first store declares the variable */
    bool early;    /* declared in place of the array, with a value that is never read */
};

/* The statements to visit for an array: the statements of its block from its declaration
 * to the last access. Straight-line code may have hundreds of arrays. */
struct range {
    struct kblock *home;
    int begin, end; /* numbers of statements */
};

struct ranges {
    struct lift_arena *arena;
    struct lift_ptrmap of; /* from a buffer to its range */
    int count;             /* number of statements */
};

struct pass {
    struct gen *g;
    struct range range;
    const struct kbuffer *buffer;
    struct element *elements;
    int vectors; /* number of variables that hold a vector before its elements are set */
    int order;   /* number of the current statement */
    bool constant;
};

static int lanes_of(kx e)
{
    return kx_is_vector(e) ? e->type->count : 1;
}

/* The first element of an access to 'lanes' elements; -1 if the index is no number. */
static int64_t first_of(const struct pass *p, lift_nat at, int lanes)
{
    int64_t i;

    if (!lift_nat_is_const(at, &i))
        return -1;
    LIFT_ASSERT(i >= 0 && i + lanes <= p->buffer->count);
    return i;
}

/* ---- ranges */

static struct range *range_of(struct ranges *r, const struct kbuffer *buffer)
{
    struct range *range = lift_ptrmap_get(&r->of, buffer);

    if (!range) {
        range = LIFT_NEW(r->arena, struct range);
        lift_ptrmap_put(&r->of, buffer, range);
    }
    return range;
}

static void note_kx(void *ranges, kx e)
{
    struct ranges *r = ranges;

    if (e->kind == KX_LOAD)
        range_of(r, e->load.buffer)->end = r->count;
}

static void find_ranges(struct ranges *r, struct kblock *block)
{
    for (struct ks *s = block->first; s; s = s->next) {
        s->order = ++r->count;
        if (ks_expr(s))
            kx_each(ks_expr(s), note_kx, r);
        if (s->kind == KS_ARRAY || s->kind == KS_STORE) {
            struct range *range = range_of(r, ks_buffer(s));

            range->end = s->order;
            if (s->kind == KS_ARRAY)
                *range = (struct range){block, s->order, s->order};
        }
        for (int i = 0; ks_block(s, i); i++)
            find_ranges(r, ks_block(s, i));
    }
}

static bool is_outside(const struct pass *p, const struct ks *s)
{
    return s->order < p->range.begin || s->order > p->range.end;
}

/* ---- analysis */

static void look_kx(void *pass, kx e)
{
    struct pass *p = pass;
    int64_t i;

    if (e->kind != KX_LOAD || e->load.buffer != p->buffer)
        return;
    i = first_of(p, e->load.at, lanes_of(e));
    p->constant = p->constant && i >= 0;
    for (int l = 0; i >= 0 && l < lanes_of(e); l++) {
        struct element *x = &p->elements[i + l];

        x->read = true;
        x->early = x->early || !x->declared;
    }
}

static bool stores_here(const struct pass *p, const struct ks *s)
{
    return s->kind == KS_STORE && s->store.buffer == p->buffer;
}

/* Notes a store. A store in the array's own block, before all other accesses to the
 * element, can declare the element. */
static void look_store(struct pass *p, const struct kblock *block, const struct ks *s)
{
    int lanes = lanes_of(s->store.value);
    int64_t i = first_of(p, s->store.at, lanes);

    p->constant = p->constant && i >= 0;
    for (int l = 0; i >= 0 && l < lanes; l++) {
        struct element *x = &p->elements[i + l];

        x->early = x->early || (!x->declared && block != p->range.home);
        x->declared = true;
    }
}

static void look(struct pass *p, const struct kblock *block)
{
    for (const struct ks *s = block->first; s && p->constant; s = s->next) {
        if (is_outside(p, s))
            continue;
        if (ks_expr(s))
            kx_each(ks_expr(s), look_kx, p);
        if (stores_here(p, s))
            look_store(p, block, s);
        for (int i = 0; ks_block(s, i); i++)
            look(p, ks_block(s, i));
    }
}

/* ---- replacing */

static kx value_of(struct pass *p, kx load)
{
    int n = lanes_of(load);
    int64_t i = first_of(p, load->load.at, n);
    kx *lanes;

    if (!kx_is_vector(load))
        return p->elements[i].var;
    lanes = LIFT_NEW_ARRAY(p->g->arena, kx, n);
    for (int l = 0; l < n; l++)
        lanes[l] = p->elements[i + l].var;
    return kx_lanes(p->g->ir, load->type, lanes, n);
}

static kx replace_kx(void *user, kx e)
{
    struct pass *p = user;

    if (e->kind == KX_LOAD && e->load.buffer == p->buffer)
        return value_of(p, e);
    return kx_map_args(p->g->ir, e, replace_kx, p);
}

static void emit(struct pass *p, struct ks *s)
{
    s->order = p->order;
    cg_emit(p->g, s);
}

static void set_element(struct pass *p, struct element *x, kx value)
{
    if (!x->read)
        return;
    emit(p, (x->declared ? ks_assign : ks_decl)(p->g->arena, x->var->name, value));
    x->declared = true;
}

/* Counts the elements of a vector that are read, and '*declared' of these that are
 * declared already. */
static int count_read(const struct pass *p, int64_t first, int count, int *declared)
{
    int n = 0;

    *declared = 0;
    for (const struct element *x = &p->elements[first]; count-- > 0; x++) {
        n += x->read;
        *declared += x->read && x->declared;
    }
    return n;
}

/* Stores a vector: computes it once, then sets its elements. Lanes that are variables
 * need no copy, unless the variables may hold old values of the elements. */
static void set_elements(struct pass *p, lift_nat at, kx value)
{
    int declared, n = lanes_of(value);
    int64_t i = first_of(p, at, n);

    if (!count_read(p, i, n, &declared))
        return;
    if (n == 1) {
        set_element(p, &p->elements[i], value);
        return;
    }
    if (value->kind != KX_VAR && (value->kind != KX_LANES || declared)) {
        const char *name =
            lift_arena_printf(p->g->arena, "%s_row%d", p->buffer->name, p->vectors++);

        emit(p, ks_decl(p->g->arena, name, value));
        value = kx_var(p->g->ir, name, value->type);
    }
    for (int l = 0; l < n; l++)
        set_element(p, &p->elements[i + l], kx_lane(p->g->ir, value, l));
}

static void declare(struct pass *p)
{
    for (int64_t i = 0; i < p->buffer->count; i++) {
        struct element *x = &p->elements[i];
        lift_type type = x->var->type;

        if (x->read && (x->early || !x->declared))
            emit(p, ks_decl(p->g->arena, x->var->name,
                            lift_scalar_is_real(type->scalar)
                                ? kx_float(p->g->ir, type->scalar, 0)
                                : kx_int(p->g->ir, 0)));
        x->declared = x->early;
    }
}

static struct ks *replace(void *pass, struct ks *s)
{
    struct pass *p = pass;
    struct ks *next = s->next;

    p->order = s->order;
    if (!is_outside(p, s)) {
        if (ks_expr(s))
            ks_set_expr(s, replace_kx(p, ks_expr(s)));
        for (int i = 0; ks_block(s, i); i++)
            cg_refill(p->g, ks_block(s, i), replace, p);
    }
    if (s->kind == KS_ARRAY && s->array.buffer == p->buffer)
        declare(p);
    else if (stores_here(p, s))
        set_elements(p, s->store.at, s->store.value);
    else
        cg_emit(p->g, s);
    return next;
}

static void make_elements(struct pass *p)
{
    struct lift_arena *arena = p->g->arena;
    const struct kbuffer *b = p->buffer;

    p->elements = LIFT_NEW_ARRAY(arena, struct element, b->count);
    for (int64_t i = 0; i < b->count; i++)
        p->elements[i].var =
            kx_var(p->g->ir, lift_arena_printf(arena, "%s_%lld", b->name, (long long)i),
                   lift_type_scalar(p->g->ir, b->scalar));
}

void cg_pass_scalars(struct gen *g, struct kernel *kernel)
{
    struct ranges ranges = {.arena = g->arena};

    find_ranges(&ranges, &kernel->body);
    for (int i = kernel->buffer_count - 1; i >= 0; i--) {
        struct pass p = {.g = g, .buffer = kernel->buffers[i], .constant = true};

        if (p.buffer->space != KSPACE_PRIVATE || p.buffer->count > MOST_ELEMENTS)
            continue;
        p.range = *range_of(&ranges, p.buffer);
        if (!p.range.home)
            continue;
        make_elements(&p);
        look(&p, p.range.home);
        if (p.constant)
            cg_refill(g, p.range.home, replace, &p);
    }
    lift_ptrmap_fini(&ranges.of);
}
