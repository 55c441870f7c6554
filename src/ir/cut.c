/* Where the ends of a grid show: a walk over a term that adds up how far from an end of
 * an array its elements may hang on what lies there. Every other primitive must do the
 * same to each element, counted from the first one, however long the array is. */
#include "lift/cut.h"
#include "ir/ir_t.h"
#include "lift/memory.h"
#include "lift/nat.h"
#include "lift/reach.h"
#include <stdlib.h>
#include <string.h>

/* Elements at the ends. */
struct ends {
    int64_t before, after;
    bool known;
};

struct cut {
    struct lift_ir *ir;
    lift_nat var;       /* the size */
    struct ends *known; /* by the number of the node */
    bool ring, border;  /* of pads that repeat the grid; of any others */
    bool places;        /* an index or the size itself is a number of the program */
    lift_nat planes;    /* the size in its place */
    lift_expr first;
    struct lift_str *why; /* not empty: it cannot be cut */
};

/* ---- lengths */

struct search {
    lift_nat var;
    bool found;
};

static void look(void *user, lift_nat var, const char *name, enum lift_var_kind kind,
                 int64_t lo, int64_t hi)
{
    struct search *s = user;

    (void)name, (void)kind, (void)lo, (void)hi;
    s->found |= var == s->var;
}

static bool mentions(const struct cut *c, lift_nat n)
{
    struct search s = {c->var, false};

    lift_nat_each_var(n, look, &s);
    return s.found;
}

static bool along(const struct cut *c, lift_type t)
{
    return t->kind == LIFT_TYPE_ARRAY && mentions(c, t->len);
}

static bool anywhere(const struct cut *c, lift_type t)
{
    if (t->kind == LIFT_TYPE_ARRAY)
        return mentions(c, t->len) || anywhere(c, t->elem);
    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        if (anywhere(c, t->parts[i]))
            return true;
    return false;
}

/* ---- ends */

static void refuse(struct cut *c, lift_expr e)
{
    if (!c->why->len)
        lift_str_addf(c->why,
                      "'%s' is along the planes, and has elements that hang on how many "
                      "there are",
                      lift_prim_info(e->op)->name);
}

static void add_sides(struct cut *c, lift_expr e, lift_nat l, lift_nat r, struct ends *at)
{
    int64_t before, after;

    if (!lift_nat_is_const(l, &before) || !lift_nat_is_const(r, &after)) {
        refuse(c, e);
        return;
    }
    at->before += before;
    at->after += after;
}

static void of_pad(struct cut *c, lift_expr e, struct ends *at)
{
    lift_expr xs = lift_expr_arg(e, e->arg_count - 1);

    if (!along(c, xs->type))
        return;
    if (e->op == LIFT_PAD_VALUE &&
        lift_expr_uses_bound(lift_expr_arg(e, 0)->u.lambda.body, 0, 2))
        refuse(c, e);
    if (e->op == LIFT_PAD && e->u.prim.attrs[0] == LIFT_PAD_WRAP)
        c->ring = true;
    else if (e->op != LIFT_PAD || e->u.prim.attrs[0] != LIFT_PAD_ANY)
        c->border = true;
    add_sides(c, e, e->u.prim.nats[0], e->u.prim.nats[1], at);
}

static void of_inset(struct cut *c, lift_expr e, struct ends *at)
{
    if (!along(c, e->type))
        return;
    c->border = true;
    add_sides(c, e, e->u.prim.nats[0], e->u.prim.nats[1], at);
}

/* One argument has the planes; what is before and behind it is short. */
static void of_concat(struct cut *c, lift_expr e, struct ends *at)
{
    int64_t sides[2] = {0, 0}, n;
    bool behind = false;

    if (!along(c, e->type))
        return;
    for (int i = 0; i < e->arg_count; i++) {
        bool planes = along(c, lift_expr_arg(e, i)->type);

        if ((planes && behind) ||
            (!planes && !lift_nat_is_const(lift_expr_arg(e, i)->type->len, &n))) {
            refuse(c, e);
            return;
        }
        behind |= planes;
        sides[behind] += planes ? 0 : n;
    }
    c->border = true;
    at->before += sides[0];
    at->after += sides[1];
}

/* So many at one end are left out: the same ones, however many planes there are. */
static void of_part(struct cut *c, lift_expr e)
{
    lift_type xs = lift_expr_arg(e, 0)->type;
    lift_nat n = e->u.prim.nats[0];

    if (xs->kind == LIFT_TYPE_ARRAY && along(c, xs) &&
        !lift_nat_is_const(e->op == LIFT_TAKE ? lift_nat_sub(xs->len, n) : n, NULL))
        refuse(c, e);
}

static void of_slide(struct cut *c, lift_expr e)
{
    if (along(c, lift_expr_arg(e, 0)->type) &&
        (!lift_nat_is_const(e->u.prim.nats[0], NULL) ||
         !lift_nat_is(e->u.prim.nats[1], 1)))
        refuse(c, e);
}

/* Windows and members of tuples may be short, whatever the planes are. */
static void of_others(struct cut *c, lift_expr e)
{
    bool bad = e->op != LIFT_AT && along(c, e->type);

    for (int i = 0; i < e->arg_count; i++)
        bad |= lift_expr_arg(e, i)->kind != LIFT_EXPR_LAMBDA &&
               along(c, lift_expr_arg(e, i)->type);
    if (bad || (e->op != LIFT_REDUCE && e->op != LIFT_AT && e->op != LIFT_SPLIT &&
                e->op != LIFT_REORDER && anywhere(c, e->type)))
        refuse(c, e);
}

static void of_prim(struct cut *c, lift_expr e, struct ends *at)
{
    if (lift_prim_info(e->op)->level == LIFT_LEVEL_SCALAR) {
        c->places |= e->op == LIFT_NAT && mentions(c, e->u.prim.nats[0]);
        return;
    }
    switch (e->op) {
    case LIFT_MAP:
    case LIFT_LET:
    case LIFT_ZIP:
    case LIFT_UNZIP:
    case LIFT_TUPLE:
    case LIFT_GET:
    case LIFT_TRANSPOSE:
        return;
    case LIFT_ARRAY:
        c->places |= along(c, e->type) &&
                     lift_expr_uses_bound(lift_expr_arg(e, 0)->u.lambda.body, 0, 1);
        return;
    case LIFT_PAD:
    case LIFT_PAD_VALUE:
        of_pad(c, e, at);
        return;
    case LIFT_INSET:
        of_inset(c, e, at);
        return;
    case LIFT_CONCAT:
        of_concat(c, e, at);
        return;
    case LIFT_TAKE:
    case LIFT_DROP:
        of_part(c, e);
        return;
    case LIFT_SLIDE:
        of_slide(c, e);
        return;
    default:
        of_others(c, e);
    }
}

/* What functions do comes on top of what is done to their arguments. */
static struct ends find_ends(struct cut *c, lift_expr e)
{
    struct ends at = {0, 0, true}, sum = {0, 0, true};

    if (c->known[e->id].known)
        return c->known[e->id];
    for (int i = 0; i < lift_expr_child_count(e); i++) {
        lift_expr child = lift_expr_child(e, i);
        struct ends x = find_ends(c, child);
        bool fun = child->kind == LIFT_EXPR_LAMBDA;

        sum.before += fun ? x.before : 0;
        sum.after += fun ? x.after : 0;
        at.before = fun || at.before > x.before ? at.before : x.before;
        at.after = fun || at.after > x.after ? at.after : x.after;
    }
    at.before += sum.before;
    at.after += sum.after;
    if (e->kind == LIFT_EXPR_PRIM)
        of_prim(c, e, &at);
    return c->known[e->id] = at;
}

/* ---- places in the whole grid */

static lift_nat whole_size(void *user, lift_nat var)
{
    const struct cut *c = user;

    return var == c->var ? c->planes : NULL;
}

static lift_expr number(struct cut *c, lift_nat n)
{
    struct lift_prim_args args = {.nats = {n}};

    return lift_expr_prim(c->ir, LIFT_NAT, &args, NULL);
}

/* The function of an index of the part as one of an index of the whole. */
static lift_expr shift_index(struct cut *c, lift_expr fun)
{
    lift_type i32 = lift_type_scalar(c->ir, LIFT_I32);
    lift_expr x = lift_fresh(c->ir, "plane", i32);
    lift_expr at = lift_call2(c->ir, LIFT_ADD, x, c->first);

    if (c->ring)
        at = lift_call2(c->ir, LIFT_MOD, at, number(c, c->planes));
    return lift_fun(c->ir, lift_expr_apply(c->ir, fun, &at), x);
}

static lift_expr shift(struct cut *c, lift_expr e, lift_expr *memo)
{
    lift_expr children[LIFT_MAX_ARGS], *known = &memo[e->id];
    int n = lift_expr_child_count(e);

    if (*known)
        return *known;
    if (lift_expr_is(e, LIFT_NAT))
        return *known = number(c, lift_nat_subst(lift_ir_nats(c->ir), e->u.prim.nats[0],
                                                 whole_size, c));
    if (n == 0)
        return *known = e;
    for (int i = 0; i < n; i++)
        children[i] = shift(c, lift_expr_child(e, i), memo);
    if (lift_expr_is(e, LIFT_ARRAY) && along(c, e->type) &&
        lift_expr_uses_bound(lift_expr_arg(e, 0)->u.lambda.body, 0, 1))
        children[0] = shift_index(c, children[0]);
    return *known = lift_expr_rebuild(c->ir, e, children, NULL);
}

static bool is_name(const struct lift_program *p, const char *name)
{
    bool found = false;

    for (int i = 0; i < p->size_count; i++)
        found |= !strcmp(p->sizes[i].name, name);
    for (int i = 0; i < p->param_count; i++)
        found |= !strcmp(p->params[i].name, name);
    for (int i = 0; i < p->input_count; i++)
        found |= !strcmp(p->inputs[i].name, name);
    for (int i = 0; i < p->output_count; i++)
        found |= !strcmp(p->outputs[i].name, name);
    return found || !strcmp(p->name, name);
}

static const char *new_name(struct lift_ir *ir, const struct lift_program *p,
                            const char *name)
{
    while (is_name(p, name))
        name = lift_arena_printf(ir->arena, "%s_", name);
    return name;
}

static void add_names(struct cut *c, struct lift_program *p, int64_t planes,
                      struct lift_cut *out)
{
    out->first = new_name(c->ir, p, "firstPlane");
    out->planes = new_name(c->ir, p, "allPlanes");
    c->planes =
        lift_nat_var(lift_ir_nats(c->ir), out->planes, LIFT_VAR_SIZE, 1, LIFT_NAT_MAX);
    c->first = lift_expr_free(c->ir, out->first, lift_type_scalar(c->ir, LIFT_I32));
    p->sizes[p->size_count++] = (struct lift_program_size){
        out->planes, planes, planes, 1, LIFT_NAT_MAX, c->planes};
    p->params[p->param_count++] =
        (struct lift_program_param){out->first, LIFT_I32, 0, c->first};
}

static bool make_part(struct cut *c, const struct lift_program *program, int64_t planes,
                      struct lift_cut *out)
{
    struct lift_program *p;
    lift_expr *memo;

    out->part = program;
    if (!c->places)
        return true;
    if (program->size_count == LIFT_MAX_SIZES ||
        program->param_count == LIFT_MAX_SCALARS) {
        lift_str_add(c->why, "it has no room for a size and a parameter more");
        return false;
    }
    p = lift_arena_copy(c->ir->arena, program, sizeof *program);
    add_names(c, p, planes, out);
    memo = lift_alloc(lift_ir_expr_count(c->ir), sizeof *memo);
    p->body = shift(c, program->body, memo);
    free(memo);
    out->part = p;
    return true;
}

/* ---- a program */

/* A grid has the planes outermost, and nothing else has them. */
static bool check_grid(struct cut *c, lift_type t, const char *name)
{
    if (t->kind == LIFT_TYPE_ARRAY && t->len == c->var && !anywhere(c, t->elem))
        return true;
    lift_str_addf(c->why,
                  "'%s' is not a grid whose outermost length, and no other, is the size "
                  "'%s': ",
                  name, lift_nat_is_var(c->var, NULL));
    lift_type_print(t, c->why);
    return false;
}

static bool check_grids(struct cut *c, const struct lift_program *p, struct lift_cut *out)
{
    for (int i = 0; i < p->input_count; i++) {
        out->cut[i] = anywhere(c, p->inputs[i].type);
        if (out->cut[i] && !check_grid(c, p->inputs[i].type, p->inputs[i].name))
            return false;
    }
    for (int i = 0; i < p->output_count; i++)
        if (!check_grid(c, p->outputs[i].type, p->outputs[i].name))
            return false;
    return true;
}

static bool find_size(struct cut *c, const struct lift_program *p)
{
    lift_type t = p->outputs[0].type;
    enum lift_var_kind kind;

    if (t->kind == LIFT_TYPE_ARRAY && lift_nat_is_var(t->len, &kind) &&
        kind == LIFT_VAR_SIZE) {
        c->var = t->len;
        return true;
    }
    lift_str_addf(c->why, "the outermost length of '%s' is no size of the program: ",
                  p->outputs[0].name);
    lift_type_print(t, c->why);
    return false;
}

/* What one output reads. */
static void add_reads(const struct lift_program *p, lift_expr output,
                      struct lift_cut *out)
{
    struct lift_reach reach[LIFT_MAX_ARGS];

    for (int i = 0; i < p->input_count; i++)
        reach[i].array = p->inputs[i].var;
    lift_reach_find(output, 1, reach, p->input_count);
    for (int i = 0; i < p->input_count; i++) {
        const struct lift_reach *r = &reach[i];

        out->known[i] &= r->known;
        if (r->read && -r->lo[0] > out->read_before[i])
            out->read_before[i] = -r->lo[0];
        if (r->read && r->hi[0] > out->read_after[i])
            out->read_after[i] = r->hi[0];
    }
}

static void find_reads(struct cut *c, const struct lift_program *p, struct lift_cut *out)
{
    for (int i = 0; i < p->input_count; i++)
        out->known[i] = true;
    for (int o = 0; o < p->output_count; o++)
        add_reads(p, p->output_count > 1 ? lift_get(c->ir, o, p->body) : p->body, out);
}

bool lift_cut_find(struct lift_ir *ir, const struct lift_program *program, int64_t planes,
                   struct lift_cut *out, struct lift_str *why)
{
    struct cut c = {.ir = ir, .why = why};
    struct ends at;

    *out = (struct lift_cut){.size = NULL};
    if (!find_size(&c, program) || !check_grids(&c, program, out))
        return false;
    c.known = lift_alloc(lift_ir_expr_count(ir), sizeof *c.known);
    at = find_ends(&c, program->body);
    free(c.known);
    if (!why->len && c.ring && c.border)
        lift_str_add(why, "along the planes, it is periodic and has a border, too");
    if (why->len || !make_part(&c, program, planes, out))
        return false;
    out->size = lift_nat_is_var(c.var, NULL);
    out->before = at.before;
    out->after = at.after;
    out->ring = c.ring;
    find_reads(&c, program, out);
    return true;
}
