/* Types: f32, f32<4>, (a, b), [a]n, (a, b) -> c. */
#include "ir/text/parse_t.h"

static struct syntax_node *type_word(struct syntax_parser *p)
{
    const struct syntax_token *token = syntax_next(p);
    struct parse_list args = {0};
    struct syntax_node *n;
    const struct syntax_token *width;

    if (syntax_peek(p)->kind != TOKEN_LT || syntax_peek_at(p, 1)->kind != TOKEN_INT) {
        n = parse_node(p, NODE_TYPE_NAME, token->span.begin, NULL);
        n->text = token->text;
        return n;
    }
    syntax_next(p);
    width = syntax_next(p);
    syntax_expect(p, TOKEN_GT, "'>'");
    n = parse_node(p, NODE_INT, width->span.begin, NULL);
    n->integer = width->integer;
    n->span.end = width->span.end;
    parse_push(p, &args, n);
    n = parse_node(p, NODE_TYPE_VECTOR, token->span.begin, &args);
    n->text = token->text;
    return n;
}

static bool at_length_call(const struct syntax_parser *p)
{
    return syntax_peek_at(p, 1)->kind == TOKEN_LPAREN &&
           (syntax_at_word(p, "min") || syntax_at_word(p, "max") ||
            syntax_at_word(p, "ceil"));
}

static struct syntax_node *length_call(struct syntax_parser *p)
{
    const struct syntax_token *token = syntax_next(p);
    struct parse_list args = {0};
    struct syntax_node *name = parse_node(p, NODE_NAME, token->span.begin, NULL);

    name->text = token->text;
    parse_push(p, &args, name);
    syntax_next(p);
    do
        parse_push(p, &args, syntax_expr(p));
    while (syntax_accept(p, TOKEN_COMMA));
    syntax_expect(p, TOKEN_RPAREN, "',' or ')'");
    return parse_node(p, NODE_CALL, token->span.begin, &args);
}

/* Reads a number, a name, a call of min, max or ceil, or anything in parentheses. */
static const struct syntax_node *length(struct syntax_parser *p)
{
    const struct syntax_token *token = syntax_peek(p);
    const struct syntax_node *inner;
    struct syntax_node *n;

    if (at_length_call(p))
        return length_call(p);
    if (token->kind == TOKEN_INT || token->kind == TOKEN_NAME) {
        syntax_next(p);
        n = parse_node(p, token->kind == TOKEN_INT ? NODE_INT : NODE_NAME,
                       token->span.begin, NULL);
        n->integer = token->integer;
        n->suffix = token->suffix;
        n->text = token->text;
        return n;
    }
    syntax_expect(p, TOKEN_LPAREN, "the length of the array");
    inner = syntax_expr(p);
    syntax_expect(p, TOKEN_RPAREN, "')'");
    return inner;
}

static struct syntax_node *array_type(struct syntax_parser *p)
{
    size_t begin = syntax_next(p)->span.begin;
    struct parse_list args = {0};

    parse_push(p, &args, syntax_type(p));
    syntax_expect(p, TOKEN_RBRACKET, "']'");
    parse_push(p, &args, length(p));
    return parse_node(p, NODE_TYPE_ARRAY, begin, &args);
}

static const struct syntax_node *tuple_type(struct syntax_parser *p)
{
    size_t begin = syntax_next(p)->span.begin;
    struct parse_list args = {0};

    do
        parse_push(p, &args, syntax_type(p));
    while (syntax_accept(p, TOKEN_COMMA));
    syntax_expect(p, TOKEN_RPAREN, "',' or ')'");
    if (!syntax_accept(p, TOKEN_ARROW))
        return parse_node(p, NODE_TYPE_TUPLE, begin, &args);
    parse_push(p, &args, syntax_type(p));
    return parse_node(p, NODE_TYPE_FUN, begin, &args);
}

const char *syntax_store(struct syntax_parser *p, struct lift_span *span)
{
    *span = syntax_peek(p)->span;
    return syntax_accept_word(p, "store") ? syntax_expect_name(p, "f16 or bf16", span)
                                          : NULL;
}

/* A type with an optional storage type. */
static const struct syntax_node *stored_type(struct syntax_parser *p,
                                             const struct syntax_node *type)
{
    struct lift_span span;
    const char *word = syntax_store(p, &span);
    struct syntax_node *n;

    if (!word)
        return type;
    n = parse_node1(p, NODE_TYPE_STORE, span.begin, type);
    n->text = word;
    return n;
}

const struct syntax_node *syntax_type(struct syntax_parser *p)
{
    const struct syntax_node *n;

    parse_enter(p);
    switch (syntax_peek(p)->kind) {
    case TOKEN_NAME:
        n = type_word(p);
        break;
    case TOKEN_LBRACKET:
        n = array_type(p);
        break;
    case TOKEN_LPAREN:
        n = tuple_type(p);
        break;
    default:
        syntax_expected(p, "a type");
    }
    n = stored_type(p, n);
    parse_leave(p);
    return n;
}
