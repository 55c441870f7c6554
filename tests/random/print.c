#include "print.h"
#include "base/bug.h"
#include <math.h>
#include <string.h>

/* Binding strength of the context of an expression. */
enum level { LOOSE, CHOICE, OR, AND, EQUAL, ORDER, SUM, PRODUCT, UNARY, POSTFIX };

struct printer {
    const struct rp_program *p;
    struct lift_str *out;
    struct lift_str *functions; /* lambdas that are written as functions */
    int indent;
};

static void print(struct printer *w, const struct rp_expr *e, enum level level);

/* ---- lengths and types */

static void print_len(struct printer *w, struct rp_len len, enum level level)
{
    const char *name;

    if (len.size < 0 || w->p->numbers) {
        lift_str_addf(w->out, "%d", rp_len_value(w->p, len));
        return;
    }
    name = w->p->sizes[len.size].name;
    if ((len.add != 0 && level > SUM) || (len.mul != 1 && level > PRODUCT))
        lift_str_add(w->out, "(");
    if (len.mul != 1)
        lift_str_addf(w->out, "%d * ", len.mul);
    lift_str_add(w->out, name);
    if (len.add != 0)
        lift_str_addf(w->out, len.add < 0 ? " - %d" : " + %d",
                      len.add < 0 ? -len.add : len.add);
    if ((len.add != 0 && level > SUM) || (len.mul != 1 && level > PRODUCT))
        lift_str_add(w->out, ")");
}

static const char *kind_name(enum rp_kind kind)
{
    static const char *const names[] = {"f32", "f64", "i32", "bool", "f16", "bf16"};

    return names[kind];
}

static void print_type(struct printer *w, rp_type t)
{
    if (t->form == RP_SCALAR) {
        lift_str_add(w->out, kind_name(t->kind));
    } else if (t->form == RP_ARRAY) {
        lift_str_add(w->out, "[");
        print_type(w, t->elem);
        lift_str_add(w->out, "]");
        print_len(w, t->len, UNARY);
    } else {
        for (int i = 0; i < t->count; i++) {
            lift_str_add(w->out, i ? ", " : "(");
            print_type(w, t->member[i]);
        }
        lift_str_add(w->out, ")");
    }
}

/* 3, or (3, 5) where dimensions differ. */
static void print_lens(struct printer *w, const struct rp_len *len, int d)
{
    bool same = true;

    for (int i = 1; i < d; i++)
        same &= rp_len_same(len[0], len[i]);
    if (same) {
        print_len(w, len[0], LOOSE);
        return;
    }
    for (int i = 0; i < d; i++) {
        lift_str_add(w->out, i ? ", " : "(");
        print_len(w, len[i], LOOSE);
    }
    lift_str_add(w->out, ")");
}

/* ---- numbers */

static void print_number(struct printer *w, enum rp_kind kind, double value, bool open,
                         enum level level)
{
    bool paren = value < 0 && level > SUM;

    if (kind == RP_BOOL) {
        lift_str_add(w->out, value != 0 ? "true" : "false");
        return;
    }
    if (paren)
        lift_str_add(w->out, "(");
    open |= rp_is_stored(kind);
    if (kind == RP_I32)
        lift_str_addf(w->out, open ? "%d" : "%di", (int)value);
    else if (value == floor(value))
        lift_str_addf(w->out, "%.1f%s", value, open ? "" : kind == RP_F32 ? "f" : "d");
    else
        lift_str_addf(w->out, "%.9g%s", value, open ? "" : kind == RP_F32 ? "f" : "d");
    if (paren)
        lift_str_add(w->out, ")");
}

/* True if the type of an expression is evident, so that neighbouring numbers need no type
 * letter. */
static bool is_definite(const struct rp_expr *e)
{
    switch (e->op) {
    case RP_LIT:
    case RP_CONST:
    case RP_LENGTH:
        return false;
    case RP_ADD:
    case RP_SUB:
    case RP_MUL:
    case RP_DIV:
    case RP_MOD:
    case RP_MIN:
    case RP_MAX:
    case RP_POW:
        return is_definite(e->arg[0]) || is_definite(e->arg[1]);
    case RP_NEG:
    case RP_ABS:
    case RP_SQRT:
    case RP_FLOOR:
    case RP_IF:
        return is_definite(e->arg[e->count - 1]);
    default:
        return true;
    }
}

/* An operand; its number may omit the type letter next to 'other'. */
static void print_operand(struct printer *w, const struct rp_expr *e,
                          const struct rp_expr *other, unsigned style, enum level level)
{
    bool open = rp_same(e->type, other->type) && is_definite(other);

    if (e->op == RP_LIT)
        print_number(w, e->type->kind, e->value, open && style, level);
    else if (e->op == RP_CONST && open)
        lift_str_add(w->out, w->p->consts[e->k].name);
    else
        print(w, e, level);
}

/* ---- functions */

static void print_pattern(struct printer *w, int var)
{
    const struct rp_var *v = &w->p->vars[var];

    if (!v->apart) {
        lift_str_add(w->out, v->name);
        return;
    }
    for (int i = 0; i < v->type->count; i++)
        lift_str_addf(w->out, "%s%s", i ? ", " : "(", v->parts[i]);
    lift_str_add(w->out, ")");
}

/* Lets as a block, or as they are. */
static void print_block(struct printer *w, const struct rp_expr *e)
{
    lift_str_add(w->out, "{ ");
    while (e->op == RP_LET) {
        lift_str_add(w->out, "val ");
        print_pattern(w, e->param[0]);
        lift_str_add(w->out, " = ");
        print(w, e->arg[0], LOOSE);
        lift_str_add(w->out, "; ");
        e = e->arg[1];
    }
    lift_str_add(w->out, e->style & 1 ? "return " : "");
    print(w, e, LOOSE);
    lift_str_add(w->out, " }");
}

static void print_params(struct printer *w, const int *param, int count)
{
    for (int i = 0; i < count; i++) {
        if (i)
            lift_str_add(w->out, ", ");
        print_pattern(w, param[i]);
    }
}

/* The function that makes 'body' of the parameters. */
static void print_lambda(struct printer *w, const int *param, int count,
                         const struct rp_expr *body, unsigned style)
{
    bool block = body->op == RP_LET && style & 4;

    if (count == 1 && style & 1) {
        print_pattern(w, param[0]);
        lift_str_add(w->out, style & 2 ? " => " : " -> ");
    } else {
        lift_str_add(w->out, "fun(");
        print_params(w, param, count);
        lift_str_add(w->out, style & 2 ? " => " : ") => ");
    }
    if (block)
        print_block(w, body);
    else
        print(w, body, LOOSE);
    if (!(count == 1 && style & 1) && style & 2)
        lift_str_add(w->out, ")");
}

/* All variables in 'e' that are not bound in it are among these. */
static bool is_closed(const struct rp_program *p, const struct rp_expr *e,
                      const int *bound, int count)
{
    int inner[64];

    if (e->op == RP_VAR) {
        for (int i = 0; i < count; i++)
            if (bound[i] == e->k)
                return true;
        return false;
    }
    if (e->op == RP_INPUT || count + e->param_count > 64)
        return false;
    memcpy(inner, bound, sizeof *bound * (size_t)count);
    memcpy(inner + count, e->param, sizeof *e->param * (size_t)e->param_count);
    for (int i = 0; i < e->count; i++)
        if (!is_closed(p, e->arg[i], inner,
                       i >= e->count - rp_bodies(e) ? count + e->param_count : count))
            return false;
    return true;
}

/* A declaration 'fun NAME(params) = body' before the stencil. */
static void print_function(struct printer *w, const char *name, const int *param,
                           int count, const struct rp_expr *body, unsigned style)
{
    struct lift_str text = {0};
    struct printer inner = {w->p, &text, w->functions, 0};

    lift_str_addf(&text, "fun %s(", name);
    for (int i = 0; i < count; i++) {
        if (i)
            lift_str_add(&text, ", ");
        print_pattern(&inner, param[i]);
        if (style & 8) {
            lift_str_add(&text, ": ");
            print_type(&inner, w->p->vars[param[i]].type);
        }
    }
    lift_str_add(&text, ")");
    if (body->op == RP_LET && style & 4) {
        lift_str_add(&text, " ");
        print_block(&inner, body);
    } else {
        lift_str_add(&text, " = ");
        print(&inner, body, LOOSE);
    }
    lift_str_addf(w->functions, "%s\n\n", lift_str_get(&text));
    lift_str_fini(&text);
}

/* A map's function: a primitive or function that lacks its argument, a function that is
 * declared before, or a lambda. */
static void print_mapped(struct printer *w, const struct rp_expr *e)
{
    const struct rp_expr *body = e->arg[1];
    unsigned style = e->style;
    const struct rp_var *v = &w->p->vars[e->param[0]];

    if (body->op == RP_CALL && body->count == 1 && body->arg[0]->op == RP_VAR &&
        body->arg[0]->k == e->param[0] && style & 32) {
        lift_str_add(w->out, w->p->funs[body->k].name);
    } else if (style & 16 && style & 64 && !v->apart &&
               is_closed(w->p, body, e->param, 1)) {
        struct lift_str name = {0};

        lift_str_addf(&name, "%s_at", v->name);
        print_function(w, lift_str_get(&name), e->param, 1, body, style);
        lift_str_add(w->out, lift_str_get(&name));
        lift_str_fini(&name);
    } else {
        print_lambda(w, e->param, 1, body, style);
    }
}

/* ---- operators and calls */

static const struct operator
{
    const char *text;
    enum level level;
}
operators[] = {
    [RP_ADD] = {"+", SUM},     [RP_SUB] = {"-", SUM},     [RP_MUL] = {"*", PRODUCT},
    [RP_DIV] = {"/", PRODUCT}, [RP_MOD] = {"%", PRODUCT}, [RP_LT] = {"<", ORDER},
    [RP_LE] = {"<=", ORDER},   [RP_GT] = {">", ORDER},    [RP_GE] = {">=", ORDER},
    [RP_EQ] = {"==", EQUAL},   [RP_NE] = {"!=", EQUAL},   [RP_AND] = {"&&", AND},
    [RP_OR] = {"||", OR}};

static void print_operator(struct printer *w, const struct rp_expr *e, enum level level)
{
    const struct operator* op = & operators[e->op];

    if (level > op->level)
        lift_str_add(w->out, "(");
    print_operand(w, e->arg[0], e->arg[1], e->style & 1, op->level);
    lift_str_addf(w->out, " %s ", op->text);
    print_operand(w, e->arg[1], e->arg[0], e->style & 2, op->level + 1);
    if (level > op->level)
        lift_str_add(w->out, ")");
}

static void print_binary_call(struct printer *w, const struct rp_expr *e)
{
    lift_str_add(w->out, e->op == RP_MIN ? "min(" : e->op == RP_MAX ? "max(" : "pow(");
    print_operand(w, e->arg[0], e->arg[1], e->style & 1, LOOSE);
    lift_str_add(w->out, ", ");
    print_operand(w, e->arg[1], e->arg[0], e->style & 2, LOOSE);
    lift_str_add(w->out, ")");
}

static void print_prefix(struct printer *w, const struct rp_expr *e, enum level level)
{
    if (level > UNARY)
        lift_str_add(w->out, "(");
    lift_str_add(w->out, e->op == RP_NEG ? "-" : "!");
    print(w, e->arg[0], POSTFIX);
    if (level > UNARY)
        lift_str_add(w->out, ")");
}

static void print_args(struct printer *w, const struct rp_expr *e, const char *before)
{
    lift_str_add(w->out, before);
    for (int i = 0; i < e->count; i++) {
        if (i)
            lift_str_add(w->out, ", ");
        print(w, e->arg[i], LOOSE);
    }
    lift_str_add(w->out, ")");
}

static void print_if(struct printer *w, const struct rp_expr *e, enum level level)
{
    bool marks = e->style & 1;

    if (level > LOOSE)
        lift_str_add(w->out, "(");
    lift_str_add(w->out, marks ? "" : "if ");
    print(w, e->arg[0], marks ? OR : LOOSE);
    lift_str_add(w->out, marks ? " ? " : " then ");
    print(w, e->arg[1], marks ? OR : LOOSE);
    lift_str_add(w->out, marks ? " : " : " else ");
    print(w, e->arg[2], marks ? OR : LOOSE);
    if (level > LOOSE)
        lift_str_add(w->out, ")");
}

static void print_let(struct printer *w, const struct rp_expr *e, enum level level)
{
    if (level > LOOSE)
        lift_str_add(w->out, "(");
    lift_str_add(w->out, "let ");
    print_pattern(w, e->param[0]);
    lift_str_add(w->out, " = ");
    print(w, e->arg[0], LOOSE);
    lift_str_add(w->out, e->style & 1 ? " in " : "; ");
    print(w, e->arg[1], LOOSE);
    if (level > LOOSE)
        lift_str_add(w->out, ")");
}

/* ---- arrays */

static void print_name(struct printer *w, const char *name, int d)
{
    lift_str_add(w->out, name);
    if (d > 1)
        lift_str_addf(w->out, "%d", d);
}

static void next_line(struct printer *w)
{
    lift_str_addf(w->out, ",\n%*s", w->indent * 4, "");
}

static bool is_reduction_by(const struct rp_expr *e)
{
    const struct rp_expr *b = e->arg[2];

    return (b->op == RP_ADD || b->op == RP_MAX || b->op == RP_MIN) &&
           b->arg[0]->op == RP_VAR && b->arg[0]->k == e->param[0] &&
           b->arg[1]->op == RP_VAR && b->arg[1]->k == e->param[1] && e->style & 64;
}

static void print_reduce(struct printer *w, const struct rp_expr *e)
{
    lift_str_add(w->out, "reduce(");
    if (is_reduction_by(e))
        lift_str_add(w->out, e->arg[2]->op == RP_MAX   ? "max"
                             : e->arg[2]->op == RP_MIN ? "min"
                             : e->style & 1            ? "add"
                                                       : "(+)");
    else
        print_lambda(w, e->param, 2, e->arg[2], e->style);
    lift_str_add(w->out, ", ");
    print(w, e->arg[0], LOOSE);
    lift_str_add(w->out, ", ");
    print(w, e->arg[1], LOOSE);
    lift_str_add(w->out, ")");
}

static void print_map(struct printer *w, const struct rp_expr *e, enum level level)
{
    bool pipe = (e->style & 0xf00) == 0x100, nested = (e->style & 0x3000) == 0x1000;

    if (pipe && level > LOOSE)
        lift_str_add(w->out, "(");
    if (pipe) {
        print(w, e->arg[0], CHOICE);
        lift_str_add(w->out, " |> ");
    }
    for (int i = 1; nested && i < e->d; i++)
        lift_str_add(w->out, "map(");
    print_name(w, "map", nested ? 1 : e->d);
    lift_str_add(w->out, "(");
    w->indent++;
    print_mapped(w, e);
    for (int i = 1; nested && i < e->d; i++)
        lift_str_add(w->out, ")");
    if (!pipe) {
        next_line(w);
        print(w, e->arg[0], LOOSE);
    }
    w->indent--;
    lift_str_add(w->out, ")");
    if (pipe && level > LOOSE)
        lift_str_add(w->out, ")");
}

static void print_pad(struct printer *w, const struct rp_expr *e)
{
    static const char *const kinds[] = {"clamp", "mirror", "wrap"};

    print_name(w, "pad", e->d);
    lift_str_add(w->out, "(");
    print_lens(w, e->a, e->d);
    lift_str_add(w->out, ", ");
    print_lens(w, e->b, e->d);
    lift_str_add(w->out, ", ");
    if (e->op == RP_PAD) {
        lift_str_add(w->out, kinds[e->k]);
    } else if (e->op == RP_PAD_CONST) {
        lift_str_add(w->out, "constant ");
        print(w, e->arg[1], CHOICE);
    } else {
        lift_str_add(w->out, "value ");
        print_lambda(w, e->param, 2, e->arg[1], 0);
    }
    lift_str_add(w->out, ", ");
    print(w, e->arg[0], LOOSE);
    lift_str_add(w->out, ")");
}

static void print_inset(struct printer *w, const struct rp_expr *e)
{
    print_name(w, "inset", e->d);
    lift_str_add(w->out, "(");
    print_lens(w, e->a, e->d);
    lift_str_add(w->out, ", ");
    print_lens(w, e->b, e->d);
    lift_str_add(w->out, e->op == RP_INSET_FILL ? ", fill " : ", ");
    print(w, e->arg[0], e->op == RP_INSET_FILL ? CHOICE : LOOSE);
    w->indent++;
    next_line(w);
    w->indent--;
    print(w, e->arg[1], LOOSE);
    lift_str_add(w->out, ")");
}

static void print_array_of(struct printer *w, const struct rp_expr *e)
{
    print_name(w, "array", e->d);
    lift_str_add(w->out, "(");
    for (int i = 0; i < e->d; i++) {
        print_len(w, e->a[i], LOOSE);
        lift_str_add(w->out, ", ");
    }
    print_lambda(w, e->param, e->d, e->arg[0], e->style);
    lift_str_add(w->out, ")");
}

static void print_slide(struct printer *w, const struct rp_expr *e)
{
    print_name(w, "slide", e->d);
    lift_str_add(w->out, "(");
    print_lens(w, e->a, e->d);
    lift_str_add(w->out, ", ");
    print_lens(w, e->b, e->d);
    lift_str_add(w->out, ", ");
    print(w, e->arg[0], LOOSE);
    lift_str_add(w->out, ")");
}

/* Lengths, then the array. */
static void print_sized(struct printer *w, const struct rp_expr *e, const char *name)
{
    print_name(w, name, e->d);
    lift_str_add(w->out, "(");
    print_lens(w, e->a, e->d);
    print_args(w, e, ", ");
}

static void print_named(struct printer *w, const struct rp_expr *e, const char *name)
{
    print_name(w, name, e->d);
    print_args(w, e, "(");
}

static void print_reorder(struct printer *w, const struct rp_expr *e)
{
    lift_str_add(w->out, "reorder(");
    print_lambda(w, e->param, 1, e->arg[1], e->style);
    lift_str_add(w->out, ", ");
    print(w, e->arg[0], LOOSE);
    lift_str_add(w->out, ")");
}

static void print_iterate(struct printer *w, const struct rp_expr *e)
{
    lift_str_add(w->out, "iterate(");
    print_len(w, e->a[0], LOOSE);
    lift_str_add(w->out, ", ");
    w->indent++;
    print_lambda(w, e->param, 1, e->arg[1], e->style);
    next_line(w);
    print(w, e->arg[0], LOOSE);
    w->indent--;
    lift_str_add(w->out, ")");
}

static void print_regions(struct printer *w, const struct rp_expr *e)
{
    print_name(w, "regions", e->d);
    lift_str_add(w->out, "(");
    print_lens(w, e->a, e->d);
    lift_str_add(w->out, ", ");
    print_lens(w, e->b, e->d);
    w->indent++;
    for (int i = 1; i < 3; i++) {
        next_line(w);
        print_lambda(w, e->param, 1, e->arg[i], e->style | 2);
    }
    next_line(w);
    print(w, e->arg[0], LOOSE);
    w->indent--;
    lift_str_add(w->out, ")");
}

static void print_points(struct printer *w, const struct rp_expr *e)
{
    static const char *const before[] = {"(", ", (", ", ", "), "};

    lift_str_add(w->out, e->op == RP_INJECT ? "inject" : "sample");
    for (int i = 0; i < e->count; i++) {
        lift_str_add(w->out, before[i]);
        print(w, e->arg[i], LOOSE);
    }
    lift_str_add(w->out, e->op == RP_INJECT ? ")" : "))");
}

static void print_get(struct printer *w, const struct rp_expr *e)
{
    const struct rp_expr *x = e->arg[0];

    if (x->op == RP_VAR && w->p->vars[x->k].apart) {
        lift_str_add(w->out, w->p->vars[x->k].parts[e->k]);
        return;
    }
    print(w, x, POSTFIX);
    lift_str_addf(w->out, ".%d", e->k);
}

/* ---- an expression */

static bool print_leaf(struct printer *w, const struct rp_expr *e, enum level level)
{
    switch (e->op) {
    case RP_VAR:
        print_pattern(w, e->k);
        return true;
    case RP_INPUT:
        lift_str_add(w->out, w->p->inputs[e->k].name);
        return true;
    case RP_PARAM:
        lift_str_add(w->out, w->p->params[e->k].name);
        return true;
    case RP_CONST:
        lift_str_addf(w->out, "%s(%s)", kind_name(e->type->kind),
                      w->p->consts[e->k].name);
        return true;
    case RP_LIT:
        print_number(w, e->type->kind, e->value, false, level);
        return true;
    case RP_LENGTH:
        if (w->p->numbers)
            print_number(w, RP_I32, rp_len_value(w->p, e->a[0]), false, level);
        else
            print_len(w, e->a[0], level);
        return true;
    default:
        return false;
    }
}

static bool print_scalar(struct printer *w, const struct rp_expr *e, enum level level)
{
    static const char *const calls[] = {
        [RP_ABS] = "abs(", [RP_SQRT] = "sqrt(", [RP_EXP] = "exp(",    [RP_LOG] = "log(",
        [RP_SIN] = "sin(", [RP_COS] = "cos(",   [RP_FLOOR] = "floor("};

    if (e->op == RP_MIN || e->op == RP_MAX || e->op == RP_POW)
        print_binary_call(w, e);
    else if (e->op >= RP_ADD && e->op <= RP_OR)
        print_operator(w, e, level);
    else if (e->op == RP_NEG || e->op == RP_NOT)
        print_prefix(w, e, level);
    else if (e->op >= RP_ABS && e->op <= RP_FLOOR)
        print_args(w, e, calls[e->op]);
    else if (e->op == RP_CONVERT) {
        lift_str_add(w->out, kind_name(e->type->kind));
        print_args(w, e, "(");
    } else
        return false;
    return true;
}

static bool print_structure(struct printer *w, const struct rp_expr *e, enum level level)
{
    switch (e->op) {
    case RP_IF:
        print_if(w, e, level);
        return true;
    case RP_LET:
        print_let(w, e, level);
        return true;
    case RP_CALL:
        lift_str_add(w->out, w->p->funs[e->k].name);
        print_args(w, e, "(");
        return true;
    case RP_MAKE:
        print_args(w, e, "(");
        return true;
    case RP_GET:
        print_get(w, e);
        return true;
    case RP_AT:
        print(w, e->arg[0], POSTFIX);
        lift_str_add(w->out, "[");
        print_len(w, e->a[0], LOOSE);
        lift_str_add(w->out, "]");
        return true;
    default:
        return false;
    }
}

static void print_array(struct printer *w, const struct rp_expr *e, enum level level)
{
    static const char *const names[] = {
        [RP_ZIP] = "zip",       [RP_UNZIP] = "unzip",         [RP_CONCAT] = "concat",
        [RP_JOIN] = "join",     [RP_TRANSPOSE] = "transpose", [RP_UNTILE] = "untile",
        [RP_ROTATE] = "rotate", [RP_UNROTATE] = "unrotate",   [RP_TAKE] = "take",
        [RP_DROP] = "drop",     [RP_SPLIT] = "split",         [RP_TILE] = "tile"};

    switch (e->op) {
    case RP_MAP:
        print_map(w, e, level);
        break;
    case RP_REDUCE:
        print_reduce(w, e);
        break;
    case RP_PAD:
    case RP_PAD_CONST:
    case RP_PAD_FUN:
        print_pad(w, e);
        break;
    case RP_INSET:
    case RP_INSET_FILL:
        print_inset(w, e);
        break;
    case RP_ARRAY_OF:
        print_array_of(w, e);
        break;
    case RP_SLIDE:
        print_slide(w, e);
        break;
    case RP_REORDER:
        print_reorder(w, e);
        break;
    case RP_ITERATE:
        print_iterate(w, e);
        break;
    case RP_REGIONS:
        print_regions(w, e);
        break;
    case RP_INJECT:
    case RP_SAMPLE:
        print_points(w, e);
        break;
    case RP_TAKE:
    case RP_DROP:
    case RP_SPLIT:
    case RP_TILE:
        print_sized(w, e, names[e->op]);
        break;
    default:
        LIFT_ASSERT(names[e->op]);
        print_named(w, e, names[e->op]);
    }
}

static void print(struct printer *w, const struct rp_expr *e, enum level level)
{
    if (!print_leaf(w, e, level) && !print_scalar(w, e, level) &&
        !print_structure(w, e, level))
        print_array(w, e, level);
}

/* ---- a program */

static void print_scalars(struct printer *w)
{
    const struct rp_program *p = w->p;

    if (p->exact)
        lift_str_add(w->out, "exact\n\n");
    for (int i = 0; i < p->size_count && !p->numbers; i++)
        lift_str_addf(w->out, "size %s = %d\n", p->sizes[i].name, (int)p->sizes[i].value);
    for (int i = 0; i < p->param_count; i++) {
        enum rp_kind kind = p->params[i].type->kind;

        lift_str_addf(w->out, "param %s: %s = ", p->params[i].name, kind_name(kind));
        print_number(w, kind, p->params[i].value, kind != RP_I32 || p->style & 1, LOOSE);
        lift_str_add(w->out, "\n");
    }
    for (int i = 0; i < p->const_count; i++) {
        lift_str_addf(w->out, "const %s = ", p->consts[i].name);
        print_number(w, RP_F64, p->consts[i].value, true, LOOSE);
        lift_str_add(w->out, "\n");
    }
    lift_str_add(w->out, "\n");
}

static void print_stencil(struct printer *w)
{
    const struct rp_program *p = w->p;
    bool block = p->body->op == RP_LET && p->body->style & 2;

    lift_str_addf(w->out, "stencil %s(", p->name);
    for (int i = 0; i < p->input_count; i++) {
        lift_str_addf(w->out, "%s%s: ", i ? ", " : "", p->inputs[i].name);
        print_type(w, p->inputs[i].type);
    }
    lift_str_add(w->out, ")");
    for (int i = 0; i < p->output_count; i++)
        lift_str_addf(w->out, "%s%s",
                      i                     ? ", "
                      : p->output_count > 1 ? " -> ("
                                            : " -> ",
                      p->outputs[i]);
    lift_str_add(w->out, p->output_count > 1 ? ")" : "");
    lift_str_add(w->out, block ? " " : " =\n    ");
    if (block)
        print_block(w, p->body);
    else
        print(w, p->body, LOOSE);
    lift_str_add(w->out, "\n");
}

void rp_print(const struct rp_program *p, struct lift_str *out)
{
    struct lift_str functions = {0}, stencil = {0};
    struct printer top = {p, out, &functions, 1}, body = {p, &stencil, &functions, 1};

    print_scalars(&top);
    for (int i = 0; i < p->fun_count; i++)
        print_function(&top, p->funs[i].name, p->funs[i].param, p->funs[i].param_count,
                       p->funs[i].body, p->style >> i);
    print_stencil(&body);
    lift_str_add(out, lift_str_get(&functions));
    lift_str_add(out, lift_str_get(&stencil));
    rp_print_time(p, out);
    lift_str_fini(&functions);
    lift_str_fini(&stencil);
}
