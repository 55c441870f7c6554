/* The n-dimensional forms of lift/build.h. Each works on the outermost dimension and maps
 * its own (d-1)-dimensional form over the elements. */
#include "ir/ir_t.h"

/* The inner form of one of the functions below, which applies to the parameter of a
 * map. */
struct inner {
    int d;
    enum lift_op op;
    const lift_nat *a, *b;
    enum lift_pad_kind kind;
    lift_expr value;
    lift_expr (*plain)(struct lift_ir *ir, int d, lift_expr xs);
    lift_expr (*sized)(struct lift_ir *ir, int d, const lift_nat *sizes, lift_expr xs);
};

/* map(fun(r => form(r)), xs); NULL passes through. */
static lift_expr map_form(struct lift_ir *ir, const char *hint, lift_body *form,
                          struct inner in, lift_expr xs)
{
    if (!xs)
        return NULL;
    if (xs->type->kind != LIFT_TYPE_ARRAY)
        return ir_set_error(ir, "expects an array of more dimensions");
    return lift_map(ir, lift_lambda(ir, hint, xs->type->elem, form, &in), xs);
}

static lift_expr map_inner(struct lift_ir *ir, void *user, lift_expr x)
{
    struct inner *in = user;

    return lift_map_n(ir, in->d, in->value, x);
}

static lift_expr form_inner(struct lift_ir *ir, void *user, lift_expr x)
{
    struct inner *in = user;

    return in->sized ? in->sized(ir, in->d, in->a, x) : in->plain(ir, in->d, x);
}

/* Maps a form of d dimensions over the elements of an array. */
static lift_expr map_plain(struct lift_ir *ir, const char *hint,
                           lift_expr (*form)(struct lift_ir *ir, int d, lift_expr xs),
                           int d, lift_expr xs)
{
    return map_form(ir, hint, form_inner, (struct inner){.d = d, .plain = form}, xs);
}

static lift_expr map_sized(struct lift_ir *ir,
                           lift_expr (*form)(struct lift_ir *ir, int d,
                                             const lift_nat *sizes, lift_expr xs),
                           int d, const lift_nat *sizes, lift_expr xs)
{
    return map_form(ir, "r", form_inner,
                    (struct inner){.d = d, .a = sizes, .sized = form}, xs);
}

/* True if there is a size for each dimension, and none is NULL. */
static bool are_sizes(const lift_nat *sizes, int d)
{
    for (int i = 0; sizes && i < (d > 1 ? d : 1); i++)
        if (!sizes[i])
            return false;
    return sizes != NULL;
}

lift_expr lift_map_n(struct lift_ir *ir, int d, lift_expr f, lift_expr xs)
{
    if (d <= 1 || !f)
        return lift_map(ir, f, xs);
    return map_form(ir, "r", map_inner, (struct inner){.d = d - 1, .value = f}, xs);
}

/* Maps 'form' for dimension 'd' over the rows of 'xs'. Dimension 0 does not move. */
static lift_expr turn_rows(struct lift_ir *ir,
                           lift_expr (*form)(struct lift_ir *ir, int d, lift_expr xs),
                           int d, lift_expr xs)
{
    return d == 0 ? xs : map_plain(ir, "r", form, d, xs);
}

lift_expr lift_turn(struct lift_ir *ir, int dim, lift_expr xs)
{
    if (dim == 0 || !xs)
        return xs;
    return lift_call1(ir, LIFT_TRANSPOSE, turn_rows(ir, lift_turn, dim - 1, xs));
}

lift_expr lift_unturn(struct lift_ir *ir, int dim, lift_expr xs)
{
    if (dim == 0 || !xs)
        return xs;
    return turn_rows(ir, lift_unturn, dim - 1, lift_call1(ir, LIFT_TRANSPOSE, xs));
}

static lift_expr zip_inner(struct lift_ir *ir, void *user, lift_expr x)
{
    struct inner *in = user;
    lift_expr members[LIFT_MAX_ARGS];

    for (int i = 0; i < x->type->count; i++)
        members[i] = lift_get(ir, i, x);
    return lift_zip_n(ir, in->d, members, x->type->count);
}

lift_expr lift_zip_n(struct lift_ir *ir, int d, const lift_expr *xs, int count)
{
    lift_expr outer = lift_call(ir, LIFT_ZIP, xs, count);

    return d <= 1 ? outer
                  : map_form(ir, "r", zip_inner, (struct inner){.d = d - 1}, outer);
}

static lift_expr unzip_inner(struct lift_ir *ir, void *user, lift_expr x)
{
    return lift_unzip_n(ir, ((struct inner *)user)->d, x);
}

lift_expr lift_unzip_n(struct lift_ir *ir, int d, lift_expr xs)
{
    if (d > 1 && xs && xs->type->kind == LIFT_TYPE_ARRAY)
        xs = map_form(ir, "r", unzip_inner, (struct inner){.d = d - 1}, xs);
    return xs ? lift_call1(ir, LIFT_UNZIP, xs) : NULL;
}

static lift_expr pad_n(struct lift_ir *ir, struct inner in, lift_expr xs);

static lift_expr pad_inner(struct lift_ir *ir, void *user, lift_expr x)
{
    return pad_n(ir, *(struct inner *)user, x);
}

/* Pads with a value or by a kind. */
static lift_expr pad_n(struct lift_ir *ir, struct inner in, lift_expr xs)
{
    lift_expr outer;

    if (!are_sizes(in.a, in.d) || !are_sizes(in.b, in.d))
        return NULL;
    outer = in.value ? lift_pad_const(ir, in.a[0], in.b[0], in.value, xs)
                     : lift_pad(ir, in.a[0], in.b[0], in.kind, xs);
    if (in.d <= 1)
        return outer;
    in.d--, in.a++, in.b++;
    return map_form(ir, "r", pad_inner, in, outer);
}

lift_expr lift_pad_n(struct lift_ir *ir, int d, const lift_nat *l, const lift_nat *r,
                     enum lift_pad_kind kind, lift_expr xs)
{
    return pad_n(ir, (struct inner){.d = d, .a = l, .b = r, .kind = kind}, xs);
}

lift_expr lift_pad_const_n(struct lift_ir *ir, int d, const lift_nat *l,
                           const lift_nat *r, lift_expr value, lift_expr xs)
{
    return value ? pad_n(ir, (struct inner){.d = d, .a = l, .b = r, .value = value}, xs)
                 : NULL;
}

lift_expr lift_rotate_n(struct lift_ir *ir, int d, lift_expr xs)
{
    lift_expr outer = d <= 1 ? xs : lift_call1(ir, LIFT_TRANSPOSE, xs);

    return d <= 2 ? outer : map_plain(ir, "r", lift_rotate_n, d - 1, outer);
}

lift_expr lift_unrotate_n(struct lift_ir *ir, int d, lift_expr xs)
{
    if (d <= 1)
        return xs;
    if (d > 2)
        xs = map_plain(ir, "r", lift_unrotate_n, d - 1, xs);
    return lift_call1(ir, LIFT_TRANSPOSE, xs);
}

static lift_expr windows_n(struct lift_ir *ir, struct inner in, lift_expr xs);

static lift_expr slide_inner(struct lift_ir *ir, void *user, lift_expr x)
{
    return windows_n(ir, *(struct inner *)user, x);
}

/* Windows of one dimension, by slide or slideShift. */
static lift_expr windows_1(struct lift_ir *ir, const struct inner *in, lift_expr xs)
{
    struct lift_prim_args a = {
        .nats = {in->a[0], in->b[0]}, .args = {xs}, .arg_count = 1};

    return lift_make(ir, in->op, &a);
}

/* [w][s][n2]..[nd][..] to [w][n2]..[nd][s][..]: moves the window's dimension inside the
 * d-1 dimensions of windows of its elements. */
static lift_expr windows_n(struct lift_ir *ir, struct inner in, lift_expr xs)
{
    struct inner rows = {.d = in.d - 1, .op = in.op, .a = in.a + 1, .b = in.b + 1};

    if (!are_sizes(in.a, in.d) || !are_sizes(in.b, in.d))
        return NULL;
    if (in.d <= 1)
        return windows_1(ir, &in, xs);
    xs = map_form(ir, "r", slide_inner, rows, xs);
    return map_plain(ir, "w", lift_rotate_n, in.d, windows_1(ir, &in, xs));
}

lift_expr lift_slide_n(struct lift_ir *ir, int d, const lift_nat *size,
                       const lift_nat *step, lift_expr xs)
{
    return windows_n(ir, (struct inner){.d = d, .op = LIFT_SLIDE, .a = size, .b = step},
                     xs);
}

lift_expr lift_slide_shift_n(struct lift_ir *ir, int d, const lift_nat *size,
                             const lift_nat *step, lift_expr xs)
{
    return windows_n(
        ir, (struct inner){.d = d, .op = LIFT_SLIDE_SHIFT, .a = size, .b = step}, xs);
}

lift_expr lift_tile_n(struct lift_ir *ir, int d, const lift_nat *k, lift_expr xs)
{
    if (!are_sizes(k, d))
        return NULL;
    if (d <= 1)
        return lift_call_nat(ir, LIFT_SPLIT, k[0], xs);
    xs = map_sized(ir, lift_tile_n, d - 1, k + 1, xs);
    return map_plain(ir, "t", lift_rotate_n, d, lift_call_nat(ir, LIFT_SPLIT, k[0], xs));
}

lift_expr lift_untile_n(struct lift_ir *ir, int d, lift_expr xs)
{
    if (d <= 1)
        return lift_call1(ir, LIFT_JOIN, xs);
    xs = map_plain(ir, "t", lift_unrotate_n, d, xs);
    return map_plain(ir, "r", lift_untile_n, d - 1, lift_call1(ir, LIFT_JOIN, xs));
}

lift_expr lift_join_shift_n(struct lift_ir *ir, int d, const lift_nat *len, lift_expr xs)
{
    if (!are_sizes(len, d))
        return NULL;
    if (d <= 1)
        return lift_call_nat(ir, LIFT_JOIN_SHIFT, len[0], xs);
    xs = map_plain(ir, "t", lift_unrotate_n, d, xs);
    return map_sized(ir, lift_join_shift_n, d - 1, len + 1,
                     lift_call_nat(ir, LIFT_JOIN_SHIFT, len[0], xs));
}

lift_expr lift_take_n(struct lift_ir *ir, int d, const lift_nat *m, lift_expr xs)
{
    lift_expr outer;

    if (!are_sizes(m, d))
        return NULL;
    outer = lift_call_nat(ir, LIFT_TAKE, m[0], xs);

    return d <= 1 ? outer : map_sized(ir, lift_take_n, d - 1, m + 1, outer);
}

static lift_expr inset_inner(struct lift_ir *ir, void *user, lift_expr pair)
{
    struct inner *in = user;

    return lift_inset_n(ir, in->d, in->a, in->b, lift_get(ir, 0, pair),
                        lift_get(ir, 1, pair));
}

/* The rows of a border next to 'xs'. */
static lift_expr inset_rows(struct lift_ir *ir, lift_nat l, lift_nat r, lift_expr border,
                            lift_expr xs)
{
    if (!lift_nat_is(l, 0))
        border = lift_call_nat(ir, LIFT_DROP, l, border);
    return lift_nat_is(r, 0) ? border
                             : lift_call_nat(ir, LIFT_TAKE, xs->type->len, border);
}

lift_expr lift_inset_n(struct lift_ir *ir, int d, const lift_nat *l, const lift_nat *r,
                       lift_expr border, lift_expr xs)
{
    struct lift_prim_args a = {.args = {border}, .arg_count = 2};

    if (!are_sizes(l, d) || !are_sizes(r, d))
        return NULL;
    if (d > 1 && border && xs && xs->type->kind == LIFT_TYPE_ARRAY) {
        xs = map_form(
            ir, "r", inset_inner, (struct inner){.d = d - 1, .a = l + 1, .b = r + 1},
            lift_call2(ir, LIFT_ZIP, inset_rows(ir, l[0], r[0], border, xs), xs));
        if (lift_nat_is(l[0], 0) && lift_nat_is(r[0], 0))
            return xs;
    }
    a.nats[0] = l[0];
    a.nats[1] = r[0];
    a.args[1] = xs;
    return lift_make(ir, LIFT_INSET, &a);
}

struct generator {
    int d, depth;
    const lift_nat *n;
    lift_expr f;
    lift_expr indices[LIFT_MAX_DIMS];
};

static lift_expr array_inner(struct lift_ir *ir, void *user, lift_expr i)
{
    struct generator g = *(struct generator *)user;

    g.indices[g.depth++] = i;
    if (g.depth == g.d)
        return lift_expr_apply(ir, g.f, g.indices);
    return lift_array(
        ir, g.n[g.depth],
        lift_lambda(ir, "i", lift_type_scalar(ir, LIFT_I32), array_inner, &g));
}

lift_expr lift_array_n(struct lift_ir *ir, int d, const lift_nat *n, lift_expr f)
{
    struct generator g = {.d = d, .n = n, .f = f};

    if (!are_sizes(n, d))
        return NULL;
    if (!f || f->arg_count != d || d > LIFT_MAX_DIMS) {
        if (f)
            ir_set_error(ir, "'array' expects a function of one index a dimension");
        return NULL;
    }
    return lift_array(
        ir, n[0], lift_lambda(ir, "i", lift_type_scalar(ir, LIFT_I32), array_inner, &g));
}
