/* Converts syntax trees to patterns. */
#include "rules/read/read.h"
#include "rules/read/read_instance.h"
#include <string.h>

struct pat *read_new_pat(struct rule_reader *r, enum pat_kind kind, int count)
{
    struct pat *p = LIFT_NEW(r->arena, struct pat);

    p->kind = kind;
    p->count = count;
    p->args = LIFT_NEW_ARRAY(r->arena, const struct pat *, count ? count : 1);
    for (int i = 0; i < LIFT_MAX_ATTRS; i++)
        p->attrs[i].meta = -1;
    return p;
}

/* Returns the number of the bound variable with this name; -1 if there is none. */
static int bound_index(const struct pat_scope *scope, const char *name)
{
    for (int i = scope->count - 1; i >= 0; i--)
        if (strcmp(scope->names[i], name) == 0)
            return scope->count - 1 - i;
    return -1;
}

/* Reads a metavariable; in 'e...', an element of a list. */
static int read_meta(struct rule_reader *r, const struct syntax_node *node, struct pat *p)
{
    struct rule_names *names = &r->def->names;
    int before = names->expr_count;
    int index = read_expr_meta(r, node->text, node->span);

    if (index >= before)
        names->lists[index] = r->in_list;
    if (names->lists[index] && !r->in_list)
        syntax_error(r->p, node->span, "'%s' is a list: write '%s...'", node->text,
                     node->text);
    if (!names->lists[index] && r->in_list && !r->rhs)
        syntax_error(r->p, node->span, "'%s' is no list elsewhere", node->text);
    if (names->lists[index])
        p->attrs[0].meta = RULE_PLACE;
    return index;
}

static const struct pat *read_name(struct rule_reader *r, const struct syntax_node *node,
                                   struct pat_scope *scope)
{
    int bound = bound_index(scope, node->text);
    struct pat *p = read_new_pat(r, bound >= 0 ? PAT_BOUND : PAT_META, 0);

    if (bound < 0 && lift_prim_find(node->text) != LIFT_OP_COUNT)
        syntax_error(r->p, node->span, "the primitive '%s' stands without arguments",
                     node->text);
    p->index = bound >= 0 ? bound : read_meta(r, node, p);
    return p;
}

const struct pat *read_list(struct rule_reader *r, const struct syntax_node *node,
                            struct pat_scope *scope)
{
    const struct syntax_node *of = node->args[0];
    bool named = of->kind == NODE_NAME;
    struct pat *p;

    r->lists = r->lists || !r->rhs;
    if (named && bound_index(scope, of->text) >= 0) {
        p = read_new_pat(r, PAT_PRIM, 1);
        p->op = LIFT_GET;
        p->args[0] = read_pattern(r, of, scope);
        p->attrs[0].meta = RULE_PLACE;
        return p;
    }
    if (r->in_list || (!r->rhs && !r->drawn && !named))
        syntax_error(r->p, of->span, "expected the name of a list");
    r->in_list = true;
    p = (struct pat *)read_pattern(r, of, scope);
    r->in_list = false;
    return p;
}

/* Reads one argument of 'p', or the list of all arguments. */
static const struct pat *read_item(struct rule_reader *r, const struct syntax_node *node,
                                   struct pat_scope *scope, struct pat *p)
{
    if (node->kind != NODE_LIST)
        return read_pattern(r, node, scope);
    p->list = true;
    return read_list(r, node, scope);
}

static const struct pat *read_literal(struct rule_reader *r,
                                      const struct syntax_node *node)
{
    struct pat *p = read_new_pat(r, PAT_LIT, 0);

    p->integer = node->integer;
    p->number = node->number;
    if (node->kind == NODE_FLOAT) {
        p->scalar = node->suffix == 'd' ? LIFT_F64 : LIFT_F32;
        p->open = !node->suffix && (!r->rhs || r->open);
        r->open = r->open || p->open;
    } else {
        p->scalar = node->kind == NODE_INT ? LIFT_I32 : LIFT_BOOL;
        if (p->integer > INT32_MAX || p->integer < INT32_MIN)
            syntax_error(r->p, node->span, "integer does not fit in i32");
    }
    return p;
}

/* Reads the names and the body of the lambda 'into', whose number of parameters is set.
 */
static const struct pat *read_lambda_body(struct rule_reader *r,
                                          const struct syntax_node *node,
                                          const struct syntax_param *params,
                                          const struct syntax_node *body,
                                          struct pat_scope *scope, struct pat *into)
{
    const char **names = LIFT_NEW_ARRAY(r->arena, const char *, into->count);
    int before = scope->count;

    for (int i = 0; i < into->count; i++) {
        if (!params[i].name || scope->count == RULE_MAX_BINDERS)
            syntax_error(r->p, node->span, "expected plain names as parameters");
        names[i] = scope->names[scope->count++] = params[i].name;
    }
    into->names = names;
    into->args[0] = read_pattern(r, body, scope);
    scope->count = before;
    return into;
}

/* Reads a function argument: a lambda, or the name of a function metavariable. */
const struct pat *read_function(struct rule_reader *r, const struct syntax_node *node,
                                int arity, struct pat_scope *scope)
{
    struct pat *p;

    if (node->kind == NODE_NAME) {
        p = read_new_pat(r, PAT_FUN, 0);
        if (bound_index(scope, node->text) >= 0 ||
            lift_prim_find(node->text) != LIFT_OP_COUNT)
            syntax_error(r->p, node->span,
                         "expected a function: fun(x => ...) or a name");
        p->index = read_fun_meta(r, node->text, arity, node->span);
        return p;
    }
    if (node->kind != NODE_LAMBDA || node->param_count != arity)
        syntax_error(r->p, node->span, "expected a function of %d argument%s", arity,
                     arity == 1 ? "" : "s");
    p = read_new_pat(r, PAT_LAMBDA, 1);
    p->count = arity;
    return read_lambda_body(r, node, node->params, node->args[0], scope, p);
}

static bool is_new_variable(const struct pat *app, int arg)
{
    for (int i = 0; i < arg; i++)
        if (app->args[i]->index == app->args[arg]->index)
            return false;
    return app->args[arg]->kind == PAT_BOUND;
}

/* Reads f(y, ...). On the left-hand side, the arguments must be different bound
 * variables. */
static const struct pat *read_app(struct rule_reader *r, const struct syntax_node *node,
                                  struct pat_scope *scope)
{
    struct pat *p = read_new_pat(r, PAT_APP, node->arg_count - 1);

    if (p->count > LIFT_MAX_PARAMS || p->count == 0)
        syntax_error(r->p, node->span, "expected 1 to %d arguments", LIFT_MAX_PARAMS);
    p->index = read_fun_meta(r, node->args[0]->text, p->count, node->args[0]->span);
    for (int i = 0; i < p->count; i++) {
        p->args[i] = read_pattern(r, node->args[i + 1], scope);
        if (!r->rhs && !r->drawn && !is_new_variable(p, i))
            syntax_error(r->p, node->args[i + 1]->span,
                         "expected different variables of enclosing functions as the "
                         "arguments of '%s'",
                         node->args[0]->text);
    }
    return p;
}

/* The state of reading arguments by the parameter letters of a primitive. */
struct param_cursor {
    const struct lift_prim_info *info;
    const char *letter;
    struct pat *p;
    int nat, attr, arg;
};

/* Reads the text of a C function; its head determines the number of arguments. */
static void read_text_param(struct rule_reader *r, const struct syntax_node *node,
                            const struct syntax_node *call, struct param_cursor *at)
{
    struct lift_user_types types;

    if (node->kind != NODE_STRING || !lift_user_types(node->text, &types))
        syntax_error(
            r->p, node->span,
            "expected the text of a C function, \"f32 name(f32 a, ...) { ... }\"");
    if (types.count != call->arg_count - 2)
        syntax_error(r->p, call->span, "the C function expects %d argument%s, but got %d",
                     types.count, types.count == 1 ? "" : "s", call->arg_count - 2);
    at->p->text = node->text;
}

static void read_param(struct rule_reader *r, const struct syntax_node *node,
                       struct param_cursor *at, struct pat_scope *scope)
{
    if (*at->letter == 'N')
        at->p->nats[at->nat++] = read_nat(r, node, !r->rhs);
    else if (*at->letter == 'A') {
        while (at->info->attrs[at->attr].option)
            at->attr++;
        read_attr(r, &at->info->attrs[at->attr], node, &at->p->attrs[at->attr]);
        at->attr++;
    } else if (*at->letter == 'F')
        at->p->args[at->arg++] = read_function(r, node, at->letter[1] - '0', scope);
    else if (*at->letter == '*')
        at->p->args[at->arg++] = read_item(r, node, scope, at->p);
    else
        at->p->args[at->arg++] = read_pattern(r, node, scope);
}

static void check_list(struct rule_reader *r, const struct syntax_node *node,
                       const struct pat *p)
{
    if (p->list && p->count != 1)
        syntax_error(r->p, node->span,
                     "'e...' is all arguments: no other one is allowed");
    if (p->list && r->rhs && !r->lists)
        syntax_error(r->p, node->span, "the left-hand side has no list");
}

static const struct pat *read_prim(struct rule_reader *r, const struct syntax_node *node,
                                   enum lift_op op, struct pat_scope *scope)
{
    const struct lift_prim_info *info = lift_prim_info(op);
    struct pat *p = read_new_pat(r, PAT_PRIM, LIFT_MAX_ARGS);
    struct param_cursor at = {.info = info, .letter = info->params, .p = p};
    bool ok = true;

    p->op = op;
    for (int i = 1; ok && i < node->arg_count; i++) {
        ok = *at.letter && at.arg < LIFT_MAX_ARGS;
        if (ok && *at.letter == 'S')
            read_text_param(r, node->args[i], node, &at);
        else if (ok)
            read_param(r, node->args[i], &at, scope);
        if (ok && *at.letter != '*')
            at.letter += *at.letter == 'F' ? 2 : 1;
    }
    p->count = at.arg;
    check_list(r, node, p);
    if (!ok || (*at.letter && *at.letter != '*') || (*at.letter == '*' && at.arg == 0))
        syntax_error(r->p, node->span, "'%s' expects other arguments: %s", info->name,
                     info->scheme);
    read_options(r, node, p);
    return p;
}

static const struct pat *read_call(struct rule_reader *r, const struct syntax_node *node,
                                   struct pat_scope *scope)
{
    const struct syntax_node *callee = node->args[0];
    enum lift_op op;

    if (callee->kind == NODE_CALL && read_is_sugar(callee))
        return read_sugar(r, node, scope);
    if (callee->kind != NODE_NAME || bound_index(scope, callee->text) >= 0)
        syntax_error(r->p, callee->span,
                     "expected a primitive or a function metavariable");
    op = lift_prim_find(callee->text);
    if (op != LIFT_OP_COUNT)
        return read_prim(r, node, op, scope);
    if (read_is_sugar(callee))
        return read_sugar(r, node, scope);
    return read_app(r, node, scope);
}

/* Reads an operation on expressions that has its own syntax. */
static struct pat *read_operands(struct rule_reader *r, enum lift_op op,
                                 const struct syntax_node *const *nodes, int count,
                                 struct pat_scope *scope)
{
    struct pat *p = read_new_pat(r, PAT_PRIM, count);

    p->op = op;
    for (int i = 0; i < count; i++)
        p->args[i] = read_item(r, nodes[i], scope, p);
    return p;
}

/* Reads x[k] on the right-hand side: the element of a list at index k, which a 'get' on
 * the left-hand side has. Returns NULL for other forms. */
static struct pat *read_element(struct rule_reader *r, const struct syntax_node *node)
{
    const struct rule_names *names = &r->def->names;
    const struct syntax_node *list = node->args[0], *place = node->args[1];
    struct pat *p = read_new_pat(r, PAT_META, 0);

    while (list->kind == NODE_NAME && p->index < names->expr_count &&
           strcmp(names->exprs[p->index], list->text) != 0)
        p->index++;
    if (list->kind != NODE_NAME || place->kind != NODE_NAME || !r->rhs ||
        p->index == names->expr_count || !names->lists[p->index])
        return NULL;
    p->attrs[0].meta = read_attr_meta(r, place->text, place->span);
    return p;
}

static const struct pat *read_binary(struct rule_reader *r,
                                     const struct syntax_node *node,
                                     struct pat_scope *scope)
{
    bool swap;
    enum lift_op op = syntax_binary_op(node->op, &swap);
    const struct syntax_node *args[2] = {node->args[swap], node->args[!swap]};

    if (op == LIFT_OP_COUNT)
        syntax_error(r->p, node->span, "expected no pipes in a pattern: write f(x)");
    return read_operands(r, op, args, 2, scope);
}

static const struct pat *read_let(struct rule_reader *r, const struct syntax_node *node,
                                  struct pat_scope *scope)
{
    struct pat *p = read_new_pat(r, PAT_PRIM, 2);

    p->op = LIFT_LET;
    p->args[0] = read_pattern(r, node->args[0], scope);
    p->args[1] = read_lambda_body(r, node, node->params, node->args[1], scope,
                                  read_new_pat(r, PAT_LAMBDA, 1));
    return p;
}

static const struct pat *read_access(struct rule_reader *r,
                                     const struct syntax_node *node,
                                     struct pat_scope *scope)
{
    bool member = node->kind == NODE_MEMBER;
    struct pat *p = member ? NULL : read_element(r, node);

    if (p)
        return p;
    p = read_operands(r, member ? LIFT_GET : LIFT_AT, node->args, 1, scope);
    if (member && node->integer >= LIFT_MAX_ARGS)
        syntax_error(r->p, node->span, "a tuple has at most %d members", LIFT_MAX_ARGS);
    if (member)
        p->attrs[0].value = (int)node->integer;
    else
        p->nats[0] = read_nat(r, node->args[1], !r->rhs);
    return p;
}

static const struct pat *read_node(struct rule_reader *r, const struct syntax_node *node,
                                   struct pat_scope *scope)
{
    struct pat *p;

    switch (node->kind) {
    case NODE_NAME:
        return read_name(r, node, scope);
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_BOOL:
        return read_literal(r, node);
    case NODE_UNARY:
        return read_operands(r, node->op == TOKEN_NOT ? LIFT_NOT : LIFT_NEG, node->args,
                             1, scope);
    case NODE_BINARY:
        return read_binary(r, node, scope);
    case NODE_IF:
        return read_operands(r, LIFT_SELECT, node->args, 3, scope);
    case NODE_TUPLE:
        p = read_operands(r, LIFT_TUPLE, node->args, node->arg_count, scope);
        check_list(r, node, p);
        return p;
    case NODE_CALL:
        return read_call(r, node, scope);
    case NODE_INDEX:
    case NODE_MEMBER:
        return read_access(r, node, scope);
    case NODE_LET:
        return read_let(r, node, scope);
    default:
        syntax_error(r->p, node->span, "expected a pattern");
    }
}

const struct pat *read_pattern(struct rule_reader *r, const struct syntax_node *node,
                               struct pat_scope *scope)
{
    struct pat *p = (struct pat *)read_node(r, node, scope);

    p->span = node->span;
    return p;
}
