/* Binding constructs: patterns, parameters, functions, lets and blocks. */
#include "ir/text/parse_t.h"

/* ---- patterns and parameters */

static void read_pattern(struct syntax_parser *p, struct syntax_param *out);

/* A type also applies to preceding names without a type: 'p, q: f32'. */
const struct syntax_param *syntax_params(struct syntax_parser *p, int *count)
{
    struct syntax_param *items = NULL;
    int cap = 0;

    *count = 0;
    do {
        if (*count == SYNTAX_MAX_LIST)
            syntax_expected(p, "fewer parameters");
        LIFT_ARENA_ROOM(p->arena, items, *count, cap);
        read_pattern(p, &items[(*count)++]);
        if (syntax_accept(p, TOKEN_COLON)) {
            items[*count - 1].type = syntax_type(p);
            for (int i = *count - 2; i >= 0 && !items[i].type && items[i].name; i--)
                items[i].type = items[*count - 1].type;
        }
    } while (syntax_accept(p, TOKEN_COMMA));
    return items;
}

static void read_pattern(struct syntax_parser *p, struct syntax_param *out)
{
    size_t begin = syntax_peek(p)->span.begin;

    if (syntax_peek(p)->kind != TOKEN_LPAREN) {
        out->name = syntax_expect_name(p, "a name", &out->span);
        return;
    }
    parse_enter(p);
    syntax_next(p);
    out->parts = syntax_params(p, &out->part_count);
    syntax_expect(p, TOKEN_RPAREN, "')'");
    out->span = (struct lift_span){begin, p->last_end};
    parse_leave(p);
}

/* Reads the names of '(a, (b, c))' again as the pattern of a lambda. */
static void pattern_of(struct syntax_parser *p, const struct syntax_node *node,
                       struct syntax_param *out)
{
    struct syntax_param *parts;

    out->span = node->span;
    if (node->kind == NODE_NAME) {
        out->name = node->text;
        return;
    }
    if (node->kind != NODE_TUPLE)
        syntax_error(p, node->span, "expected the name of a parameter");
    parts = LIFT_NEW_ARRAY(p->arena, struct syntax_param, node->arg_count);
    for (int i = 0; i < node->arg_count; i++)
        pattern_of(p, node->args[i], &parts[i]);
    out->parts = parts;
    out->part_count = node->arg_count;
}

/* ---- functions */

static const struct syntax_node *lambda_body(struct syntax_parser *p)
{
    return syntax_peek(p)->kind == TOKEN_LBRACE ? syntax_block(p) : syntax_expr(p);
}

bool parse_at_arrow(const struct syntax_parser *p)
{
    enum syntax_token_kind kind = syntax_peek(p)->kind;

    return kind == TOKEN_FATARROW || kind == TOKEN_ARROW;
}

/* Reads 'x => body' or '(a, b) => body'; 'head' is the part before the arrow. */
const struct syntax_node *parse_arrow_lambda(struct syntax_parser *p,
                                             const struct syntax_node *head)
{
    struct syntax_param *param = LIFT_NEW(p->arena, struct syntax_param);
    struct syntax_node *n;

    pattern_of(p, head, param);
    syntax_next(p);
    n = parse_node1(p, NODE_LAMBDA, head->span.begin, lambda_body(p));
    n->loose_params = !param->name;
    n->params = param->name ? param : param->parts;
    n->param_count = param->name ? 1 : param->part_count;
    return n;
}

/* Reads 'fun(params => body)' or 'fun(params) => body'. */
const struct syntax_node *parse_fun_lambda(struct syntax_parser *p)
{
    size_t begin = syntax_next(p)->span.begin;
    const struct syntax_param *params;
    const struct syntax_node *body;
    struct syntax_node *n;
    int count;
    bool closed;

    syntax_expect(p, TOKEN_LPAREN, "'('");
    params = syntax_params(p, &count);
    closed = syntax_accept(p, TOKEN_RPAREN);
    if (!parse_at_arrow(p))
        syntax_expected(p, "'=>'");
    syntax_next(p);
    body = lambda_body(p);
    if (!closed)
        syntax_expect(p, TOKEN_RPAREN, "')'");
    n = parse_node1(p, NODE_LAMBDA, begin, body);
    n->params = params;
    n->param_count = count;
    return n;
}

/* ---- blocks and lets. A binding is a NODE_LET whose body is the rest of the block. */

static struct syntax_node *make_let(struct syntax_parser *p, size_t begin,
                                    const struct syntax_param *pattern,
                                    const struct syntax_node *value,
                                    const struct syntax_node *body)
{
    struct syntax_node *n = parse_node2(p, NODE_LET, begin, value, body);

    n->op = TOKEN_VAL;
    n->params = pattern;
    n->param_count = 1;
    return n;
}

static const struct syntax_param *binding(struct syntax_parser *p,
                                          const struct syntax_node **value)
{
    struct syntax_param *pattern = LIFT_NEW(p->arena, struct syntax_param);

    read_pattern(p, pattern);
    if (syntax_accept(p, TOKEN_COLON))
        pattern->type = syntax_type(p);
    syntax_expect(p, TOKEN_ASSIGN, "'='");
    *value = lambda_body(p);
    return pattern;
}

const struct syntax_node *parse_let(struct syntax_parser *p)
{
    size_t begin = syntax_next(p)->span.begin;
    const struct syntax_node *value;
    const struct syntax_param *pattern = binding(p, &value);
    struct syntax_node *n;

    if (!syntax_accept(p, TOKEN_IN) && !syntax_accept(p, TOKEN_SEMICOLON))
        syntax_expected(p, "';' or 'in'");
    n = make_let(p, begin, pattern, value, syntax_expr(p));
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

    while (syntax_peek(p)->kind == TOKEN_VAL) {
        struct statement *s = LIFT_NEW(p->arena, struct statement);

        s->begin = syntax_next(p)->span.begin;
        s->pattern = binding(p, &s->value);
        s->before = last;
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

    parse_enter(p);
    syntax_expect(p, TOKEN_LBRACE, "'{'");
    body = block_inside(p);
    syntax_expect(p, TOKEN_RBRACE, "'}'");
    parse_leave(p);
    return body;
}
