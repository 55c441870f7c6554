/* Prints terms; the parser reads the text back to the same node. A short term is printed
 * on one line. Otherwise, each argument has a separate line. */
#include "ir/text/print_t.h"
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 96, LEAST_STAGES = 3 };

/* ---- functions */

static bool is_bound(lift_expr e, int index)
{
    return e->kind == LIFT_EXPR_BOUND && e->u.index == index;
}

/* True for functions that have a short name: 'add' for fun(a, b => a + b), 'transpose'
 * for fun(x => transpose(x)). */
static bool is_named_function(lift_expr f)
{
    lift_expr body = f->u.lambda.body;
    const struct lift_prim_info *info;

    if (body->kind != LIFT_EXPR_PRIM || body->arg_count != f->arg_count)
        return false;
    info = lift_prim_info(body->op);
    if (info->params[strspn(info->params, "E")] != '\0')
        return false;
    for (int i = 0; i < body->arg_count; i++)
        if (!is_bound(body->u.prim.args[i], f->arg_count - 1 - i))
            return false;
    return true;
}

/* True for functions printed as a partial call: 'slide(3, 1)' for fun(x => slide(3, 1,
 * x)). */
static bool is_partial(lift_expr f)
{
    lift_expr body = f->u.lambda.body;
    const struct lift_prim_info *info;

    if (f->arg_count != 1 || body->kind != LIFT_EXPR_PRIM || body->arg_count < 1 ||
        !is_bound(body->u.prim.args[body->arg_count - 1], 0))
        return false;
    info = lift_prim_info(body->op);
    if (info->level == LIFT_LEVEL_SCALAR || strlen(info->params) < 2 ||
        info->params[strlen(info->params) - 1] != 'E' || body->op == LIFT_GET ||
        body->op == LIFT_AT)
        return false;
    for (int i = 0; i < body->arg_count - 1; i++)
        if (lift_expr_uses_bound(body->u.prim.args[i], 0, 1))
            return false;
    return true;
}

/* Names a parameter by its type, so that terms equal up to parameter names print alike.
 */
static const char *name_by_type(lift_type t)
{
    static const char *const arrays[] = {"row", "plane", "grid"};
    size_t dims = 0;

    if (t->kind != LIFT_TYPE_ARRAY)
        return t->kind == LIFT_TYPE_TUPLE ? "t" : "x";
    while (t->elem->kind == LIFT_TYPE_ARRAY &&
           dims < sizeof arrays / sizeof *arrays - 1) {
        t = t->elem;
        dims++;
    }
    return arrays[dims];
}

static const char *name_param(struct printer *p, lift_expr f, int i)
{
    return print_new_name(p, p->alike ? name_by_type(f->type->parts[i])
                                      : f->u.lambda.names[i]);
}

static void print_params(struct printer *p, lift_expr f, bool typed)
{
    for (int i = 0; i < f->arg_count; i++) {
        const char *name = name_param(p, f, i);

        print_push_name(p, name);
        lift_str_addf(p->out, "%s%s", i ? ", " : "", name);
        if (typed) {
            lift_str_add(p->out, ": ");
            lift_type_print(f->type->parts[i], p->out);
        }
    }
}

static void print_lambda(struct printer *p, lift_expr f, bool typed, int indent)
{
    int count = p->count;

    if (!typed && is_named_function(f)) {
        print_own(p, lift_prim_info(f->u.lambda.body->op)->name);
        return;
    }
    if (!typed && is_partial(f)) {
        print_push_name(p, "");
        print_call(p, f->u.lambda.body, true, indent);
        p->count = count;
        return;
    }
    lift_str_add(p->out, "fun(");
    print_params(p, f, typed);
    lift_str_add(p->out, " =>");
    if (p->flat)
        lift_str_addc(p->out, ' ');
    else
        print_newline(p, indent + PRINT_STEP);
    print_expr(p, f->u.lambda.body, LOOSE, indent + PRINT_STEP);
    lift_str_addc(p->out, ')');
    p->count = count;
}

static void print_let(struct printer *p, lift_expr e, int indent)
{
    lift_expr f = e->u.prim.args[1];
    int count = p->count;
    const char *name = name_param(p, f, 0);
    bool nested = lift_expr_is(e->u.prim.args[0], LIFT_LET);

    lift_str_addf(p->out, "let %s = ", name);
    print_expr(p, e->u.prim.args[0], nested ? TIGHT : LOOSE, indent + PRINT_STEP);
    lift_str_addc(p->out, ';');
    if (p->flat)
        lift_str_addc(p->out, ' ');
    else
        print_newline(p, indent);
    print_push_name(p, name);
    print_expr(p, f->u.lambda.body, LOOSE, indent);
    p->count = count;
}

static void print_select(struct printer *p, lift_expr e, int indent)
{
    static const char *const words[] = {"if ", "then ", "else "};

    for (int i = 0; i < 3; i++) {
        if (i && p->flat)
            lift_str_addc(p->out, ' ');
        else if (i)
            print_newline(p, indent);
        lift_str_add(p->out, words[i]);
        print_expr(p, e->u.prim.args[i], LOOSE, indent + PRINT_STEP);
    }
}

static void print_tuple(struct printer *p, lift_expr e, int indent)
{
    lift_str_addc(p->out, '(');
    for (int i = 0; i < e->arg_count; i++) {
        if (i)
            lift_str_add(p->out, p->flat ? ", " : ",");
        if (!p->flat)
            print_newline(p, indent + PRINT_STEP);
        print_expr(p, e->u.prim.args[i], LOOSE, indent + PRINT_STEP);
    }
    lift_str_addc(p->out, ')');
}

static const struct infix {
    enum lift_op op;
    int strength;
    const char *text;
} infixes[] = {
    {LIFT_OR, OR, "||"},      {LIFT_AND, AND, "&&"},    {LIFT_EQ, EQUAL, "=="},
    {LIFT_NE, EQUAL, "!="},   {LIFT_LT, COMPARE, "<"},  {LIFT_LE, COMPARE, "<="},
    {LIFT_ADD, SUM, "+"},     {LIFT_SUB, SUM, "-"},     {LIFT_MUL, PRODUCT, "*"},
    {LIFT_DIV, PRODUCT, "/"}, {LIFT_MOD, PRODUCT, "%"},
};

static const struct infix *find_infix(enum lift_op op)
{
    for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
        if (infixes[i].op == op)
            return &infixes[i];
    return NULL;
}

bool lift_expr_is_chained(lift_expr e)
{
    const struct infix *own = e->kind == LIFT_EXPR_PRIM ? find_infix(e->op) : NULL, *left;
    lift_expr a = own ? e->u.prim.args[0] : NULL;

    left = a && a->kind == LIFT_EXPR_PRIM ? find_infix(a->op) : NULL;
    return left && left->strength >= own->strength;
}

static void print_infix(struct printer *p, lift_expr e, const struct infix *op,
                        int indent)
{
    print_expr(p, e->u.prim.args[0], op->strength, indent);
    lift_str_addf(p->out, " %s", op->text);
    if (p->flat)
        lift_str_addc(p->out, ' ');
    else
        print_newline(p, indent);
    print_expr(p, e->u.prim.args[1], op->strength + 1, indent);
}

static void print_postfix(struct printer *p, lift_expr e, int indent)
{
    print_expr(p, e->u.prim.args[0], TIGHT, indent);
    if (e->op == LIFT_GET) {
        lift_str_addf(p->out, ".%d", e->u.prim.attrs.get.k);
        return;
    }
    lift_str_addc(p->out, '[');
    lift_nat_print(e->u.prim.nats[0], 0, p->out);
    lift_str_addc(p->out, ']');
}

/* True for prefix operators. '-2' is a literal; the negative of 2 is neg(2). */
static bool is_prefix(lift_expr e)
{
    return e->op == LIFT_NOT ||
           (e->op == LIFT_NEG && e->u.prim.args[0]->kind != LIFT_EXPR_LIT);
}

static int strength_of(lift_expr e)
{
    const struct infix *infix;

    if (e->kind != LIFT_EXPR_PRIM)
        return e->kind == LIFT_EXPR_LIT ? UNARY : TIGHT;
    infix = find_infix(e->op);
    if (infix)
        return infix->strength;
    if (e->op == LIFT_LET || e->op == LIFT_SELECT)
        return LOOSE;
    return is_prefix(e) ? UNARY : TIGHT;
}

/* ---- pipes */

static size_t line_start(const struct lift_str *out)
{
    size_t at = out->len;

    while (at && out->data[at - 1] != '\n')
        at--;
    return at;
}

/* True for a call with one data argument, which is the last: 'x |> slide(3, 1)'. */
static bool is_stage(lift_expr e)
{
    const struct lift_prim_info *info;
    const char *params;

    if (e->kind != LIFT_EXPR_PRIM || find_infix(e->op) || is_prefix(e))
        return false;
    info = lift_prim_info(e->op);
    params = info->params;
    return info->level != LIFT_LEVEL_SCALAR && e->op != LIFT_LET &&
           e->op != LIFT_SELECT && e->op != LIFT_TUPLE && e->op != LIFT_GET &&
           e->op != LIFT_AT && !strchr(params, '*') &&
           strcspn(params, "E") + 1 == strlen(params);
}

static lift_expr data_of(lift_expr stage)
{
    return stage->u.prim.args[stage->arg_count - 1];
}

/* True for calls nested so deeply that a pipe is easier to read. */
static bool is_pipe(lift_expr e)
{
    int stages = 0;

    for (; is_stage(e) && stages < LEAST_STAGES; e = data_of(e))
        stages++;
    return stages == LEAST_STAGES;
}

static void print_stage(struct printer *p, lift_expr e, int indent)
{
    size_t before = p->out->len;
    const char *params = lift_prim_info(e->op)->params;

    lift_str_add(p->out, "|> ");
    if (params[0] == 'E') {
        print_own(p, lift_prim_info(e->op)->name);
        print_options(p, e, lift_prim_info(e->op));
        return;
    }
    p->flat = true;
    p->limit = line_start(p->out) + WIDTH;
    print_call(p, e, true, 0);
    p->flat = false;
    if (p->out->len > p->limit) {
        p->limit = 0;
        p->out->len = before + strlen("|> ");
        p->out->data[p->out->len] = '\0';
        print_call(p, e, true, indent);
    }
    p->limit = 0;
}

/* Prints the innermost data first, then each operation on a separate line. */
static void print_pipe(struct printer *p, lift_expr e, int indent)
{
    if (!is_stage(e)) {
        print_expr(p, e, LOOSE + 1, indent);
        return;
    }
    print_pipe(p, data_of(e), indent);
    print_newline(p, indent);
    print_stage(p, e, indent);
}

static void print_prim(struct printer *p, lift_expr e, int least, int indent)
{
    const struct infix *infix = find_infix(e->op);

    if (infix) {
        print_infix(p, e, infix, indent);
    } else if (is_prefix(e)) {
        lift_str_addc(p->out, e->op == LIFT_NOT ? '!' : '-');
        print_expr(p, e->u.prim.args[0], UNARY, indent);
    } else if (e->op == LIFT_GET || e->op == LIFT_AT) {
        print_postfix(p, e, indent);
    } else if (e->op == LIFT_LET) {
        print_let(p, e, indent);
    } else if (e->op == LIFT_SELECT) {
        print_select(p, e, indent);
    } else if (e->op == LIFT_TUPLE && e->arg_count > 1) {
        print_tuple(p, e, indent);
    } else if (!p->flat && least == LOOSE && is_pipe(e)) {
        print_pipe(p, e, indent);
    } else {
        print_call(p, e, false, indent);
    }
}

static void print_node(struct printer *p, lift_expr e, int least, int indent)
{
    switch (e->kind) {
    case LIFT_EXPR_BOUND:
        print_bound(p, e->u.index);
        break;
    case LIFT_EXPR_FREE:
        lift_str_add(p->out, e->u.name);
        break;
    case LIFT_EXPR_LIT:
        print_literal(p, e);
        break;
    case LIFT_EXPR_LAMBDA:
        print_lambda(p, e, false, indent);
        break;
    case LIFT_EXPR_PRIM:
        print_prim(p, e, least, indent);
        break;
    }
}

/* Prints on one line, or removes the printed text if the line is too long. */
static bool print_on_line(struct printer *p, lift_expr e)
{
    size_t before = p->out->len;
    size_t limit = line_start(p->out) + WIDTH;

    if (e->size > WIDTH)
        return false;
    p->flat = true;
    p->limit = limit;
    print_node(p, e, LOOSE, 0);
    p->flat = false;
    p->limit = 0;
    if (p->out->len <= limit)
        return true;
    p->out->len = before;
    if (p->out->data)
        p->out->data[before] = '\0';
    return false;
}

void print_expr(struct printer *p, lift_expr e, int least, int indent)
{
    bool open = strength_of(e) < least;

    if (print_is_over(p))
        return;
    if (open)
        lift_str_addc(p->out, '(');
    if (p->flat || !print_on_line(p, e))
        print_node(p, e, open ? LOOSE : least, indent);
    if (open)
        lift_str_addc(p->out, ')');
}

static void print_root(struct printer p, lift_expr e, int indent)
{
    p.arena = lift_arena_create();
    print_vars_collect(e, &p.vars);
    if (e->kind == LIFT_EXPR_LAMBDA)
        print_lambda(&p, e, true, indent);
    else
        print_expr(&p, e, LOOSE, indent);
    print_vars_fini(&p.vars);
    free(p.names);
    lift_arena_destroy(p.arena);
}

void lift_expr_print(lift_expr e, struct lift_str *out)
{
    print_root((struct printer){.out = out, .flat = true}, e, 0);
}

void lift_expr_print_indented(lift_expr e, int indent, struct lift_str *out)
{
    print_root((struct printer){.out = out}, e, indent);
}

void print_in_program(lift_expr e, int indent, const char *const *scope, int scope_count,
                      struct lift_str *out)
{
    print_root((struct printer){.out = out, .scope = scope, .scope_count = scope_count},
               e, indent);
}

void lift_expr_print_alike(lift_expr e, struct lift_str *out)
{
    print_root((struct printer){.out = out, .alike = true}, e, 0);
}
