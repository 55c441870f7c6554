/* Text of terms: what the parser reads back to the same node. A term is printed on one
 * line as long as that fits; otherwise its arguments stand on lines of their own. */
#include "ir/text/elab_t.h"
#include "ir/text/print_t.h"
#include "lift/bug.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 96, STEP = 4, LEAST_STAGES = 3 };

/* Binding strength, as in the grammar. */
enum { LOOSE = 0, OR = 4, AND, EQUAL, COMPARE, SUM, PRODUCT, UNARY, TIGHT };

struct printer {
    struct lift_str *out;
    struct print_vars vars;   /* names that parameters must not take */
    const char *const *scope; /* names of the program around, which it may not use */
    int scope_count;
    const char **names; /* of the parameters in scope, outermost first */
    int count, cap;
    struct lift_arena *arena;
    bool flat;    /* all on one line */
    bool alike;   /* equal terms by equal names */
    size_t limit; /* of a trial on one line; 0: none */
};

static void print(struct printer *p, lift_expr e, int least, int indent);

/* Names. */

/* True for names of sizes, tunables and free variables. */
static bool is_declared(const struct printer *p, const char *name)
{
    for (int i = 0; i < p->vars.nat_count; i++)
        if (strcmp(p->vars.nats[i].name, name) == 0)
            return true;
    for (int i = 0; i < p->vars.free_count; i++)
        if (strcmp(p->vars.frees[i]->u.name, name) == 0)
            return true;
    for (int i = 0; i < p->scope_count; i++)
        if (strcmp(p->scope[i], name) == 0)
            return true;
    return false;
}

static bool is_taken(const struct printer *p, const char *name)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->names[i], name) == 0)
            return true;
    return is_declared(p, name);
}

/* A name of the language, with '@' before it where the program has it as well. */
static void print_own(struct printer *p, const char *name)
{
    if (is_declared(p, name))
        lift_str_addc(p->out, '@');
    lift_str_add(p->out, name);
}

static bool is_word(const char *name)
{
    enum lift_scalar scalar;

    return syntax_is_keyword(name) || elab_is_primitive(name) ||
           elab_scalar_word(name, &scalar) || strcmp(name, "inf") == 0 ||
           strcmp(name, "nan") == 0 || strcmp(name, "pi") == 0;
}

static bool is_name(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    while (isalnum((unsigned char)*name) || *name == '_')
        name++;
    return *name == '\0';
}

/* The hint, with the least number after it that makes it new. */
static const char *new_name(struct printer *p, const char *hint)
{
    const char *name = is_name(hint) && !is_word(hint) ? hint : "x";
    const char *base = name;

    for (int i = 1; is_taken(p, name); i++)
        name = lift_arena_printf(p->arena, "%s_%d", base, i);
    return name;
}

static void push_name(struct printer *p, const char *name)
{
    if (p->count == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 16;
        p->names = realloc(p->names, (size_t)p->cap * sizeof *p->names);
        if (!p->names)
            LIFT_BUG("out of memory");
    }
    p->names[p->count++] = name;
}

/* Pieces. */

static bool is_over(const struct printer *p)
{
    return p->limit && p->out->len > p->limit;
}

static void newline(struct printer *p, int indent)
{
    lift_str_addf(p->out, "\n%*s", indent, "");
}

/* What is no number, by names of the language. */
static void print_nonfinite(struct printer *p, double number, char suffix)
{
    print_own(p, suffix == 'f' ? "f32" : "f64");
    lift_str_add(p->out, number < 0 ? "(-" : "(");
    print_own(p, isnan(number) ? "nan" : "inf");
    lift_str_addc(p->out, ')');
}

static void print_float(struct printer *p, double number, int digits, char suffix)
{
    struct lift_str *out = p->out;
    char text[40];

    if (!isfinite(number)) {
        print_nonfinite(p, number, suffix);
        return;
    }
    for (int n = 1; n <= digits; n++) {
        double back;

        snprintf(text, sizeof text, "%.*g", n, number);
        back = suffix == 'f' ? (double)strtof(text, NULL) : strtod(text, NULL);
        if (back == number)
            break;
    }
    lift_str_add(out, text);
    if (!strpbrk(text, ".e"))
        lift_str_add(out, ".0");
    lift_str_addc(out, suffix);
}

static void print_scalar(struct printer *p, enum lift_scalar scalar, double number)
{
    if (scalar == LIFT_F32)
        print_float(p, number, 9, 'f');
    else if (scalar == LIFT_F64)
        print_float(p, number, 17, 'd');
    else
        lift_str_addf(p->out, "%" PRId64, (int64_t)number);
}

void print_number(enum lift_scalar scalar, double number, const char *const *scope,
                  int scope_count, struct lift_str *out)
{
    print_scalar(
        &(struct printer){.out = out, .scope = scope, .scope_count = scope_count}, scalar,
        number);
}

static void print_literal(struct printer *p, lift_expr e)
{
    if (e->type->scalar == LIFT_BOOL)
        lift_str_add(p->out, e->u.integer ? "true" : "false");
    else if (e->type->scalar == LIFT_I32)
        lift_str_addf(p->out, "%" PRId64, e->u.integer);
    else
        print_scalar(p, e->type->scalar, e->u.number);
}

static void print_bound(struct printer *p, int index)
{
    if (index < p->count)
        lift_str_add(p->out, p->names[p->count - 1 - index]);
    else
        lift_str_addf(p->out, "#%d", index - p->count);
}

static void print_text(const char *text, struct lift_str *out)
{
    lift_str_addc(out, '"');
    for (; *text; text++) {
        if (*text == '\n' || *text == '\t') {
            lift_str_add(out, *text == '\n' ? "\\n" : "\\t");
            continue;
        }
        if (*text == '"' || *text == '\\')
            lift_str_addc(out, '\\');
        lift_str_addc(out, *text);
    }
    lift_str_addc(out, '"');
}

/* Functions. */

static bool is_bound(lift_expr e, int index)
{
    return e->kind == LIFT_EXPR_BOUND && e->u.index == index;
}

/* 'add' for fun(a, b => a + b), 'transpose' for fun(x => transpose(x)). */
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

/* 'slide(3, 1)' for fun(x => slide(3, 1, x)). */
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

static void print_call(struct printer *p, lift_expr e, bool partial, int indent);

/* Terms are equal whatever their parameters are called; types are the same in all. */
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
    return new_name(p, p->alike ? name_by_type(f->type->parts[i]) : f->u.lambda.names[i]);
}

static void print_params(struct printer *p, lift_expr f, bool typed)
{
    for (int i = 0; i < f->arg_count; i++) {
        const char *name = name_param(p, f, i);

        push_name(p, name);
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
        push_name(p, "");
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
        newline(p, indent + STEP);
    print(p, f->u.lambda.body, LOOSE, indent + STEP);
    lift_str_addc(p->out, ')');
    p->count = count;
}

/* Primitives. */

static void print_options(struct printer *p, lift_expr e,
                          const struct lift_prim_info *info)
{
    bool open = false;

    for (int i = 0; i < info->attr_count; i++) {
        const struct lift_attr_info *a = &info->attrs[i];

        if (!a->option || !e->u.prim.attrs[i])
            continue;
        lift_str_addf(p->out, "%s%s=", open ? ", " : "[", a->name);
        if (a->words)
            lift_str_add(p->out, a->words[e->u.prim.attrs[i]]);
        else
            lift_str_addf(p->out, "%d", e->u.prim.attrs[i]);
        open = true;
    }
    if (open)
        lift_str_addc(p->out, ']');
}

static void print_attr(struct printer *p, lift_expr e, const struct lift_prim_info *info,
                       int i)
{
    if (info->attrs[i].words)
        lift_str_add(p->out, info->attrs[i].words[e->u.prim.attrs[i]]);
    else
        lift_str_addf(p->out, "%d", e->u.prim.attrs[i]);
}

/* An integer that the parser would take for a float, or fold, says that it is none. */
static bool needs_suffix(lift_expr parent, int slot)
{
    lift_expr e = parent->u.prim.args[slot];
    lift_type xs;

    if (e->kind != LIFT_EXPR_LIT || e->type->scalar != LIFT_I32)
        return false;
    if (parent->op == LIFT_NEG)
        return true;
    xs = lift_op_is_reduce(parent->op) && slot == 1 ? parent->u.prim.args[2]->type : NULL;
    return xs && lift_type_is_float(xs->elem);
}

static void print_arg(struct printer *p, lift_expr parent, int slot, int indent)
{
    print(p, parent->u.prim.args[slot], LOOSE, indent);
    if (needs_suffix(parent, slot))
        lift_str_addc(p->out, 'i');
}

struct arg_list {
    int nat, attr, expr, printed;
    bool on_line;
};

/* The separator before an argument: sizes and attributes stay on the line, and the
 * function of a call without data. */
static void separate(struct printer *p, struct arg_list *at, bool own_line, int indent)
{
    if (at->printed)
        lift_str_addc(p->out, ',');
    if (own_line && !p->flat && !at->on_line)
        newline(p, indent);
    else if (at->printed)
        lift_str_addc(p->out, ' ');
    at->printed++;
}

static void print_letter(struct printer *p, lift_expr e, char letter, struct arg_list *at,
                         int indent)
{
    const struct lift_prim_info *info = lift_prim_info(e->op);

    switch (letter) {
    case 'N':
        separate(p, at, false, indent);
        lift_nat_print(e->u.prim.nats[at->nat++], 0, p->out);
        break;
    case 'A':
        separate(p, at, false, indent);
        print_attr(p, e, info, at->attr++);
        break;
    case 'S':
        separate(p, at, false, indent);
        print_text(e->u.prim.text, p->out);
        break;
    default:
        separate(p, at, true, indent);
        print_arg(p, e, at->expr++, indent);
    }
}

/* name[options](arguments), without the last one if 'partial'. */
static void print_call(struct printer *p, lift_expr e, bool partial, int indent)
{
    const struct lift_prim_info *info = lift_prim_info(e->op);
    int exprs = e->arg_count - partial;
    struct arg_list at = {.on_line = partial && exprs == 1};

    if (at.on_line)
        indent -= STEP;
    print_own(p, info->name);
    print_options(p, e, info);
    lift_str_addc(p->out, '(');
    for (const char *c = info->params; *c && !is_over(p); c++) {
        bool expr = *c == 'E' || *c == 'F' || *c == '*';

        if (*c == '1' || *c == '2')
            continue;
        do {
            if (!expr || at.expr < exprs)
                print_letter(p, e, *c, &at, indent + STEP);
        } while (*c == '*' && at.expr < exprs);
    }
    lift_str_addc(p->out, ')');
}

static void print_let(struct printer *p, lift_expr e, int indent)
{
    lift_expr f = e->u.prim.args[1];
    int count = p->count;
    const char *name = name_param(p, f, 0);
    bool nested = lift_expr_is(e->u.prim.args[0], LIFT_LET);

    lift_str_addf(p->out, "let %s = ", name);
    print(p, e->u.prim.args[0], nested ? TIGHT : LOOSE, indent + STEP);
    lift_str_addc(p->out, ';');
    if (p->flat)
        lift_str_addc(p->out, ' ');
    else
        newline(p, indent);
    push_name(p, name);
    print(p, f->u.lambda.body, LOOSE, indent);
    p->count = count;
}

static void print_select(struct printer *p, lift_expr e, int indent)
{
    static const char *const words[] = {"if ", "then ", "else "};

    for (int i = 0; i < 3; i++) {
        if (i && p->flat)
            lift_str_addc(p->out, ' ');
        else if (i)
            newline(p, indent);
        lift_str_add(p->out, words[i]);
        print(p, e->u.prim.args[i], LOOSE, indent + STEP);
    }
}

static void print_tuple(struct printer *p, lift_expr e, int indent)
{
    lift_str_addc(p->out, '(');
    for (int i = 0; i < e->arg_count; i++) {
        if (i)
            lift_str_add(p->out, p->flat ? ", " : ",");
        if (!p->flat)
            newline(p, indent + STEP);
        print(p, e->u.prim.args[i], LOOSE, indent + STEP);
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
    print(p, e->u.prim.args[0], op->strength, indent);
    lift_str_addf(p->out, " %s", op->text);
    if (p->flat)
        lift_str_addc(p->out, ' ');
    else
        newline(p, indent);
    print(p, e->u.prim.args[1], op->strength + 1, indent);
}

static void print_postfix(struct printer *p, lift_expr e, int indent)
{
    print(p, e->u.prim.args[0], TIGHT, indent);
    if (e->op == LIFT_GET) {
        lift_str_addf(p->out, ".%d", e->u.prim.attrs[0]);
        return;
    }
    lift_str_addc(p->out, '[');
    lift_nat_print(e->u.prim.nats[0], 0, p->out);
    lift_str_addc(p->out, ']');
}

/* '-2' is a literal; the negative of 2 is neg(2). */
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

/* A call that reads its data last and has no other: 'x |> slide(3, 1)'. */
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

/* Calls nested so deeply are easier to read one after the other. */
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

/* The innermost data first, then what is done with them, each on a line. */
static void print_pipe(struct printer *p, lift_expr e, int indent)
{
    if (!is_stage(e)) {
        print(p, e, LOOSE + 1, indent);
        return;
    }
    print_pipe(p, data_of(e), indent);
    newline(p, indent);
    print_stage(p, e, indent);
}

static void print_prim(struct printer *p, lift_expr e, int least, int indent)
{
    const struct infix *infix = find_infix(e->op);

    if (infix) {
        print_infix(p, e, infix, indent);
    } else if (is_prefix(e)) {
        lift_str_addc(p->out, e->op == LIFT_NOT ? '!' : '-');
        print(p, e->u.prim.args[0], UNARY, indent);
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

/* Takes back what was printed if it does not fit on the line. */
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

/* Prints with parentheses if 'e' binds less strongly than asked for. */
static void print(struct printer *p, lift_expr e, int least, int indent)
{
    bool open = strength_of(e) < least;

    if (is_over(p))
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
        print(&p, e, LOOSE, indent);
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
