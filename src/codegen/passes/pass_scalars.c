/* Private arrays whose every index is a number become scalar variables, so that they live
 * in registers on every device. Elements that nothing reads go away with what is stored
 * in them, which may leave elements of earlier arrays unread: so the last array is the
 * first to be looked at. */
#include "codegen/gen.h"
#include "lift/bug.h"
#include "lift/table.h"

enum { MOST_ELEMENTS = 2048 };

/* An element of the array in hand. */
struct element {
    kx var;
    bool read;
    bool declared; /* by its first store */
    bool early;    /* declared at the place of the array, with a value that nobody sees */
};

/* What has to be looked at for an array: its block, from its declaration to the last
 * statement that reads or writes it. Straight-line code may have hundreds of arrays. */
struct range {
    struct ks *home;
    int begin, end; /* numbers of statements */
};

struct ranges {
    struct lift_arena *arena;
    struct lift_ptrmap of; /* by buffer */
    int count;             /* of statements */
};

struct pass {
    struct lift_ir *ir;
    struct range range;
    const struct kbuffer *buffer;
    struct element *elements;
    int vectors; /* variables that hold one on its way to the elements */
    int order;   /* of the statement in hand */
    bool constant;
};

static int lanes_of(lift_type t)
{
    return t->kind == LIFT_TYPE_VECTOR ? t->count : 1;
}

/* The first element of an access, -1 if that is no number. */
static int64_t first_of(const struct pass *p, lift_nat at, lift_type t)
{
    int64_t i;

    if (!lift_nat_is_const(at, &i))
        return -1;
    LIFT_ASSERT(i >= 0 && i + lanes_of(t) <= p->buffer->count);
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

static void note_kx(struct ranges *r, kx e)
{
    if (e->kind == KX_LOAD)
        range_of(r, e->buffer)->end = r->count;
    for (int i = 0; i < e->arg_count; i++)
        note_kx(r, e->args[i]);
}

static void note_buffer(struct ranges *r, struct ks *block, const struct ks *s)
{
    struct range *range = range_of(r, s->buffer);

    range->end = s->order;
    if (s->kind == KS_ARRAY)
        *range = (struct range){block, s->order, s->order};
}

static void find_ranges(struct ranges *r, struct ks *block)
{
    for (struct ks *s = block->first; s; s = s->next) {
        s->order = ++r->count;
        if (s->value)
            note_kx(r, s->value);
        if (s->cond)
            note_kx(r, s->cond);
        if (s->kind == KS_ARRAY || s->kind == KS_STORE)
            note_buffer(r, block, s);
        find_ranges(r, s);
        if (s->otherwise)
            find_ranges(r, s->otherwise);
    }
}

static bool is_outside(const struct pass *p, const struct ks *s)
{
    return s->order < p->range.begin || s->order > p->range.end;
}

/* ---- looking */

static void look_kx(struct pass *p, kx e)
{
    if (e->kind == KX_LOAD && e->buffer == p->buffer) {
        int64_t i = first_of(p, e->nat, e->type);

        p->constant = p->constant && i >= 0;
        for (int l = 0; i >= 0 && l < lanes_of(e->type); l++) {
            struct element *x = &p->elements[i + l];

            x->read = true;
            x->early = x->early || !x->declared;
        }
    }
    for (int i = 0; i < e->arg_count; i++)
        look_kx(p, e->args[i]);
}

/* A store in the array's own block, before all else that is done to the element, can
 * declare it. */
static void look_store(struct pass *p, const struct ks *block, const struct ks *s)
{
    int64_t i;

    LIFT_ASSERT(s->value);
    i = first_of(p, s->at, s->value->type);
    p->constant = p->constant && i >= 0;
    for (int l = 0; i >= 0 && l < lanes_of(s->value->type); l++) {
        struct element *x = &p->elements[i + l];

        x->early = x->early || (!x->declared && block != p->range.home);
        x->declared = true;
    }
}

static void look(struct pass *p, const struct ks *block)
{
    for (const struct ks *s = block->first; s && p->constant; s = s->next) {
        if (is_outside(p, s))
            continue;
        if (s->value)
            look_kx(p, s->value);
        if (s->cond)
            look_kx(p, s->cond);
        if (s->kind == KS_STORE && s->buffer == p->buffer)
            look_store(p, block, s);
        look(p, s);
        if (s->otherwise)
            look(p, s->otherwise);
    }
}

/* ---- replacing */

static kx value_of(struct pass *p, kx load)
{
    int64_t i = first_of(p, load->nat, load->type);
    int n = lanes_of(load->type);
    kx *lanes;

    if (load->type->kind != LIFT_TYPE_VECTOR)
        return p->elements[i].var;
    lanes = LIFT_NEW_ARRAY(lift_ir_arena(p->ir), kx, n);
    for (int l = 0; l < n; l++)
        lanes[l] = p->elements[i + l].var;
    return kx_lanes(p->ir, load->type, lanes, n);
}

static kx replace_kx(void *user, kx e)
{
    struct pass *p = user;

    if (e->kind == KX_LOAD && e->buffer == p->buffer)
        return value_of(p, e);
    return kx_each_arg(p->ir, e, replace_kx, p);
}

static void set(struct pass *p, struct ks *to, enum ks_kind kind, const char *name,
                kx value)
{
    struct ks *s = ks_new(lift_ir_arena(p->ir), kind);

    s->name = name;
    s->value = value;
    s->order = p->order;
    ks_append(to, s);
}

static void set_element(struct pass *p, struct ks *to, struct element *x, kx value)
{
    if (!x->read)
        return;
    set(p, to, x->declared ? KS_ASSIGN : KS_DECL, x->var->name, value);
    x->declared = true;
}

/* The number of elements of a vector that are read, and of those declared already. */
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

/* A vector is computed once, then taken apart; lanes that are variables already need not
 * be, unless they may be the old values of the elements. */
static void set_elements(struct pass *p, struct ks *to, const struct ks *s)
{
    kx value = s->value;
    int declared, n;
    int64_t i;

    LIFT_ASSERT(value);
    n = lanes_of(value->type);
    i = first_of(p, s->at, value->type);
    if (!count_read(p, i, n, &declared))
        return;
    if (n == 1) {
        set_element(p, to, &p->elements[i], value);
        return;
    }
    if (value->kind != KX_VAR && (value->kind != KX_LANES || declared)) {
        const char *name = lift_arena_printf(lift_ir_arena(p->ir), "%s_row%d",
                                             p->buffer->name, p->vectors++);

        set(p, to, KS_DECL, name, value);
        value = kx_var(p->ir, name, value->type);
    }
    for (int l = 0; l < n; l++)
        set_element(p, to, &p->elements[i + l], kx_lane(p->ir, value, l));
}

static void declare(struct pass *p, struct ks *to)
{
    for (int64_t i = 0; i < p->buffer->count; i++) {
        struct element *x = &p->elements[i];

        if (x->read && (x->early || !x->declared))
            set(p, to, KS_DECL, x->var->name,
                lift_type_is_float(x->var->type)
                    ? kx_float(p->ir, x->var->type->scalar, 0)
                    : kx_int(p->ir, 0));
        x->declared = x->early;
    }
}

static void replace(struct pass *p, struct ks *block)
{
    struct ks fresh = {0}, *next;

    for (struct ks *s = block->first; s; s = next) {
        next = s->next;
        p->order = s->order;
        if (is_outside(p, s)) {
            ks_append(&fresh, s);
            continue;
        }
        if (s->value)
            s->value = replace_kx(p, s->value);
        if (s->cond)
            s->cond = replace_kx(p, s->cond);
        if (s->kind == KS_ARRAY && s->buffer == p->buffer)
            declare(p, &fresh);
        else if (s->kind == KS_STORE && s->buffer == p->buffer)
            set_elements(p, &fresh, s);
        else
            ks_append(&fresh, s);
        replace(p, s);
        if (s->otherwise)
            replace(p, s->otherwise);
    }
    block->first = fresh.first;
    block->last = fresh.last;
}

static void make_elements(struct pass *p)
{
    struct lift_arena *arena = lift_ir_arena(p->ir);
    const struct kbuffer *b = p->buffer;

    p->elements = LIFT_NEW_ARRAY(arena, struct element, b->count);
    for (int64_t i = 0; i < b->count; i++)
        p->elements[i].var =
            kx_var(p->ir, lift_arena_printf(arena, "%s_%lld", b->name, (long long)i),
                   lift_type_scalar(p->ir, b->scalar));
}

void cg_pass_scalars(struct lift_ir *ir, struct kernel *kernel)
{
    struct ranges ranges = {.arena = lift_ir_arena(ir)};

    find_ranges(&ranges, kernel->body);
    for (int i = kernel->buffer_count - 1; i >= 0; i--) {
        struct pass p = {.ir = ir, .buffer = kernel->buffers[i], .constant = true};

        if (p.buffer->space != KSPACE_PRIVATE || p.buffer->count > MOST_ELEMENTS)
            continue;
        p.range = *range_of(&ranges, p.buffer);
        if (!p.range.home)
            continue;
        make_elements(&p);
        look(&p, p.range.home);
        if (p.constant)
            replace(&p, p.range.home);
    }
    lift_ptrmap_fini(&ranges.of);
}
