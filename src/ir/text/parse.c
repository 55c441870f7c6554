/* The expressions of the grammar in docs/language.md. */
#include "ir/text/parse_t.h"
#include <string.h>

struct syntax_node *parse_node1(struct syntax_parser *p, enum syntax_kind kind,
                                size_t begin, const struct syntax_node *a)
{
    struct parse_list args = {0};

    parse_push(p, &args, a);
    return parse_node(p, kind, begin, &args);
}

struct syntax_node *parse_node2(struct syntax_parser *p, enum syntax_kind kind,
                                size_t begin, const struct syntax_node *a,
                                const struct syntax_node *b)
{
    struct parse_list args = {0};

    parse_push(p, &args, a);
    parse_push(p, &args, b);
    return parse_node(p, kind, begin, &args);
}

/* ---- operands */

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

    parse_push(p, &args, syntax_expr(p));
    syntax_expect(p, TOKEN_THEN, "'then'");
    parse_push(p, &args, syntax_expr(p));
    syntax_expect(p, TOKEN_ELSE, "'else'");
    parse_push(p, &args, syntax_expr(p));
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
    n->text = lift_arena_printf(p->arena, "@%s", lift_prim_info(op)->name);
    if (swap)
        syntax_error(p, n->span,
                     "'>' and '>=' have no function; exchange the arguments of "
                     "'lt' or 'le'");
    return n;
}

static bool at_operator_name(const struct syntax_parser *p)
{
    bool swap;

    return syntax_peek_at(p, 2)->kind == TOKEN_RPAREN &&
           syntax_binary_op(syntax_peek_at(p, 1)->kind, &swap) != LIFT_OP_COUNT;
}

/* Reads an optional '...' after 'e'. */
static const struct syntax_node *perhaps_list(struct syntax_parser *p,
                                              const struct syntax_node *e)
{
    return syntax_accept(p, TOKEN_DOTS) ? parse_node1(p, NODE_LIST, e->span.begin, e) : e;
}

/* Reads '(e)' as e, and '(a, b)' and '(a...)' as tuples. */
static const struct syntax_node *parenthesised(struct syntax_parser *p)
{
    size_t begin = syntax_peek(p)->span.begin;
    struct parse_list items = {0};
    const struct syntax_node *n;

    if (at_operator_name(p))
        return operator_name(p);
    syntax_next(p);
    do
        parse_push(p, &items, perhaps_list(p, syntax_expr(p)));
    while (syntax_accept(p, TOKEN_COMMA));
    syntax_expect(p, TOKEN_RPAREN, items.count > 1 ? "',' or ')'" : "')'");
    n = items.items[0];
    if (items.count > 1 || n->kind == NODE_LIST)
        n = parse_node(p, NODE_TUPLE, begin, &items);
    return parse_at_arrow(p) ? parse_arrow_lambda(p, n) : n;
}

static const struct syntax_node *primary(struct syntax_parser *p)
{
    const struct syntax_node *n;

    switch (syntax_peek(p)->kind) {
    case TOKEN_NAME:
        n = word_node(p, NODE_NAME);
        return parse_at_arrow(p) ? parse_arrow_lambda(p, n) : n;
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
        return parse_fun_lambda(p);
    case TOKEN_LET:
        return parse_let(p);
    case TOKEN_IF:
        return if_expr(p);
    default:
        syntax_expected(p, "an expression");
    }
}

/* ---- calls, indices, members */

static bool takes_tags(const struct syntax_node *callee)
{
    const char *name = callee->kind == NODE_NAME ? syntax_bare(callee->text) : "";

    return strncmp(name, "pad", 3) == 0 || strncmp(name, "inset", 5) == 0;
}

/* True if the token can begin an operand. A tag word that is itself a name is followed
 * by another kind of token. */
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

/* Reads an argument, with the words constant, value and fill in calls of pad and
 * inset. */
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
    n = parse_node1(p, NODE_TAGGED, word->span.begin, syntax_expr(p));
    n->text = word->text;
    return n;
}

static void option(struct syntax_parser *p, struct syntax_option *out)
{
    out->name = syntax_expect_name(p, "the name of an option", &out->span);
    syntax_expect(p, TOKEN_ASSIGN, "'='");
    out->value = syntax_expr(p);
}

/* Reads the options of 'name[x=1, y=word](...)'. The callee with options is a call
 * without arguments yet. */
static const struct syntax_option *options(struct syntax_parser *p, int *count)
{
    struct syntax_option *items =
        LIFT_NEW_ARRAY(p->arena, struct syntax_option, LIFT_MAX_ATTRS);

    syntax_next(p);
    do {
        if (*count == LIFT_MAX_ATTRS)
            syntax_error(p, syntax_peek(p)->span, "more than %d options", LIFT_MAX_ATTRS);
        option(p, &items[(*count)++]);
    } while (syntax_accept(p, TOKEN_COMMA));
    syntax_expect(p, TOKEN_RBRACKET, "',' or ']'");
    if (syntax_peek(p)->kind != TOKEN_LPAREN)
        syntax_expected(p, "'(' after the options");
    return items;
}

static const struct syntax_node *call(struct syntax_parser *p,
                                      const struct syntax_node *callee)
{
    struct parse_list args = {0};
    const struct syntax_option *opts = NULL;
    struct syntax_node *n;
    int opt_count = 0;

    if (syntax_peek(p)->kind == TOKEN_LBRACKET)
        opts = options(p, &opt_count);
    syntax_next(p);
    parse_push(p, &args, callee);
    do
        parse_push(p, &args, perhaps_list(p, argument(p, takes_tags(callee))));
    while (syntax_accept(p, TOKEN_COMMA));
    syntax_expect(p, TOKEN_RPAREN, "',' or ')'");
    n = parse_node(p, NODE_CALL, callee->span.begin, &args);
    n->options = opts;
    n->option_count = opt_count;
    return n;
}

static const struct syntax_node *index_of(struct syntax_parser *p,
                                          const struct syntax_node *array)
{
    const struct syntax_node *index;

    syntax_next(p);
    index = syntax_expr(p);
    syntax_expect(p, TOKEN_RBRACKET, "']'");
    return parse_node2(p, NODE_INDEX, array->span.begin, array, index);
}

static const struct syntax_node *member_of(struct syntax_parser *p,
                                           const struct syntax_node *tuple)
{
    const struct syntax_token *token;
    struct syntax_node *n;

    syntax_next(p);
    token = syntax_peek(p);
    syntax_expect(p, TOKEN_INT, "the number of a member after '.'");
    n = parse_node1(p, NODE_MEMBER, tuple->span.begin, tuple);
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

    for (;;) {
        enum syntax_token_kind kind = syntax_peek(p)->kind;

        if (kind == TOKEN_LPAREN || at_options(p, n))
            n = call(p, n);
        else if (kind == TOKEN_LBRACKET)
            n = index_of(p, n);
        else if (kind == TOKEN_DOT)
            n = member_of(p, n);
        else
            return n;
    }
}

/* ---- operators */

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
    parse_enter(p);
    syntax_next(p);
    operand = unary(p);
    parse_leave(p);
    n = parse_node1(p, NODE_UNARY, token->span.begin, operand);
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

/* 'c ? a : b' binds more strongly than function composition, and less than '||'. */
static const struct syntax_node *conditional(struct syntax_parser *p)
{
    const struct syntax_node *c = binary(p, PRECEDENCE_OR);
    struct parse_list args = {0};

    if (syntax_peek(p)->kind != TOKEN_QUESTION)
        return c;
    parse_enter(p);
    syntax_next(p);
    parse_push(p, &args, c);
    parse_push(p, &args, syntax_expr(p));
    syntax_expect(p, TOKEN_COLON, "':'");
    parse_push(p, &args, conditional(p));
    parse_leave(p);
    return parse_node(p, NODE_IF, c->span.begin, &args);
}

/* Reads left-associative operators of precedence 'least' or higher. */
static const struct syntax_node *binary(struct syntax_parser *p, int least)
{
    const struct syntax_node *left = least > PRECEDENCE_IF ? unary(p) : conditional(p);

    for (;;) {
        const struct binary_op *op = find_binary(syntax_peek(p)->kind);
        const struct syntax_node *right;
        struct syntax_node *n;

        if (!op || op->precedence < least)
            return left;
        syntax_next(p);
        right = op->precedence + 1 == PRECEDENCE_IF ? conditional(p)
                                                    : binary(p, op->precedence + 1);
        n = parse_node2(p, NODE_BINARY, left->span.begin, left, right);
        n->op = op->token;
        left = n;
    }
}

const struct syntax_node *syntax_expr(struct syntax_parser *p)
{
    const struct syntax_node *n;

    parse_enter(p);
    n = binary(p, PRECEDENCE_PIPE);
    parse_leave(p);
    return n;
}
