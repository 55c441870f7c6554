/* Layouts: the positions of elements in the buffers of inputs and outputs, as the term
 * prescribes. */
#include "base/number.h"
#include "codegen/gen.h"
#include "ir/halo.h"
#include "ir/spine.h"

/* Arrays of the same lengths. */
struct cg_shape {
    struct cg_shape *next;
    struct lift_layout common;    /* for all element types; 'place' sets the strides */
    lift_expr fill[LIFT_SCALARS]; /* NULL: no halo */
    bool stages;                  /* reads around intermediates need the halo, too */
};

static lift_type any_scalar(struct gen *g)
{
    return lift_type_scalar(g->ir, LIFT_I32);
}

/* ---- requirements of the term */

static bool fits(const struct lift_layout *l, lift_type t)
{
    int d = 0;

    for (; t->kind == LIFT_TYPE_ARRAY; t = t->elem, d++) {
        int64_t n;

        if (d == l->dims || !lift_nat_is_const(t->len, &n) || n != l->length[d])
            return false;
    }
    return d == l->dims;
}

static struct cg_shape *find_shape(const struct gen *g, lift_type t)
{
    struct cg_shape *s = g->shapes;

    while (s && !fits(&s->common, t))
        s = s->next;
    return s;
}

static struct cg_shape *shape_of(struct gen *g, lift_type t)
{
    struct cg_shape *s = find_shape(g, t);

    if (s)
        return s;
    s = LIFT_NEW(g->arena, struct cg_shape);
    for (; t->kind == LIFT_TYPE_ARRAY; t = t->elem)
        s->common.length[s->common.dims++] = cg_const(g, t->len, "an array length");
    s->next = g->shapes;
    return g->shapes = s;
}

static void grow(int64_t *width, int64_t least)
{
    *width = *width < least ? least : *width;
}

static void note_pad(struct gen *g, lift_expr e, const struct lift_halo_scope *scope)
{
    struct lift_halo h = lift_halo_of(g->ir, e, scope);
    struct cg_shape *s;
    enum lift_scalar scalar;
    lift_expr fill = lift_halo_fill(e->u.prim.args[0]);

    if (!h.input || lift_type_base(h.grid)->kind != LIFT_TYPE_SCALAR || !fill ||
        fill->loose > 0) {
        cg_fail(g, any_scalar(g),
                "'padStored' of a value that is neither input nor intermediate, or by no "
                "number");
        return;
    }
    if (lift_type_rank(h.grid) > LIFT_LAYOUT_DIMS) {
        cg_fail(g, any_scalar(g), "'padStored' of more than %d dimensions",
                LIFT_LAYOUT_DIMS);
        return;
    }
    s = shape_of(g, h.grid);
    s->stages |= h.stage;
    scalar = lift_type_base(h.grid)->scalar;
    if (s->fill[scalar] && s->fill[scalar] != fill)
        cg_fail(g, any_scalar(g),
                "'padStored' by two numbers around arrays of one shape");
    s->fill[scalar] = fill;
    grow(&s->common.before[h.first], cg_const(g, h.before[0], "a width of 'padStored'"));
    grow(&s->common.after[h.first], cg_const(g, h.after[0], "a width of 'padStored'"));
}

/* Notes the multiple and the rest that a node sets for arrays of one shape. Two nodes
 * must agree. */
static void note_multiple(struct gen *g, lift_expr e, int64_t *multiple, int64_t *rest)
{
    const char *name = lift_prim_info(e->op)->name;
    int64_t k = cg_const(g, e->u.prim.nats[0], "a multiple of a layout");
    int64_t at = cg_const(g, e->u.prim.nats[1], "the rest of a layout");

    if (*multiple && (*multiple != k || *rest != at))
        cg_fail(g, any_scalar(g), "two '%s' for arrays of one shape", name);
    *multiple = k;
    *rest = at;
}

static void note_placed(struct gen *g, lift_expr e, lift_type t)
{
    struct lift_layout *l;

    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        if (!lift_has_fewer_dims(t, i))
            note_placed(g, e, t->parts[i]);
    if (lift_type_rank(t) < 1 || lift_type_rank(t) > LIFT_LAYOUT_DIMS)
        return;
    l = &shape_of(g, t)->common;
    if (e->op == LIFT_ALIGN_ROWS)
        note_multiple(g, e, &l->multiple, &l->at);
    else
        note_multiple(g, e, &l->apart, &l->apart_rest);
}

/* ---- search in the term */

struct scan {
    struct gen *g;
    struct lift_ptrmap seen; /* closed subterms that the search has visited */
};

static bool says_something(lift_expr e)
{
    return lift_expr_mentions(e, LIFT_PAD_STORED) ||
           lift_expr_mentions(e, LIFT_ALIGN_ROWS) || lift_expr_mentions(e, LIFT_APART) ||
           lift_expr_mentions(e, LIFT_IN_PLACE);
}

static void scan(struct scan *s, lift_expr e, const struct lift_halo_scope *scope);

/* Searches a function. The parameter of a map's function is an element of its array. The
 * parameter of a 'let' may be an intermediate. Other parameters are unknown. */
static void scan_function(struct scan *s, lift_expr e, lift_expr f,
                          const struct lift_halo_scope *scope)
{
    struct lift_halo_scope scopes[LIFT_MAX_PARAMS] = {{.outer = scope}};

    for (int i = 1; i < f->arg_count; i++)
        scopes[i].outer = &scopes[i - 1];
    if (lift_op_is_map(e->op)) {
        struct lift_halo xs = lift_halo_of(s->g->ir, e->u.prim.args[1], scope);

        scopes[0].halo = lift_halo_element(&xs);
    }
    if (e->op == LIFT_LET)
        scopes[0].halo = lift_halo_named(s->g->ir, e->u.prim.args[0]);
    scan(s, f->u.lambda.body, &scopes[f->arg_count - 1]);
}

static void scan(struct scan *s, lift_expr e, const struct lift_halo_scope *scope)
{
    if (e->kind != LIFT_EXPR_PRIM || !says_something(e) || lift_ptrmap_get(&s->seen, e))
        return;
    if (e->loose == 0)
        lift_ptrmap_put(&s->seen, e, (void *)e);
    if (e->op == LIFT_PAD_STORED)
        note_pad(s->g, e, scope);
    if (lift_expr_is_placed(e))
        note_placed(s->g, e, e->type);
    s->g->in_place_count += e->op == LIFT_IN_PLACE;
    for (int i = 0; i < e->arg_count; i++)
        if (e->u.prim.args[i]->kind == LIFT_EXPR_LAMBDA)
            scan_function(s, e, e->u.prim.args[i], scope);
        else
            scan(s, e->u.prim.args[i], scope);
}

/* Sets the strides and the offset. The halo after a row is also the halo before the next
 * row, and likewise for planes, since all of the halo holds one number. */
static void place(struct lift_layout *l)
{
    int64_t k = l->multiple ? l->multiple : 1, stride = 1;

    for (int d = l->dims - 1; d >= 0; d--) {
        int64_t gap = l->before[d] > l->after[d] ? l->before[d] : l->after[d];

        if (d == 0 && l->dims > 1 && l->apart)
            stride = l->apart_rest + lift_round_up(stride - l->apart_rest, l->apart);
        l->stride[d] = stride;
        l->offset += l->before[d] * stride;
        stride *= l->length[d] + gap;
        if (d == l->dims - 1)
            stride = lift_round_up(stride, k);
    }
    l->offset = lift_round_up(l->offset + l->at, k) - l->at;
}

void cg_find_layouts(struct gen *g, lift_expr body)
{
    struct scan s = {.g = g};

    scan(&s, body, NULL);
    lift_ptrmap_fini(&s.seen);
    for (struct cg_shape *p = g->shapes; p; p = p->next) {
        const struct lift_layout *l = &p->common;

        if (l->apart && l->multiple &&
            (l->apart % l->multiple || l->apart_rest % l->multiple))
            cg_fail(g, any_scalar(g), "'apart' by what 'alignRows' does not divide");
        place(&p->common);
    }
}

/* ---- layouts of buffers */

/* The number of elements of a buffer. Tiles that extend over the end of a grid may read
 * some elements more, which no result uses. The number is the same for all kernels, so
 * that kernels share their data. */
static int64_t count_of(const struct lift_layout *l)
{
    int64_t last = l->offset;

    for (int d = 0; d < l->dims; d++)
        last += (l->length[d] - 1 + l->after[d]) * l->stride[d];
    return lift_round_up(last + 1 + last / 256 + 1024, l->multiple ? l->multiple : 1);
}

static void lay_out_leaf(struct gen *g, const struct cg_shape *s, struct kbuffer *b,
                         bool filled)
{
    struct lift_layout *l = lift_arena_copy(g->arena, &s->common, sizeof s->common);

    l->fill = filled || s->stages ? s->fill[b->scalar] : NULL;
    b->layout = l;
    b->count = count_of(l);
}

/* True for scalars and for tuples of scalars: arrays inside tuples have no layout. */
static bool is_flat(lift_type base)
{
    if (base->kind != LIFT_TYPE_TUPLE)
        return base->kind == LIFT_TYPE_SCALAR;
    for (int i = 0; i < base->count; i++)
        if (!is_flat(base->parts[i]))
            return false;
    return true;
}

static void lay_out(struct gen *g, const struct mem *mem, lift_type t, int *leaf,
                    bool filled)
{
    const struct cg_shape *s = t->kind == LIFT_TYPE_ARRAY ? find_shape(g, t) : NULL;
    int end = *leaf + cg_leaf_count(t);

    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        lay_out(g, mem, t->parts[i], leaf, filled);
    for (; *leaf < end; ++*leaf)
        if (s && is_flat(lift_type_base(t)))
            lay_out_leaf(g, s, mem->leaves[*leaf], filled);
}

void cg_lay_out(struct gen *g, const struct mem *mem, bool filled)
{
    int leaf = 0;

    if (g->shapes)
        lay_out(g, mem, mem->type, &leaf, filled);
}

/* ---- text */

static void print_place(const struct lift_layout *l, struct lift_str *out)
{
    static const char *const names = "ijklmn";

    lift_str_add(out, "element (");
    for (int d = 0; d < l->dims; d++)
        lift_str_addf(out, "%s%c", d ? ", " : "", names[d]);
    lift_str_addf(out, ") at %lld", (long long)l->offset);
    for (int d = 0; d < l->dims; d++)
        if (l->stride[d] == 1)
            lift_str_addf(out, " + %c", names[d]);
        else
            lift_str_addf(out, " + %lld %c", (long long)l->stride[d], names[d]);
}

static void print_halo(const struct lift_layout *l, struct lift_str *out)
{
    bool any = false;

    for (int d = 0; d < l->dims; d++)
        any |= l->before[d] || l->after[d];
    if (!any || !l->fill)
        return;
    lift_str_add(out, "; all others hold ");
    lift_expr_print(l->fill, out);
    lift_str_add(out, " and are read");
    for (int d = 0; d < l->dims; d++)
        lift_str_addf(out, "%s -%lld..+%lld", d ? "," : "", (long long)l->before[d],
                      (long long)l->after[d]);
}

void cg_print_layouts(const struct gen *g, struct lift_str *out)
{
    for (int i = 0; i < g->bind_count; i++) {
        const struct lift_bind *b = &g->binds[i];

        if (b->in_place >= 0)
            lift_str_addf(out, "\n%s: stored in %s, whose values are lost", b->name,
                          g->binds[b->in_place].name);
        else if (b->layout) {
            lift_str_addf(out, "\n%s: %lld elements, ", b->name, (long long)b->count);
            print_place(b->layout, out);
            print_halo(b->layout, out);
        }
    }
}
