/* The n-dimensional forms in patterns: map2, zip3, slide2, ... or, with the number as a
 * parameter, map(2), zip(3), slide(2). The builders of lift/build.h need types, but
 * patterns have no types. So the reader builds a form from typed placeholders and
 * converts the term to a pattern. */
#include "lift/build.h"
#include "rules/read/read.h"
#include "rules/read/read_instance.h"
#include <string.h>

struct sugar;

struct form {
    struct rule_reader *r;
    struct lift_ir *ir;
    const struct sugar *sugar;
    int d;
    const struct pat *function; /* the function of a map */
    const struct pat *data[LIFT_MAX_ARGS];
    lift_expr xs[LIFT_MAX_ARGS]; /* placeholders for 'data' */
    int data_count;
    bool list; /* the data are one list */
    lift_nat sizes[2][LIFT_MAX_DIMS];
    int kind; /* kind of a pad */
};

typedef lift_expr form_build(struct form *f);

/* Parameters as in the language: D sizes, K the kind of a pad, F a function, E data, *
 * any number of data. */
struct sugar {
    const char *name;
    const char *params;
    int rank; /* rank of the data, in multiples of the number of dimensions */
    form_build
        *build; /* NULL if 'plain' (data only) or 'sized' (sizes and data) is set */
    lift_expr (*plain)(struct lift_ir *ir, int d, lift_expr xs);
    lift_expr (*sized)(struct lift_ir *ir, int d, const lift_nat *sizes, lift_expr xs);
};

/* Builds a map whose function returns a placeholder. */
static lift_expr form_map(struct form *f)
{
    lift_type t = lift_type_scalar(f->ir, LIFT_F32);
    lift_expr value = lift_expr_free(f->ir, "?f", t);

    return lift_map_n(f->ir, f->d, lift_expr_lambda(f->ir, &t, 1, NULL, value), f->xs[0]);
}

static lift_expr form_zip(struct form *f)
{
    return lift_zip_n(f->ir, f->d, f->xs, f->data_count);
}

static lift_expr form_slide(struct form *f)
{
    return lift_slide_n(f->ir, f->d, f->sizes[0], f->sizes[1], f->xs[0]);
}

static lift_expr form_slide_shift(struct form *f)
{
    return lift_slide_shift_n(f->ir, f->d, f->sizes[0], f->sizes[1], f->xs[0]);
}

static lift_expr form_pad(struct form *f)
{
    return lift_pad_n(f->ir, f->d, f->sizes[0], f->sizes[1], (enum lift_pad_kind)f->kind,
                      f->xs[0]);
}

static const struct sugar sugars[] = {
    {"map", "FE", 1, .build = form_map},
    {"zip", "*", 1, .build = form_zip},
    {"slide", "DDE", 1, .build = form_slide},
    {"slideShift", "DDE", 1, .build = form_slide_shift},
    {"joinShift", "DE", 2, .sized = lift_join_shift_n},
    {"pad", "DDKE", 1, .build = form_pad},
    {"take", "DE", 1, .sized = lift_take_n},
    {"tile", "DE", 1, .sized = lift_tile_n},
    {"untile", "E", 2, .plain = lift_untile_n},
    {"turn", "E", 2, .plain = lift_turn},
    {"unturn", "E", 2, .plain = lift_unturn},
    {"rotate", "E", 1, .plain = lift_rotate_n},
    {"unrotate", "E", 1, .plain = lift_unrotate_n},
};

static const struct sugar *find(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof sugars / sizeof *sugars; i++)
        if (strlen(sugars[i].name) == len && memcmp(sugars[i].name, name, len) == 0)
            return &sugars[i];
    return NULL;
}

/* Finds the form of NAME2. */
static const struct sugar *find_word(const char *name, int *dims)
{
    size_t len = strlen(name);

    if (len < 2 || name[len - 1] < '2' || name[len - 1] > '0' + LIFT_MAX_DIMS)
        return NULL;
    *dims = name[len - 1] - '0';
    return find(name, len - 1);
}

/* Finds the form of NAME(2). */
static const struct sugar *find_call(const struct syntax_node *callee, int64_t *dims)
{
    const struct syntax_node *name = callee->args[0];

    if (callee->arg_count != 2 || name->kind != NODE_NAME ||
        !read_constant(callee->args[1], dims))
        return NULL;
    return find(name->text, strlen(name->text));
}

static const struct sugar *find_form(const struct syntax_node *callee, int *dims)
{
    const struct sugar *found = NULL;
    int64_t number = 0;

    if (callee->kind == NODE_NAME)
        return find_word(callee->text, dims);
    if (callee->kind == NODE_CALL)
        found = find_call(callee, &number);
    *dims = number >= 1 && number <= LIFT_MAX_DIMS ? (int)number : 0;
    return found;
}

bool read_is_sugar(const struct syntax_node *callee)
{
    int dims;

    return find_form(callee, &dims) != NULL;
}

/* ---- arguments */

/* Reads sizes: '3' for all dimensions; '(3, n)' or 'n[i]' for a size in each dimension.
 */
static void read_sizes(struct form *f, const struct syntax_node *node, int which)
{
    bool each = node->kind == NODE_TUPLE;

    if (each && node->arg_count != f->d)
        syntax_error(f->r->p, node->span, "expected %d sizes, one for each dimension",
                     f->d);
    for (int i = 0; i < f->d; i++) {
        const struct syntax_node *n = each ? node->args[i] : node;

        f->r->dim = i;
        f->sizes[which][i] = read_nat(f->r, n, !f->r->rhs);
    }
    f->r->dim = -1;
}

static void read_kind(struct form *f, const struct syntax_node *node)
{
    const struct lift_attr_info *kinds = &lift_prim_info(LIFT_PAD)->attrs[0];

    f->kind = node->kind == NODE_NAME ? lift_attr_value(kinds, node->text) : -1;
    if (f->kind < 0)
        syntax_error(f->r->p, node->span, "expected clamp, mirror, wrap or any");
}

/* Reads data and makes a placeholder. All placeholders have one shape, so that they can
 * be zipped. */
static void read_data(struct form *f, const struct syntax_node *node,
                      struct pat_scope *scope)
{
    lift_type t = lift_type_scalar(f->ir, LIFT_F32);
    char name[16] = "?x0", len[16] = "?l0";

    if (f->data_count == LIFT_MAX_ARGS)
        syntax_error(f->r->p, node->span, "more than %d arguments", LIFT_MAX_ARGS);
    for (int i = f->d * f->sugar->rank - 1; i >= 0; i--) {
        len[2] = (char)('0' + i);
        t = lift_type_array(
            f->ir, t, lift_nat_var(lift_ir_nats(f->ir), len, LIFT_VAR_SIZE, 1, 1 << 20));
    }
    name[2] = (char)('0' + f->data_count);
    f->xs[f->data_count] = lift_expr_free(f->ir, name, t);
    f->list = f->list || node->kind == NODE_LIST;
    f->data[f->data_count++] = node->kind == NODE_LIST ? read_list(f->r, node, scope)
                                                       : read_pattern(f->r, node, scope);
}

/* ---- conversion to a pattern */

/* Copies the names, since the names of the lambda belong to the context of placeholders.
 */
static const char *const *names_of(struct form *f, lift_expr lambda)
{
    const char **names = LIFT_NEW_ARRAY(f->r->arena, const char *, lambda->arg_count);

    for (int i = 0; i < lambda->arg_count; i++)
        names[i] = lift_arena_strdup(f->r->arena, lambda->u.lambda.names[i]);
    return names;
}

static const struct pat *pattern_of(struct form *f, lift_expr e, int depth)
{
    bool lambda = e->kind == LIFT_EXPR_LAMBDA;
    struct pat *p;

    if (e->kind == LIFT_EXPR_FREE)
        return depth == 0 ? f->data[e->u.name[2] - '0'] : NULL;
    if (lambda && e->u.lambda.body->kind == LIFT_EXPR_FREE)
        return f->function;
    p = read_new_pat(f->r, lambda ? PAT_LAMBDA : PAT_PRIM, lift_expr_child_count(e));
    p->count = e->arg_count;
    if (e->kind == LIFT_EXPR_BOUND) {
        p->kind = PAT_BOUND;
        p->index = e->u.index;
        return p;
    }
    p->names = lambda ? names_of(f, e) : NULL;
    p->op = e->op;
    for (int i = 0; !lambda && i < lift_prim_info(e->op)->attr_count; i++)
        p->attrs[i].value = e->u.prim.attrs.at[i];
    for (int i = 0; !lambda && i < lift_prim_info(e->op)->nat_count; i++)
        p->nats[i] = e->u.prim.nats[i];
    p->list = f->list && p->op == LIFT_ZIP;
    if (f->list && p->op == LIFT_GET)
        p->attrs[0].meta = RULE_PLACE;
    for (int i = 0; i < lift_expr_child_count(e); i++) {
        p->args[i] =
            pattern_of(f, lift_expr_child(e, i), depth + (lambda ? p->count : 0));
        if (!p->args[i])
            return NULL;
    }
    return p;
}

/* ---- forms */

/* Reads the function of map_n, which is inside d - 1 lambdas and does not use their
 * variables. */
static void read_form_function(struct form *f, const struct syntax_node *node,
                               struct pat_scope *scope)
{
    int before = scope->count;

    for (int i = 1; i < f->d && scope->count < RULE_MAX_BINDERS; i++)
        scope->names[scope->count++] = "";
    f->function = read_function(f->r, node, 1, scope);
    scope->count = before;
}

static void read_arguments(struct form *f, const struct syntax_node *call,
                           struct pat_scope *scope)
{
    const char *letter = f->sugar->params;
    int which = 0;

    for (int i = 1; i < call->arg_count && *letter; i++) {
        if (*letter == 'D')
            read_sizes(f, call->args[i], which++);
        else if (*letter == 'K')
            read_kind(f, call->args[i]);
        else if (*letter == 'F')
            read_form_function(f, call->args[i], scope);
        else
            read_data(f, call->args[i], scope);
        letter += *letter != '*';
    }
}

static lift_expr built(struct form *f)
{
    const struct sugar *s = f->sugar;

    if (s->build)
        return s->build(f);
    return s->plain ? s->plain(f->ir, f->d, f->xs[0])
                    : s->sized(f->ir, f->d, f->sizes[0], f->xs[0]);
}

static const struct pat *read_form(struct form *f, const struct syntax_node *call,
                                   struct pat_scope *scope)
{
    lift_expr e;

    f->ir = f->r->ir;
    read_arguments(f, call, scope);
    e = built(f);
    return e ? pattern_of(f, e, 0) : NULL;
}

const struct pat *read_sugar(struct rule_reader *r, const struct syntax_node *call,
                             struct pat_scope *scope)
{
    struct form f = {.r = r};
    const struct pat *p;
    int wanted;

    f.sugar = find_form(call->args[0], &f.d);
    wanted = (int)strlen(f.sugar->params);
    if (f.d == 0)
        syntax_error(r->p, call->args[0]->span, "'%s' is for 1 to %d dimensions",
                     f.sugar->name, LIFT_MAX_DIMS);
    if (call->arg_count - 1 != wanted && f.sugar->params[0] != '*')
        syntax_error(r->p, call->span, "'%s' of %d dimension%s expects %d argument%s",
                     f.sugar->name, f.d, f.d == 1 ? "" : "s", wanted,
                     wanted == 1 ? "" : "s");
    p = read_form(&f, call, scope);
    if (!p)
        syntax_error(r->p, call->span, "'%s' of %d dimensions cannot be used so",
                     f.sugar->name, f.d);
    return p;
}
