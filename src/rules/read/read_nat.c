/* Reads sizes, conditions and metavariables of a rule. */
#include "rules/read/read.h"
#include <string.h>

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

static int find_size(const struct rule_names *n, const char *name)
{
    for (int i = 0; i < n->nat_count; i++)
        if (strcmp(n->nats[i].name, name) == 0)
            return i;
    return -1;
}

/* Reports a name that already has another kind in the rule: size, expression, function or
 * attribute. */
static void check_clash(struct rule_reader *r, const char *name, struct lift_span span)
{
    const struct rule_names *n = &r->def->names;
    const char *kind = find_name(n->exprs, n->expr_count, name) >= 0   ? "an expression"
                       : find_name(n->funs, n->fun_count, name) >= 0   ? "a function"
                       : find_size(n, name) >= 0                       ? "a size"
                       : find_name(n->attrs, n->attr_count, name) >= 0 ? "an attribute"
                                                                       : NULL;

    if (kind)
        syntax_error(r->p, span, "'%s' already stands for %s", name, kind);
}

/* True if a new metavariable is allowed. A rule has at most 'max' metavariables of a
 * kind, and only the left-hand side introduces them. */
static bool is_welcome(struct rule_reader *r, const char *name, struct lift_span span,
                       int count, int max)
{
    check_clash(r, name, span);
    if (r->rhs)
        read_mistake(r, span, "'%s' does not occur on the left-hand side", name);
    else if (count == max)
        syntax_error(r->p, span, "too many metavariables");
    return !r->rhs;
}

/* Returns the index of 'name' in one of the lists of the rule. The left-hand side adds a
 * new name. */
static int meta(struct rule_reader *r, const char *name, struct lift_span span,
                const char **names, int *count, int max)
{
    int index = find_name(names, *count, name);

    if (index >= 0)
        return index;
    if (!is_welcome(r, name, span, *count, max))
        return 0;
    names[*count] = name;
    return (*count)++;
}

int read_expr_meta(struct rule_reader *r, const char *name, struct lift_span span)
{
    struct rule_names *n = &r->def->names;

    return meta(r, name, span, n->exprs, &n->expr_count, RULE_MAX_EXPRS);
}

/* Adds a size variable, or a length. */
static int add_size(struct rule_reader *r, const char *name, int of, int dim)
{
    struct rule_names *n = &r->def->names;
    struct rule_size *size = &n->nats[n->nat_count];

    *size = (struct rule_size){name, NULL, of, dim};
    size->var = lift_nat_var(r->nats, name, LIFT_VAR_META, LIFT_NAT_MIN, LIFT_NAT_MAX);
    return n->nat_count++;
}

int read_nat_meta(struct rule_reader *r, const char *name, struct lift_span span)
{
    int index = find_size(&r->def->names, name);

    if (index >= 0)
        return index;
    if (!is_welcome(r, name, span, r->def->names.nat_count, RULE_MAX_NATS))
        return -1;
    index = add_size(r, name, -1, 0);
    r->nat_span[index] = span;
    return index;
}

int read_attr_meta(struct rule_reader *r, const char *name, struct lift_span span)
{
    struct rule_names *n = &r->def->names;

    return meta(r, name, span, n->attrs, &n->attr_count, RULE_MAX_ATTRS);
}

/* Adds an attribute without a name, for the left-hand side. */
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

/* True for the 'i' that denotes the dimension of a form. */
static bool is_dimension(const struct rule_reader *r, const struct syntax_node *node)
{
    return r->dim >= 0 && node->kind == NODE_NAME && strcmp(node->text, "i") == 0;
}

/* Reads len(x) or len(x, dim). */
static lift_nat read_len(struct rule_reader *r, const struct syntax_node *node)
{
    int of, dim = 0, index;
    const char *name;

    if (node->arg_count < 2 || node->arg_count > 3 || node->args[1]->kind != NODE_NAME ||
        (node->arg_count == 3 && !is_dimension(r, node->args[2]) &&
         (node->args[2]->kind != NODE_INT || node->args[2]->integer > 1000)))
        syntax_error(r->p, node->span, "expected 'len(x)' or 'len(x, dimension)'");
    name = node->args[1]->text;
    of = read_expr_meta(r, name, node->args[1]->span);
    if (node->arg_count == 3)
        dim = is_dimension(r, node->args[2]) ? r->dim : (int)node->args[2]->integer;
    name = dim ? lift_arena_printf(r->arena, "len(%s, %d)", name, dim)
               : lift_arena_printf(r->arena, "len(%s)", name);
    index = find_size(&r->def->names, name);
    if (index < 0 && r->def->names.nat_count == RULE_MAX_NATS)
        syntax_error(r->p, node->span, "too many metavariables");
    if (index < 0)
        index = add_size(r, name, of, dim);
    return r->def->names.nats[index].var;
}

/* Reads n or n[i]. */
static lift_nat read_size_name(struct rule_reader *r, const struct syntax_node *node)
{
    const char *name = node->text;
    int index;

    if (node->kind == NODE_INDEX &&
        (node->args[0]->kind != NODE_NAME || !is_dimension(r, node->args[1])))
        syntax_error(
            r->p, node->span,
            "expected a size; 'n[i]' is one of each dimension, in the sizes of a "
            "form, a bound of 'k[2]' or a condition");
    if (node->kind == NODE_INDEX)
        name = lift_arena_printf(r->arena, "%s[%d]", node->args[0]->text, r->dim);
    index = read_nat_meta(r, name, node->span);
    if (index >= 0 && !r->rhs && r->nat_tunable[index])
        syntax_error(r->p, node->span, "the tunable '%s' stands on the left-hand side",
                     name);
    return index >= 0 ? r->def->names.nats[index].var : lift_nat_const(r->nats, 1);
}

static lift_nat leaf(void *reader, const struct syntax_node *node)
{
    const char *name;

    if (node->kind != NODE_CALL)
        return read_size_name(reader, node);
    name = node->args[0]->kind == NODE_NAME ? node->args[0]->text : "";
    return strcmp(name, "len") == 0 ? read_len(reader, node) : NULL;
}

static void fail(void *reader, struct lift_span span, const char *text)
{
    syntax_error(((struct rule_reader *)reader)->p, span, "%s", text);
}

lift_nat read_nat(struct rule_reader *r, const struct syntax_node *node, bool bare)
{
    struct syntax_sizes sizes = {r->nats, leaf, fail, r};
    lift_nat n = syntax_size(&sizes, node);
    int index = bare ? rule_size_index(&r->def->names, n) : -1;

    if (index >= 0)
        r->nat_bound[index] = true;
    return n;
}

/* ---- conditions */

/* Returns the number of dimensions of the first 'n[i]' in a condition; 0: there is no
 * 'n[i]'. */
static int dimensions_of(struct rule_reader *r, const struct syntax_node *node)
{
    int dims = 0;

    if (node->kind == NODE_INDEX && node->args[0]->kind == NODE_NAME) {
        while (find_size(&r->def->names, lift_arena_printf(r->arena, "%s[%d]",
                                                           node->args[0]->text, dims)) >=
               0)
            dims++;
        return dims ? dims : 1;
    }
    for (int i = 0; i < node->arg_count && !dims; i++)
        dims = dimensions_of(r, node->args[i]);
    return dims;
}

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

static void read_one_condition(struct rule_reader *r, const struct syntax_node *node)
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

/* Reads a condition. A condition with 'n[i]' becomes one condition for each dimension. */
void read_condition(struct rule_reader *r, const struct syntax_node *node)
{
    int dims = dimensions_of(r, node);

    for (int i = 0; i < dims; i++) {
        r->dim = i;
        read_one_condition(r, node);
    }
    r->dim = -1;
    if (dims == 0)
        read_one_condition(r, node);
}
