/* Sizes, conditions and metavariables of a rule. */
#include "rules/read/read.h"
#include <string.h>

enum { MAX_NUMBER = 1000000 };

void read_mistake(struct rule_reader *r, struct lift_span span, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    lift_vfail_at(r->errors, r->source, span, format, args);
    va_end(args);
    r->failed = true;
}

static int find_name(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* One name stands for one kind of thing in a rule. */
static void check_clash(struct rule_reader *r, const char *name, const char *const *own,
                        struct lift_span span)
{
    const struct rule_names *n = &r->def->names;
    const struct {
        const char *const *names;
        int count;
        const char *kind;
    } kinds[] = {{n->exprs, n->expr_count, "an expression"},
                 {n->funs, n->fun_count, "a function"},
                 {n->nats, n->nat_count, "a size"},
                 {n->attrs, n->attr_count, "an attribute"}};

    for (int i = 0; i < 4; i++)
        if (kinds[i].names != own && find_name(kinds[i].names, kinds[i].count, name) >= 0)
            syntax_error(r->p, span, "'%s' already stands for %s", name, kinds[i].kind);
}

/* The index of 'name' in one of the lists of the rule, added if the left-hand side is
 * read. */
static int meta(struct rule_reader *r, const char *name, struct lift_span span,
                const char **names, int *count, int max)
{
    int index = find_name(names, *count, name);

    if (index >= 0)
        return index;
    check_clash(r, name, names, span);
    if (r->rhs) {
        read_mistake(r, span, "'%s' does not occur on the left-hand side", name);
        return 0;
    }
    if (*count == max)
        syntax_error(r->p, span, "too many metavariables");
    names[*count] = name;
    return (*count)++;
}

int read_expr_meta(struct rule_reader *r, const char *name, struct lift_span span)
{
    struct rule_names *n = &r->def->names;

    return meta(r, name, span, n->exprs, &n->expr_count, RULE_MAX_EXPRS);
}

int read_nat_meta(struct rule_reader *r, const char *name, struct lift_span span)
{
    struct rule_names *n = &r->def->names;
    int before = n->nat_count;
    int index = meta(r, name, span, n->nats, &n->nat_count, RULE_MAX_NATS);

    if (index >= before)
        r->nat_span[index] = span;
    return index;
}

int read_attr_meta(struct rule_reader *r, const char *name, struct lift_span span)
{
    struct rule_names *n = &r->def->names;

    return meta(r, name, span, n->attrs, &n->attr_count, RULE_MAX_ATTRS);
}

/* One without a name, of the left-hand side. */
int read_unnamed_attr(struct rule_reader *r, struct lift_span span)
{
    struct rule_names *n = &r->def->names;

    if (n->attr_count == RULE_MAX_ATTRS)
        syntax_error(r->p, span, "too many options on the left-hand side");
    n->attrs[n->attr_count] = "";
    return n->attr_count++;
}

int read_fun_meta(struct rule_reader *r, const char *name, int arity,
                  struct lift_span span)
{
    struct rule_names *n = &r->def->names;
    int before = n->fun_count;
    int index = meta(r, name, span, n->funs, &n->fun_count, RULE_MAX_FUNS);

    if (index >= before)
        n->fun_arity[index] = arity;
    if (n->fun_arity[index] != arity && !r->failed)
        syntax_error(r->p, span, "'%s' takes %d arguments elsewhere, not %d", name,
                     n->fun_arity[index], arity);
    return index;
}

/* ---- sizes */

static struct nat_pat *new_nat(struct rule_reader *r, enum nat_pat_kind kind)
{
    struct nat_pat *p = LIFT_NEW(r->arena, struct nat_pat);

    p->kind = kind;
    return p;
}

static const struct nat_pat *read_two(struct rule_reader *r, enum nat_pat_kind kind,
                                      const struct syntax_node *a,
                                      const struct syntax_node *b)
{
    struct nat_pat *p = new_nat(r, kind);

    p->a = read_nat(r, a, false);
    p->b = read_nat(r, b, false);
    return p;
}

/* len(x), len(x, dim) */
static const struct nat_pat *read_len(struct rule_reader *r,
                                      const struct syntax_node *node)
{
    struct nat_pat *p = new_nat(r, NAT_LEN);

    if (node->arg_count < 2 || node->arg_count > 3 || node->args[1]->kind != NODE_NAME ||
        (node->arg_count == 3 && node->args[2]->kind != NODE_INT))
        syntax_error(r->p, node->span, "expected 'len(x)' or 'len(x, dimension)'");
    p->index = read_expr_meta(r, node->args[1]->text, node->args[1]->span);
    p->value = node->arg_count == 3 ? node->args[2]->integer : 0;
    return p;
}

static const struct nat_pat *read_nat_call(struct rule_reader *r,
                                           const struct syntax_node *node)
{
    static const struct {
        const char *name;
        enum nat_pat_kind kind;
    } calls[] = {{"min", NAT_MIN}, {"max", NAT_MAX}};
    const char *name = node->args[0]->kind == NODE_NAME ? node->args[0]->text : "";

    if (strcmp(name, "len") == 0)
        return read_len(r, node);
    if (strcmp(name, "ceil") == 0 && node->arg_count == 2 &&
        node->args[1]->kind == NODE_BINARY && node->args[1]->op == TOKEN_SLASH)
        return read_two(r, NAT_CEIL_DIV, node->args[1]->args[0], node->args[1]->args[1]);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(name, calls[i].name) == 0 && node->arg_count == 3)
            return read_two(r, calls[i].kind, node->args[1], node->args[2]);
    syntax_error(r->p, node->span,
                 "expected a size: + - * / %%, len, min, max or ceil(a / b)");
}

static const struct nat_pat *read_nat_binary(struct rule_reader *r,
                                             const struct syntax_node *node)
{
    static const struct {
        enum syntax_token_kind op;
        enum nat_pat_kind kind;
    } ops[] = {{TOKEN_PLUS, NAT_ADD},
               {TOKEN_MINUS, NAT_SUB},
               {TOKEN_STAR, NAT_MUL},
               {TOKEN_SLASH, NAT_DIV},
               {TOKEN_PERCENT, NAT_MOD}};

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (node->op == ops[i].op)
            return read_two(r, ops[i].kind, node->args[0], node->args[1]);
    syntax_error(r->p, node->span, "expected a size");
}

/* Small enough that no size made of it overflows. */
static const struct nat_pat *read_number(struct rule_reader *r,
                                         const struct syntax_node *node)
{
    struct nat_pat *p = new_nat(r, NAT_CONST);

    p->value = node->integer;
    if (p->value > MAX_NUMBER)
        syntax_error(r->p, node->span, "a number above %d", MAX_NUMBER);
    return p;
}

static const struct nat_pat *read_nat_name(struct rule_reader *r,
                                           const struct syntax_node *node, bool bare)
{
    struct nat_pat *p = new_nat(r, NAT_META);

    p->index = read_nat_meta(r, node->text, node->span);
    if (!r->rhs && r->nat_tunable[p->index])
        syntax_error(r->p, node->span, "the tunable '%s' stands on the left-hand side",
                     node->text);
    r->nat_bound[p->index] = r->nat_bound[p->index] || bare;
    return p;
}

const struct nat_pat *read_nat(struct rule_reader *r, const struct syntax_node *node,
                               bool bare)
{
    switch (node->kind) {
    case NODE_INT:
        return read_number(r, node);
    case NODE_NAME:
        return read_nat_name(r, node, bare);
    case NODE_CALL:
        return read_nat_call(r, node);
    case NODE_BINARY:
        return read_nat_binary(r, node);
    default:
        syntax_error(r->p, node->span, "expected a size");
    }
}

/* ---- conditions */

static void add_condition(struct rule_reader *r, const struct syntax_node *node,
                          enum cond_kind kind, const struct syntax_node *a,
                          const struct syntax_node *b)
{
    struct rule_cond *c = &r->def->conds[r->def->cond_count];

    if (r->def->cond_count++ == RULE_MAX_CONDS)
        syntax_error(r->p, node->span, "too many conditions");
    c->kind = kind;
    c->a = read_nat(r, a, false);
    c->b = read_nat(r, b, false);
}

void read_condition(struct rule_reader *r, const struct syntax_node *node)
{
    static const struct {
        enum syntax_token_kind op;
        enum cond_kind kind;
    } ops[] = {{TOKEN_LE, COND_LE},
               {TOKEN_LT, COND_LT},
               {TOKEN_EQ, COND_EQ},
               {TOKEN_NE, COND_NE}};
    const struct syntax_node *const *args = node->args;

    if (node->kind == NODE_CALL && node->arg_count == 3 && args[0]->kind == NODE_NAME &&
        strcmp(args[0]->text, "divides") == 0) {
        add_condition(r, node, COND_DIVIDES, args[1], args[2]);
        return;
    }
    for (size_t i = 0; node->kind == NODE_BINARY && i < sizeof ops / sizeof *ops; i++)
        if (node->op == ops[i].op) {
            add_condition(r, node, ops[i].kind, args[0], args[1]);
            return;
        }
    syntax_error(r->p, node->span,
                 "expected a condition: <=, <, ==, != or divides(a, b)");
}
