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
    if (!syntax_expect(p, TOKEN_GT, "'>'"))
        return NULL;
    n = parse_node(p, NODE_INT, width->span.begin, NULL);
    n->integer = width->integer;
    n->span.end = width->span.end;
    parse_push(p, &args, n);
    n = parse_node(p, NODE_TYPE_VECTOR, token->span.begin, &args);
    if (n)
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
    do {
        if (!parse_push(p, &args, syntax_expr(p)))
            return NULL;
    } while (syntax_accept(p, TOKEN_COMMA));
    if (!syntax_expect(p, TOKEN_RPAREN, "',' or ')'"))
        return NULL;
    return parse_node(p, NODE_CALL, token->span.begin, &args);
}

/* A number, a name, a call of min, max or ceil, or anything in parentheses. */
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
    if (!syntax_expect(p, TOKEN_LPAREN, "the length of the array"))
        return NULL;
    inner = syntax_expr(p);
    return inner && syntax_expect(p, TOKEN_RPAREN, "')'") ? inner : NULL;
}

static struct syntax_node *array_type(struct syntax_parser *p)
{
    size_t begin = syntax_next(p)->span.begin;
    struct parse_list args = {0};

    if (!parse_push(p, &args, syntax_type(p)) ||
        !syntax_expect(p, TOKEN_RBRACKET, "']'") || !parse_push(p, &args, length(p)))
        return NULL;
    return parse_node(p, NODE_TYPE_ARRAY, begin, &args);
}

static const struct syntax_node *tuple_type(struct syntax_parser *p)
{
    size_t begin = syntax_next(p)->span.begin;
    struct parse_list args = {0};

    do {
        if (!parse_push(p, &args, syntax_type(p)))
            return NULL;
    } while (syntax_accept(p, TOKEN_COMMA));
    if (!syntax_expect(p, TOKEN_RPAREN, "',' or ')'"))
        return NULL;
    if (syntax_accept(p, TOKEN_ARROW)) {
        if (!parse_push(p, &args, syntax_type(p)))
            return NULL;
        return parse_node(p, NODE_TYPE_FUN, begin, &args);
    }
    return parse_node(p, NODE_TYPE_TUPLE, begin, &args);
}

const char *syntax_store(struct syntax_parser *p, struct lift_span *span)
{
    const char *word = NULL;

    *span = syntax_peek(p)->span;
    if (syntax_accept_word(p, "store"))
        word = syntax_expect_name(p, "f16 or bf16", span);
    return word;
}

/* A type and how it is stored, if that is said. */
static const struct syntax_node *stored_type(struct syntax_parser *p,
                                             const struct syntax_node *type)
{
    struct lift_span span;
    const char *word = type ? syntax_store(p, &span) : NULL;
    struct syntax_node *n;

    if (!word || p->failed)
        return type;
    n = parse_node1(p, NODE_TYPE_STORE, span.begin, type);
    if (n)
        n->text = word;
    return n;
}

const struct syntax_node *syntax_type(struct syntax_parser *p)
{
    const struct syntax_node *n = NULL;

    if (!parse_enter(p))
        return NULL;
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
    return p->failed ? NULL : n;
}
