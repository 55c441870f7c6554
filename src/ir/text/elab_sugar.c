/* The n-dimensional forms of lift/build.h by name (map2, slide3, ...). Also the forms of
 * pad and inset with a word: 'constant v', 'value f', 'fill v'. */
#include "ir/ir_t.h"
#include "ir/text/elab_t.h"
#include <string.h>

typedef lift_expr sugar_build(struct elab *el, int d, const struct call *c);

/* Parameters: D sizes, one number for all dimensions or a tuple; E data; F a function; K
 * the kind of a pad; B a border; N one size for each dimension; * any number of data. */
struct sugar {
    const char *name;
    const char *params;
    int least;          /* smallest number of dimensions */
    sugar_build *build; /* any parameters; below: an array, or sizes and an array */
    lift_expr (*plain)(struct lift_ir *ir, int d, lift_expr xs);
    lift_expr (*sized)(struct lift_ir *ir, int d, const lift_nat *sizes, lift_expr xs);
};

static lift_expr data(struct elab *el, const struct call *c, int i)
{
    struct value v = call_value(el, c, i);

    return elab_settled(el, &v);
}

/* Reads sizes: '3' applies to all dimensions; '(3, 5)' has one number for each,
 * outermost first. */
static void sizes(struct elab *el, const struct call *c, int i, int d, lift_nat out[])
{
    const struct syntax_node *n = i < c->arg_count ? c->args[i] : NULL;

    if (n && n->kind == NODE_TUPLE && n->arg_count != d)
        elab_error(el, n->span, "expected %d sizes, one for each dimension, but got %d",
                   d, n->arg_count);
    for (int k = 0; k < d; k++)
        out[k] = n && n->kind == NODE_TUPLE ? elab_nat(el, c->env, n->args[k])
                 : k                        ? out[0]
                                            : call_nat(el, c, i);
}

/* Reports the builder's error as an error of the call. */
static lift_expr built(struct elab *el, const struct call *c, lift_expr e)
{
    const char *why = lift_ir_error(el->ir);

    lift_ir_clear_error(el->ir);
    if (!e)
        elab_error(el, call_name_span(c), "in '%s': %s", c->name,
                   why ? why : "type error");
    return e;
}

/* The element type below d array dimensions. */
static lift_type element(struct elab *el, const struct call *c, int i, int d,
                         lift_expr xs)
{
    lift_type t = xs->type;

    for (int k = 0; t && k < d; k++)
        t = t->kind == LIFT_TYPE_ARRAY ? t->elem : NULL;
    if (!t)
        elab_error(el, call_span(c, i),
                   "'%s' expects an array of %d dimension%s, but got '%s'", c->name, d,
                   d == 1 ? "" : "s", elab_type_text(el, xs->type));
    return t;
}

static lift_expr function(struct elab *el, const struct call *c, int i,
                          const lift_type *params, int count, lift_type want)
{
    struct value f = call_value(el, c, i);

    if (f.kind == VALUE_DATA)
        elab_error(el, call_span(c, i), "'%s' expects a function", c->name);
    return elab_lambda(el, &f, params, count, want);
}

static lift_expr build_map(struct elab *el, int d, const struct call *c)
{
    lift_expr xs = data(el, c, 1);
    lift_type elem = element(el, c, 1, d, xs);

    return built(el, c, lift_map_n(el->ir, d, function(el, c, 0, &elem, 1, NULL), xs));
}

static lift_expr build_zip(struct elab *el, int d, const struct call *c)
{
    lift_expr xs[LIFT_MAX_ARGS];
    int count = call_count(c);

    if (count > LIFT_MAX_ARGS)
        elab_error(el, call_name_span(c), "more than %d arguments", LIFT_MAX_ARGS);
    for (int i = 0; i < count; i++)
        xs[i] = data(el, c, i);
    return built(el, c, lift_zip_n(el->ir, d, xs, count));
}

static lift_expr build_slide(struct elab *el, int d, const struct call *c)
{
    lift_nat size[LIFT_MAX_DIMS], step[LIFT_MAX_DIMS];

    sizes(el, c, 0, d, size);
    sizes(el, c, 1, d, step);
    return built(el, c, lift_slide_n(el->ir, d, size, step, data(el, c, 2)));
}

static lift_expr constant(struct elab *el, const struct env *env,
                          const struct syntax_node *n, lift_type t);

/* A tuple of constants: the source has one number for each member, or one number for
 * all. */
static lift_expr constant_tuple(struct elab *el, const struct env *env,
                                const struct syntax_node *n, lift_type t)
{
    lift_expr members[LIFT_MAX_ARGS];
    bool own = n->kind == NODE_TUPLE;

    for (int i = 0; i < t->count; i++)
        members[i] = constant(el, env, own ? n->args[i] : n, t->parts[i]);
    return lift_call(el->ir, LIFT_TUPLE, members, t->count);
}

/* Converts an f32 to the storage type of f16 or bf16 elements. */
static lift_expr as_element(struct elab *el, lift_expr v, lift_type t)
{
    if (t->kind != LIFT_TYPE_SCALAR || !lift_scalar_is_storage(t->scalar) ||
        !lift_type_is_scalar(v->type, LIFT_F32))
        return v;
    return v->kind == LIFT_EXPR_LIT ? lift_expr_float(el->ir, t->scalar, v->u.number)
                                    : lift_call1(el->ir, elab_storing_op(t->scalar), v);
}

/* A constant as a number of the type below all dimensions. */
static lift_expr constant(struct elab *el, const struct env *env,
                          const struct syntax_node *n, lift_type t)
{
    struct value v;

    t = lift_type_base(t);
    if (t->kind == LIFT_TYPE_TUPLE && n->kind == NODE_TUPLE && n->arg_count == t->count)
        return constant_tuple(el, env, n, t);
    v = elab_expr(el, env, n);
    if (v.flex != FLEX_NO && t->kind == LIFT_TYPE_TUPLE)
        return constant_tuple(el, env, n, t);
    if (v.flex != FLEX_NO && t->kind == LIFT_TYPE_SCALAR)
        return elab_settle_as(el, &v, t->scalar);
    return as_element(el, elab_settled(el, &v), t);
}

static lift_expr pad_value(struct elab *el, int d, const struct call *c,
                           const lift_nat l[], const lift_nat r[], lift_expr xs)
{
    struct lift_prim_args args = {.nats = {l[0], r[0]}, .arg_count = 2};
    lift_type params[] = {el->i32, el->i32};
    lift_type elem = element(el, c, 3, 1, xs);
    struct lift_span spans[] = {c->args[2]->span, c->args[2]->span};
    struct value f = elab_expr(el, c->env, c->args[2]->args[0]);

    if (d != 1)
        elab_error(el, c->args[2]->span, "'value' pads one dimension; use 'pad'");
    if (f.kind == VALUE_DATA)
        elab_error(el, c->args[2]->span,
                   "'value' expects a function of the index and the length");
    args.args[0] = elab_lambda(el, &f, params, 2, elem);
    args.args[1] = xs;
    return elab_prim(el, LIFT_PAD_VALUE, &args, spans, call_name_span(c)).e;
}

static lift_expr build_pad(struct elab *el, int d, const struct call *c)
{
    lift_nat l[LIFT_MAX_DIMS], r[LIFT_MAX_DIMS];
    const struct syntax_node *kind = call_syntax(el, c, 2);
    const struct lift_attr_info *words = &lift_prim_info(LIFT_PAD)->attrs[0];
    lift_expr xs, v;
    int word;

    sizes(el, c, 0, d, l);
    sizes(el, c, 1, d, r);
    xs = data(el, c, 3);
    if (kind->kind == NODE_TAGGED && strcmp(kind->text, "constant") == 0) {
        v = constant(el, c->env, kind->args[0], xs->type);
        return built(el, c, lift_pad_const_n(el->ir, d, l, r, v, xs));
    }
    if (kind->kind == NODE_TAGGED && strcmp(kind->text, "value") == 0)
        return pad_value(el, d, c, l, r, xs);
    word = kind->kind == NODE_NAME ? lift_attr_value(words, kind->text) : -1;
    if (word < 0)
        elab_error(el, kind->span,
                   "expected one of clamp, mirror, wrap, any, constant v, value f");
    return built(el, c, lift_pad_n(el->ir, d, l, r, (enum lift_pad_kind)word, xs));
}

/* The type of 'xs' enlarged by l and r in d dimensions. */
static lift_type enlarged(struct elab *el, int d, const lift_nat l[], const lift_nat r[],
                          lift_type t)
{
    lift_type elem = d > 1 ? enlarged(el, d - 1, l + 1, r + 1, t->elem) : t->elem;

    return lift_type_array(el->ir, elem, lift_nat_add(lift_nat_add(l[0], t->len), r[0]));
}

/* Checks the widths of a border. */
static void check_widths(struct elab *el, const struct call *c, int d, const lift_nat l[],
                         const lift_nat r[])
{
    for (int k = 0; k < d; k++)
        if (lift_nat_hi(l[k]) < 0 || lift_nat_hi(r[k]) < 0)
            elab_error(el, call_name_span(c), "'%s' expects a number >= 0", c->name);
}

static lift_expr fill_border(struct elab *el, int d, const struct call *c,
                             const lift_nat l[], const lift_nat r[], lift_expr xs)
{
    lift_expr v = constant(el, c->env, c->args[2]->args[0], xs->type);

    element(el, c, 3, d, xs);
    if (v->type != lift_type_base(xs->type))
        elab_error(el, c->args[2]->span, "'fill' expects a value of the elements' type");
    check_widths(el, c, d, l, r);
    return ir_fill(el->ir, enlarged(el, d, l, r, xs->type), v);
}

/* Converts an interior computed for a grid of f16 or bf16 to this type. */
static lift_expr as_border(struct elab *el, lift_expr border, lift_expr xs)
{
    lift_type to = lift_type_base(border->type), from = lift_type_base(xs->type);
    struct elab_storage s = {1, true, {true}, {to->scalar}};

    if (to->kind != LIFT_TYPE_SCALAR || !lift_scalar_is_storage(to->scalar) ||
        from->kind != LIFT_TYPE_SCALAR || from == to || !lift_type_is_float(from))
        return xs;
    return elab_stored(el->ir, xs, &s);
}

static lift_expr build_inset(struct elab *el, int d, const struct call *c)
{
    lift_nat l[LIFT_MAX_DIMS], r[LIFT_MAX_DIMS];
    const struct syntax_node *n = call_syntax(el, c, 2);
    lift_expr xs, border;

    sizes(el, c, 0, d, l);
    sizes(el, c, 1, d, r);
    xs = data(el, c, 3);
    if (n->kind == NODE_TAGGED && strcmp(n->text, "fill") == 0)
        border = fill_border(el, d, c, l, r, xs);
    else
        border = data(el, c, 2);
    xs = as_border(el, border, xs);
    return built(el, c, lift_inset_n(el->ir, d, l, r, border, xs));
}

static lift_expr build_array(struct elab *el, int d, const struct call *c)
{
    lift_type params[LIFT_MAX_DIMS];
    lift_nat n[LIFT_MAX_DIMS];

    for (int k = 0; k < d; k++) {
        n[k] = call_nat(el, c, k);
        params[k] = el->i32;
    }
    return built(el, c, lift_array_n(el->ir, d, n, function(el, c, d, params, d, NULL)));
}

/* ---- regions with separate equations */

/* Lists the members of 'xs' if 'xs' is zip_n ('*tuple' is true), or 'xs' itself. */
static int members_of(struct elab *el, int d, lift_expr xs,
                      lift_expr members[LIFT_MAX_ARGS], bool *tuple)
{
    lift_expr zip = d > 1 && lift_expr_is(xs, LIFT_MAP) ? lift_expr_arg(xs, 1) : xs;
    int count = lift_expr_is(zip, LIFT_ZIP) ? zip->arg_count : 0;

    for (int i = 0; i < count; i++)
        members[i] = lift_expr_arg(zip, i);
    *tuple = count && lift_zip_n(el->ir, d, members, count) == xs;
    lift_ir_clear_error(el->ir);
    if (*tuple)
        return count;
    members[0] = xs;
    return 1;
}

/* A grid of bool: true for points in the interior. */
static lift_expr interior(struct elab *el, int d, const lift_nat l[], const lift_nat r[],
                          lift_type t)
{
    lift_type params[LIFT_MAX_DIMS];
    lift_nat len[LIFT_MAX_DIMS];
    lift_expr inside = NULL;

    for (int k = 0; k < d; k++, t = t->elem) {
        lift_expr i = lift_expr_bound(el->ir, d - 1 - k, el->i32);
        lift_expr low = lift_call2(el->ir, LIFT_LE, ir_size(el->ir, l[k]), i), high;

        len[k] = t->len;
        params[k] = el->i32;
        high =
            lift_call2(el->ir, LIFT_LT, i, ir_size(el->ir, lift_nat_sub(len[k], r[k])));
        low = lift_call2(el->ir, LIFT_AND, low, high);
        inside = inside ? lift_call2(el->ir, LIFT_AND, inside, low) : low;
    }
    return lift_array_n(el->ir, d, len,
                        lift_expr_lambda(el->ir, params, d, NULL, inside));
}

/* The value of function argument 'i' at 'point'. */
static lift_expr value_at(struct elab *el, const struct call *c, int i, lift_expr point,
                          lift_type want)
{
    lift_expr f = function(el, c, i, &point->type, 1, want);

    return lift_expr_apply(el->ir, f, &point);
}

/* if inside then f(point) else g(point) */
static lift_expr by_region(struct elab *el, const struct call *c, lift_expr inside,
                           lift_expr point)
{
    lift_expr f = value_at(el, c, 2, point, NULL);
    lift_expr g = value_at(el, c, 3, point, f->type);

    if (f->type != g->type)
        elab_error(
            el, call_span(c, 3),
            "'%s' expects functions with results of one type, but got '%s' and '%s'",
            c->name, elab_type_text(el, f->type), elab_type_text(el, g->type));
    return lift_call3(el->ir, LIFT_SELECT, inside, f, g);
}

/* regions_n(l, r, f, g, x) = map_n(fun((x, inside)) => if inside then f(x) else g(x)),
 * where the members of a zip x stay separate members. */
static lift_expr build_regions(struct elab *el, int d, const struct call *c)
{
    lift_nat l[LIFT_MAX_DIMS], r[LIFT_MAX_DIMS];
    lift_expr members[LIFT_MAX_ARGS], parts[LIFT_MAX_ARGS], xs, zip, t, value;
    lift_type elem;
    bool tuple;
    int count;

    sizes(el, c, 0, d, l);
    sizes(el, c, 1, d, r);
    xs = data(el, c, 4);
    element(el, c, 4, d, xs);
    check_widths(el, c, d, l, r);
    count = members_of(el, d, xs, members, &tuple);
    members[count] = interior(el, d, l, r, xs->type);
    if (count + 1 == LIFT_MAX_ARGS || !(zip = lift_zip_n(el->ir, d, members, count + 1)))
        return built(el, c, NULL);
    elem = zip->type;
    for (int k = 0; k < d; k++)
        elem = elem->elem;
    t = lift_fresh(el->ir, "t", elem);
    for (int i = 0; i < count; i++)
        parts[i] = lift_get(el->ir, i, t);
    value = by_region(el, c, lift_get(el->ir, count, t),
                      tuple ? lift_call(el->ir, LIFT_TUPLE, parts, count) : parts[0]);
    return built(el, c, lift_map_n(el->ir, d, lift_fun(el->ir, value, t), zip));
}

static lift_expr build_sample(struct elab *el, int d, const struct call *c)
{
    lift_expr grid = data(el, c, 0), points = data(el, c, 1);

    (void)d;
    return built(el, c, lift_sample(el->ir, grid, points));
}

static const struct sugar sugars[] = {
    {"map", "FE", 2, .build = build_map},
    {"zip", "*", 2, .build = build_zip},
    {"slide", "DDE", 2, .build = build_slide},
    {"pad", "DDKE", 1, .build = build_pad},
    {"inset", "DDBE", 1, .build = build_inset},
    {"array", "NF", 2, .build = build_array},
    {"regions", "DDFFE", 1, .build = build_regions},
    {"sample", "EE", 1, .build = build_sample},
    {"take", "DE", 2, .sized = lift_take_n},
    {"tile", "DE", 2, .sized = lift_tile_n},
    {"untile", "E", 2, .plain = lift_untile_n},
    {"rotate", "E", 2, .plain = lift_rotate_n},
    {"unrotate", "E", 2, .plain = lift_unrotate_n},
    {"unzip", "E", 2, .plain = lift_unzip_n},
};

static lift_expr build(struct elab *el, const struct sugar *s, int d,
                       const struct call *c)
{
    lift_nat n[LIFT_MAX_DIMS];

    if (s->build)
        return s->build(el, d, c);
    if (s->plain)
        return built(el, c, s->plain(el->ir, d, data(el, c, 0)));
    sizes(el, c, 0, d, n);
    return built(el, c, s->sized(el->ir, d, n, data(el, c, 1)));
}

const struct sugar *elab_find_sugar(const char *name, int *dims)
{
    size_t len = strlen(name);

    *dims = 1;
    if (len && name[len - 1] >= '2' && name[len - 1] <= '0' + LIFT_MAX_DIMS)
        *dims = name[--len] - '0';
    for (size_t i = 0; i < sizeof sugars / sizeof *sugars; i++)
        if (strlen(sugars[i].name) == len && memcmp(sugars[i].name, name, len) == 0 &&
            *dims >= sugars[i].least)
            return &sugars[i];
    return NULL;
}

struct value elab_sugar(struct elab *el, const struct sugar *s, int dims,
                        const struct call *c)
{
    bool variadic = strcmp(s->params, "*") == 0;
    int wanted = (int)strlen(s->params) + (s->params[0] == 'N' ? dims - 1 : 0);
    int got = call_count(c);
    bool ends_in_data = s->params[strlen(s->params) - 1] == 'E';

    if (!variadic && got == wanted - 1 && ends_in_data && !c->extra_count &&
        c->node->kind == NODE_CALL)
        return call_partial(el, c);
    if (!variadic && got != wanted)
        call_arity_error(el, c, wanted);
    return elab_make_data(el, elab_checked(el, build(el, s, dims, c), call_name_span(c)),
                          call_name_span(c));
}
