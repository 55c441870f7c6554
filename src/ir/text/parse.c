/* The expressions of the grammar in docs/language.md. */
#include "ir/text/parse_t.h"
#include <string.h>

static struct syntax_node *node1(struct syntax_parser *p, enum syntax_kind kind,
                                 size_t begin, const struct syntax_node *a)
{
    struct parse_list args = {0};

    return parse_push(p, &args, a) ? parse_node(p, kind, begin, &args) : NULL;
}

static struct syntax_node *node2(struct syntax_parser *p, enum syntax_kind kind,
                                 size_t begin, const struct syntax_node *a,
                                 const struct syntax_node *b)
{
    struct parse_list args = {0};

    if (!parse_push(p, &args, a) || !parse_push(p, &args, b))
        return NULL;
    return parse_node(p, kind, begin, &args);
}

/* Patterns and parameters. */

static bool read_pattern(struct syntax_parser *p, struct syntax_param *out);

static bool push_param(struct syntax_parser *p, struct syntax_param **items, int *count,
                       int *cap)
{
    if (*count == SYNTAX_MAX_LIST) {
        syntax_expected(p, "fewer parameters");
        return false;
    }
    if (*count == *cap) {
        struct syntax_param *more;

        *cap = *cap ? *cap * 2 : 4;
        more = LIFT_NEW_ARRAY(p->arena, struct syntax_param, *cap);
        if (*count)
            memcpy(more, *items, sizeof *more * (size_t)*count);
        *items = more;
    }
    ++*count;
    return true;
}

/* A type after one of several names goes for those before it that have none: 'p, q: f32'.
 */
static void spread_type(struct syntax_param *items, int last)
{
    for (int i = last - 1; i >= 0 && !items[i].type && items[i].name; i--)
        items[i].type = items[last].type;
}

static bool read_params(struct syntax_parser *p, struct syntax_param **items, int *count)
{
    int cap = 0;

    *items = NULL;
    *count = 0;
    do {
        if (!push_param(p, items, count, &cap) || !read_pattern(p, &(*items)[*count - 1]))
            return false;
        if (syntax_accept(p, TOKEN_COLON)) {
            (*items)[*count - 1].type = syntax_type(p);
            spread_type(*items, *count - 1);
        }
    } while (!p->failed && syntax_accept(p, TOKEN_COMMA));
    return !p->failed;
}

static bool read_pattern(struct syntax_parser *p, struct syntax_param *out)
{
    size_t begin = syntax_peek(p)->span.begin;
    struct syntax_param *parts;
    bool ok;

    if (syntax_peek(p)->kind != TOKEN_LPAREN) {
        out->name = syntax_expect_name(p, "a name", &out->span);
        return out->name != NULL;
    }
    if (!parse_enter(p))
        return false;
    syntax_next(p);
    ok =
        read_params(p, &parts, &out->part_count) && syntax_expect(p, TOKEN_RPAREN, "')'");
    out->parts = parts;
    out->span = (struct lift_span){begin, p->last_end};
    parse_leave(p);
    return ok;
}

bool syntax_params(struct syntax_parser *p, const struct syntax_param **params,
                   int *count)
{
    struct syntax_param *items;

    if (!read_params(p, &items, count))
        return false;
    *params = items;
    return true;
}

/* Reads the names of '(a, (b, c))' again as the pattern of a lambda. */
static bool pattern_of(struct syntax_parser *p, const struct syntax_node *node,
                       struct syntax_param *out)
{
    struct syntax_param *parts;

    out->span = node->span;
    if (node->kind == NODE_NAME) {
        out->name = node->text;
        return true;
    }
    if (node->kind != NODE_TUPLE) {
        syntax_error(p, node->span, "expected the name of a parameter");
        return false;
    }
    parts = LIFT_NEW_ARRAY(p->arena, struct syntax_param, node->arg_count);
    for (int i = 0; i < node->arg_count; i++)
        if (!pattern_of(p, node->args[i], &parts[i]))
            return false;
    out->parts = parts;
    out->part_count = node->arg_count;
    return true;
}

/* Functions. */

static const struct syntax_node *lambda_body(struct syntax_parser *p)
{
    return syntax_peek(p)->kind == TOKEN_LBRACE ? syntax_block(p) : syntax_expr(p);
}

static bool at_lambda_arrow(const struct syntax_parser *p)
{
    enum syntax_token_kind kind = syntax_peek(p)->kind;

    return kind == TOKEN_FATARROW || kind == TOKEN_ARROW;
}

/* 'x => body', '(a, b) => body': the part before the arrow has been read. */
static const struct syntax_node *arrow_lambda(struct syntax_parser *p,
                                              const struct syntax_node *head)
{
    struct syntax_param *param = LIFT_NEW(p->arena, struct syntax_param);
    struct syntax_node *n;

    if (!head || !pattern_of(p, head, param))
        return NULL;
    syntax_next(p);
    n = node1(p, NODE_LAMBDA, head->span.begin, lambda_body(p));
    if (!n)
        return NULL;
    n->loose_params = !param->name;
    n->params = param->name ? param : param->parts;
    n->param_count = param->name ? 1 : param->part_count;
    return n;
}

/* 'fun(params => body)' or 'fun(params) => body'. */
static const struct syntax_node *fun_lambda(struct syntax_parser *p)
{
    size_t begin = syntax_next(p)->span.begin;
    const struct syntax_param *params;
    const struct syntax_node *body;
    struct syntax_node *n;
    int count;
    bool closed;

    if (!syntax_expect(p, TOKEN_LPAREN, "'('") || !syntax_params(p, &params, &count))
        return NULL;
    closed = syntax_accept(p, TOKEN_RPAREN);
    if (!at_lambda_arrow(p)) {
        syntax_expected(p, "'=>'");
        return NULL;
    }
    syntax_next(p);
    body = lambda_body(p);
    if (!body || (!closed && !syntax_expect(p, TOKEN_RPAREN, "')'")))
        return NULL;
    n = node1(p, NODE_LAMBDA, begin, body);
    if (n) {
        n->params = params;
        n->param_count = count;
    }
    return n;
}

/* Blocks and lets. A binding is a NODE_LET whose body is what follows it. */

static struct syntax_node *make_let(struct syntax_parser *p, size_t begin,
                                    const struct syntax_param *pattern,
                                    const struct syntax_node *value,
                                    const struct syntax_node *body)
{
    struct syntax_node *n = value && body ? node2(p, NODE_LET, begin, value, body) : NULL;

    if (n) {
        n->op = TOKEN_VAL;
        n->params = pattern;
        n->param_count = 1;
    }
    return n;
}

static const struct syntax_param *binding(struct syntax_parser *p,
                                          const struct syntax_node **value)
{
    struct syntax_param *pattern = LIFT_NEW(p->arena, struct syntax_param);

    if (!read_pattern(p, pattern))
        return NULL;
    if (syntax_accept(p, TOKEN_COLON) && !(pattern->type = syntax_type(p)))
        return NULL;
    if (!syntax_expect(p, TOKEN_ASSIGN, "'='"))
        return NULL;
    *value = lambda_body(p);
    return *value ? pattern : NULL;
}

static const struct syntax_node *let_expr(struct syntax_parser *p)
{
    size_t begin = syntax_next(p)->span.begin;
    const struct syntax_node *value;
    const struct syntax_param *pattern = binding(p, &value);
    struct syntax_node *n;

    if (!pattern)
        return NULL;
    if (!syntax_accept(p, TOKEN_IN) && !syntax_accept(p, TOKEN_SEMICOLON)) {
        syntax_expected(p, "';' or 'in'");
        return NULL;
    }
    n = make_let(p, begin, pattern, value, syntax_expr(p));
    if (n)
        n->op = TOKEN_LET;
    return n;
}

struct statement {
    const struct syntax_param *pattern;
    const struct syntax_node *value;
    size_t begin;
    struct statement *before;
};

static const struct syntax_node *block_inside(struct syntax_parser *p)
{
    struct statement *last = NULL;
    const struct syntax_node *result;

    while (syntax_peek(p)->kind == TOKEN_VAL && !p->failed) {
        struct statement *s = LIFT_NEW(p->arena, struct statement);

        s->begin = syntax_next(p)->span.begin;
        s->pattern = binding(p, &s->value);
        s->before = last;
        if (!s->pattern)
            return NULL;
        syntax_accept(p, TOKEN_SEMICOLON);
        last = s;
    }
    syntax_accept(p, TOKEN_RETURN);
    result = syntax_expr(p);
    syntax_accept(p, TOKEN_SEMICOLON);
    for (; last; last = last->before)
        result = make_let(p, last->begin, last->pattern, last->value, result);
    return result;
}

const struct syntax_node *syntax_block(struct syntax_parser *p)
{
    const struct syntax_node *body;

    if (!parse_enter(p))
        return NULL;
    body = syntax_expect(p, TOKEN_LBRACE, "'{'") ? block_inside(p) : NULL;
    if (body && !syntax_expect(p, TOKEN_RBRACE, "'}'"))
        body = NULL;
    parse_leave(p);
    return body;
}

/* Operands. */

static const struct syntax_node *literal(struct syntax_parser *p, bool negative)
{
    size_t begin = syntax_peek(p)->span.begin;
    const struct syntax_token *token;
    struct syntax_node *n;

    if (negative)
        syntax_next(p);
    token = syntax_next(p);
    n = parse_node(p, token->kind == TOKEN_INT ? NODE_INT : NODE_FLOAT, begin, NULL);
    n->suffix = token->suffix;
    n->integer = negative ? -token->integer : token->integer;
    n->number = negative ? -token->number : token->number;
    return n;
}

static const struct syntax_node *word_node(struct syntax_parser *p, enum syntax_kind kind)
{
    const struct syntax_token *token = syntax_next(p);
    struct syntax_node *n = parse_node(p, kind, token->span.begin, NULL);

    n->text = token->text;
    n->integer = token->kind == TOKEN_TRUE;
    return n;
}

static const struct syntax_node *if_expr(struct syntax_parser *p)
{
    size_t begin = syntax_next(p)->span.begin;
    struct parse_list args = {0};

    if (!parse_push(p, &args, syntax_expr(p)) ||
        !syntax_expect(p, TOKEN_THEN, "'then'") ||
        !parse_push(p, &args, syntax_expr(p)) ||
        !syntax_expect(p, TOKEN_ELSE, "'else'") || !parse_push(p, &args, syntax_expr(p)))
        return NULL;
    return parse_node(p, NODE_IF, begin, &args);
}

/* '(+)' names the primitive of an operator. */
static const struct syntax_node *operator_name(struct syntax_parser *p)
{
    size_t begin = syntax_next(p)->span.begin;
    bool swap;
    enum lift_op op = syntax_binary_op(syntax_next(p)->kind, &swap);
    struct syntax_node *n;

    syntax_next(p);
    n = parse_node(p, NODE_NAME, begin, NULL);
    if (!n)
        return NULL;
    n->text = lift_arena_printf(p->arena, "@%s", lift_prim_info(op)->name);
    if (swap)
        syntax_error(p, n->span,
                     "'>' and '>=' have no function; exchange the arguments of "
                     "'lt' or 'le'");
    return swap ? NULL : n;
}

static bool at_operator_name(const struct syntax_parser *p)
{
    bool swap;

    return syntax_peek_at(p, 2)->kind == TOKEN_RPAREN &&
           syntax_binary_op(syntax_peek_at(p, 1)->kind, &swap) != LIFT_OP_COUNT;
}

/* '(e)' is e, '(a, b)' a tuple. */
static const struct syntax_node *parenthesised(struct syntax_parser *p)
{
    size_t begin = syntax_peek(p)->span.begin;
    struct parse_list items = {0};
    struct syntax_node *n;

    if (at_operator_name(p))
        return operator_name(p);
    syntax_next(p);
    do {
        if (!parse_push(p, &items, syntax_expr(p)))
            return NULL;
    } while (syntax_accept(p, TOKEN_COMMA));
    if (!syntax_expect(p, TOKEN_RPAREN, items.count > 1 ? "',' or ')'" : "')'"))
        return NULL;
    if (items.count > 1) {
        n = parse_node(p, NODE_TUPLE, begin, &items);
        return n && at_lambda_arrow(p) ? arrow_lambda(p, n) : n;
    }
    if (at_lambda_arrow(p))
        return arrow_lambda(p, items.items[0]);
    return items.items[0];
}

static const struct syntax_node *primary(struct syntax_parser *p)
{
    const struct syntax_node *n;

    switch (syntax_peek(p)->kind) {
    case TOKEN_NAME:
        n = word_node(p, NODE_NAME);
        return at_lambda_arrow(p) ? arrow_lambda(p, n) : n;
    case TOKEN_INT:
    case TOKEN_FLOAT:
        return literal(p, false);
    case TOKEN_STRING:
        return word_node(p, NODE_STRING);
    case TOKEN_TRUE:
    case TOKEN_FALSE:
        return word_node(p, NODE_BOOL);
    case TOKEN_LPAREN:
        return parenthesised(p);
    case TOKEN_FUN:
        return fun_lambda(p);
    case TOKEN_LET:
        return let_expr(p);
    case TOKEN_IF:
        return if_expr(p);
    default:
        syntax_expected(p, "an expression");
        return NULL;
    }
}

/* Calls, indices, members. */

static bool takes_tags(const struct syntax_node *callee)
{
    const char *name = callee->kind == NODE_NAME ? syntax_bare(callee->text) : "";

    return strncmp(name, "pad", 3) == 0 || strncmp(name, "inset", 5) == 0;
}

/* An operand begins so; a name that is one itself is followed by something else. */
static bool begins_operand(enum syntax_token_kind kind)
{
    switch (kind) {
    case TOKEN_NAME:
    case TOKEN_INT:
    case TOKEN_FLOAT:
    case TOKEN_STRING:
    case TOKEN_TRUE:
    case TOKEN_FALSE:
    case TOKEN_LPAREN:
    case TOKEN_FUN:
    case TOKEN_LET:
    case TOKEN_IF:
    case TOKEN_MINUS:
    case TOKEN_NOT:
        return true;
    default:
        return false;
    }
}

/* The words constant, value and fill before an operand, in calls of pad and inset. */
static const struct syntax_node *argument(struct syntax_parser *p, bool tags)
{
    enum syntax_token_kind after = syntax_peek_at(p, 1)->kind;
    const struct syntax_token *word = syntax_peek(p);
    struct syntax_node *n;

    if (!tags || !begins_operand(after) ||
        !(syntax_at_word(p, "constant") || syntax_at_word(p, "value") ||
          syntax_at_word(p, "fill")))
        return syntax_expr(p);
    syntax_next(p);
    n = node1(p, NODE_TAGGED, word->span.begin, syntax_expr(p));
    if (n)
        n->text = word->text;
    return n;
}

static bool option(struct syntax_parser *p, struct syntax_option *out)
{
    out->name = syntax_expect_name(p, "the name of an option", &out->span);
    if (!out->name || !syntax_expect(p, TOKEN_ASSIGN, "'='"))
        return false;
    out->value = syntax_expr(p);
    return out->value != NULL;
}

/* 'name[x=1, y=word](...)': the callee with its options, as a call without arguments yet.
 */
static bool options(struct syntax_parser *p, struct syntax_option **out, int *count)
{
    struct syntax_option *items =
        LIFT_NEW_ARRAY(p->arena, struct syntax_option, LIFT_MAX_ATTRS);

    *count = 0;
    syntax_next(p);
    do {
        if (*count == LIFT_MAX_ATTRS) {
            syntax_error(p, syntax_peek(p)->span, "more than %d options", LIFT_MAX_ATTRS);
            return false;
        }
        if (!option(p, &items[(*count)++]))
            return false;
    } while (syntax_accept(p, TOKEN_COMMA));
    *out = items;
    if (!syntax_expect(p, TOKEN_RBRACKET, "',' or ']'"))
        return false;
    if (syntax_peek(p)->kind != TOKEN_LPAREN)
        syntax_expected(p, "'(' after the options");
    return !p->failed;
}

static const struct syntax_node *call(struct syntax_parser *p,
                                      const struct syntax_node *callee)
{
    struct parse_list args = {0};
    struct syntax_option *opts = NULL;
    struct syntax_node *n;
    int opt_count = 0;

    if (syntax_peek(p)->kind == TOKEN_LBRACKET && !options(p, &opts, &opt_count))
        return NULL;
    syntax_next(p);
    parse_push(p, &args, callee);
    do {
        if (!parse_push(p, &args, argument(p, takes_tags(callee))))
            return NULL;
    } while (syntax_accept(p, TOKEN_COMMA));
    if (!syntax_expect(p, TOKEN_RPAREN, "',' or ')'"))
        return NULL;
    n = parse_node(p, NODE_CALL, callee->span.begin, &args);
    if (n) {
        n->options = opts;
        n->option_count = opt_count;
    }
    return n;
}

static const struct syntax_node *index_of(struct syntax_parser *p,
                                          const struct syntax_node *array)
{
    const struct syntax_node *index;

    syntax_next(p);
    index = syntax_expr(p);
    if (!index || !syntax_expect(p, TOKEN_RBRACKET, "']'"))
        return NULL;
    return node2(p, NODE_INDEX, array->span.begin, array, index);
}

static const struct syntax_node *member_of(struct syntax_parser *p,
                                           const struct syntax_node *tuple)
{
    const struct syntax_token *token;
    struct syntax_node *n;

    syntax_next(p);
    token = syntax_peek(p);
    if (!syntax_expect(p, TOKEN_INT, "the number of a member after '.'"))
        return NULL;
    n = node1(p, NODE_MEMBER, tuple->span.begin, tuple);
    if (n)
        n->integer = token->integer;
    return n;
}

static bool at_options(const struct syntax_parser *p, const struct syntax_node *callee)
{
    return callee->kind == NODE_NAME && syntax_peek(p)->kind == TOKEN_LBRACKET &&
           syntax_peek_at(p, 1)->kind == TOKEN_NAME &&
           syntax_peek_at(p, 2)->kind == TOKEN_ASSIGN;
}

static const struct syntax_node *postfix(struct syntax_parser *p)
{
    const struct syntax_node *n = primary(p);

    while (n && !p->failed) {
        enum syntax_token_kind kind = syntax_peek(p)->kind;

        if (kind == TOKEN_LPAREN || at_options(p, n))
            n = call(p, n);
        else if (kind == TOKEN_LBRACKET)
            n = index_of(p, n);
        else if (kind == TOKEN_DOT)
            n = member_of(p, n);
        else
            break;
    }
    return n;
}

/* Operators. */

static const struct syntax_node *unary(struct syntax_parser *p)
{
    const struct syntax_token *token = syntax_peek(p);
    enum syntax_token_kind after = syntax_peek_at(p, 1)->kind;
    const struct syntax_node *operand;
    struct syntax_node *n;

    if (token->kind == TOKEN_MINUS && (after == TOKEN_INT || after == TOKEN_FLOAT))
        return literal(p, true);
    if (token->kind != TOKEN_MINUS && token->kind != TOKEN_NOT)
        return postfix(p);
    if (!parse_enter(p))
        return NULL;
    syntax_next(p);
    operand = unary(p);
    parse_leave(p);
    n = operand ? node1(p, NODE_UNARY, token->span.begin, operand) : NULL;
    if (n)
        n->op = token->kind;
    return n;
}

struct binary_op {
    enum syntax_token_kind token;
    int precedence;
    enum lift_op op;
    bool swap;
};

static const struct binary_op binary_ops[] = {
    {TOKEN_PIPE, 1, LIFT_OP_COUNT, false}, {TOKEN_COMPOSE, 2, LIFT_OP_COUNT, false},
    {TOKEN_OR, 4, LIFT_OR, false},         {TOKEN_AND, 5, LIFT_AND, false},
    {TOKEN_EQ, 6, LIFT_EQ, false},         {TOKEN_NE, 6, LIFT_NE, false},
    {TOKEN_LT, 7, LIFT_LT, false},         {TOKEN_LE, 7, LIFT_LE, false},
    {TOKEN_GT, 7, LIFT_LT, true},          {TOKEN_GE, 7, LIFT_LE, true},
    {TOKEN_PLUS, 8, LIFT_ADD, false},      {TOKEN_MINUS, 8, LIFT_SUB, false},
    {TOKEN_STAR, 9, LIFT_MUL, false},      {TOKEN_SLASH, 9, LIFT_DIV, false},
    {TOKEN_PERCENT, 9, LIFT_MOD, false},
};

enum { PRECEDENCE_PIPE = 1, PRECEDENCE_IF = 3, PRECEDENCE_OR = 4 };

static const struct binary_op *find_binary(enum syntax_token_kind token)
{
    for (size_t i = 0; i < sizeof binary_ops / sizeof *binary_ops; i++)
        if (binary_ops[i].token == token)
            return &binary_ops[i];
    return NULL;
}

enum lift_op syntax_binary_op(enum syntax_token_kind token, bool *swap)
{
    const struct binary_op *op = find_binary(token);

    *swap = op && op->swap;
    return op ? op->op : LIFT_OP_COUNT;
}

static const struct syntax_node *binary(struct syntax_parser *p, int least);

/* 'c ? a : b' stands between the composition of functions and '||'. */
static const struct syntax_node *conditional(struct syntax_parser *p)
{
    const struct syntax_node *c = binary(p, PRECEDENCE_OR);
    struct parse_list args = {0};
    bool ok;

    if (!c || syntax_peek(p)->kind != TOKEN_QUESTION)
        return c;
    if (!parse_enter(p))
        return NULL;
    syntax_next(p);
    ok = parse_push(p, &args, c) && parse_push(p, &args, syntax_expr(p)) &&
         syntax_expect(p, TOKEN_COLON, "':'") && parse_push(p, &args, conditional(p));
    parse_leave(p);
    return ok ? parse_node(p, NODE_IF, c->span.begin, &args) : NULL;
}

/* Left-associative operators of at least precedence 'least'. */
static const struct syntax_node *binary(struct syntax_parser *p, int least)
{
    const struct syntax_node *left = least > PRECEDENCE_IF ? unary(p) : conditional(p);

    while (left && !p->failed) {
        const struct binary_op *op = find_binary(syntax_peek(p)->kind);
        const struct syntax_node *right;
        struct syntax_node *n;

        if (!op || op->precedence < least)
            break;
        syntax_next(p);
        right = op->precedence + 1 == PRECEDENCE_IF ? conditional(p)
                                                    : binary(p, op->precedence + 1);
        n = right ? node2(p, NODE_BINARY, left->span.begin, left, right) : NULL;
        if (n)
            n->op = op->token;
        left = n;
    }
    return left;
}

const struct syntax_node *syntax_expr(struct syntax_parser *p)
{
    const struct syntax_node *n;

    if (!parse_enter(p))
        return NULL;
    n = binary(p, PRECEDENCE_PIPE);
    parse_leave(p);
    return p->failed ? NULL : n;
}
