/* The token stream of a parser, and the parser's nodes and lists. */
#include "base/number.h"
#include "base/str.h"
#include "ir/text/parse_t.h"
#include <string.h>

struct syntax_parser *syntax_open(struct lift_arena *arena,
                                  const struct lift_source *source,
                                  struct lift_error *errors, jmp_buf *failed)
{
    return syntax_open_at(arena, source, 0, errors, failed);
}

struct syntax_parser *syntax_open_at(struct lift_arena *arena,
                                     const struct lift_source *source, size_t begin,
                                     struct lift_error *errors, jmp_buf *failed)
{
    struct syntax_parser *p = LIFT_NEW(arena, struct syntax_parser);
    const struct syntax_token *all;
    int count, kept = 0;

    p->arena = arena;
    p->source = source;
    p->errors = errors;
    p->failed = failed;
    p->end = (struct syntax_token){.span = {source->len, source->len}, .text = ""};
    all = syntax_lex_all(arena, source, begin, errors, &count);
    if (!all)
        longjmp(*failed, 1);
    p->tokens = LIFT_NEW_ARRAY(arena, struct syntax_token, count);
    for (int i = 0; i < count; i++)
        if (all[i].kind != TOKEN_COMMENT)
            p->tokens[kept++] = all[i];
    p->count = kept;
    return p;
}

static void stand_for(struct syntax_token *token, const struct syntax_value *value)
{
    if (value->word) {
        token->text = value->word;
        return;
    }
    token->kind = TOKEN_INT;
    token->integer = value->number;
}

struct syntax_parser *syntax_with(const struct syntax_parser *p,
                                  const struct syntax_value *values, int count)
{
    struct syntax_parser *own = lift_arena_copy(p->arena, p, sizeof *p);

    own->tokens = LIFT_NEW_ARRAY(p->arena, struct syntax_token, p->count + 1);
    for (int i = 0; i < p->count; i++) {
        struct syntax_token *token = &own->tokens[i];

        *token = p->tokens[i];
        for (int k = 0; k < count && token->kind == TOKEN_NAME; k++)
            if (strcmp(token->text, values[k].name) == 0) {
                stand_for(token, &values[k]);
                break;
            }
    }
    return own;
}

void syntax_fail_to(struct syntax_parser *p, jmp_buf *failed)
{
    p->failed = failed;
}

int syntax_at(const struct syntax_parser *p)
{
    return p->at;
}

/* The end of the comment that begins at 'at'. */
static const char *behind_comment(const char *at, const char *end)
{
    const char *last =
        at[1] == '/' ? memchr(at, '\n', (size_t)(end - at)) : strstr(at + 2, "*/") + 2;

    return last ? last : end;
}

/* Copies the text between two tokens without comments: spaces, or a line break and the
 * indentation of the next line. */
static void copy_between(const char *at, const char *end, struct lift_str *out)
{
    bool line = false;
    int spaces = 0;

    while (at < end) {
        if (*at == '/') {
            at = behind_comment(at, end);
            continue;
        }
        line |= *at == '\n';
        spaces = *at == '\n' ? 0 : spaces + 1;
        at++;
    }
    lift_str_add(out, line ? "\n" : "");
    for (int i = 0; i < spaces; i++)
        lift_str_addc(out, ' ');
}

void syntax_copy(const struct syntax_parser *p, int from, int to, struct lift_str *out)
{
    for (int i = from; i < to && i < p->count; i++) {
        struct lift_span span = p->tokens[i].span;
        size_t before = i > from ? p->tokens[i - 1].span.end : span.begin;
        const char *text = p->source->text;

        copy_between(text + before, text + span.begin, out);
        lift_str_addn(out, text + span.begin, span.end - span.begin);
    }
}

const struct syntax_token *syntax_peek_at(const struct syntax_parser *p, int ahead)
{
    return p->at + ahead < p->count ? &p->tokens[p->at + ahead] : &p->end;
}

const struct syntax_token *syntax_peek(const struct syntax_parser *p)
{
    return syntax_peek_at(p, 0);
}

const struct syntax_token *syntax_next(struct syntax_parser *p)
{
    const struct syntax_token *token = syntax_peek(p);

    if (token->kind != TOKEN_END) {
        p->at++;
        p->last_end = token->span.end;
    }
    return token;
}

bool syntax_accept(struct syntax_parser *p, enum syntax_token_kind kind)
{
    if (syntax_peek(p)->kind != kind)
        return false;
    syntax_next(p);
    return true;
}

bool syntax_at_word(const struct syntax_parser *p, const char *word)
{
    const struct syntax_token *token = syntax_peek(p);

    return token->kind == TOKEN_NAME && strcmp(token->text, word) == 0;
}

bool syntax_accept_word(struct syntax_parser *p, const char *word)
{
    if (!syntax_at_word(p, word))
        return false;
    syntax_next(p);
    return true;
}

void syntax_error(struct syntax_parser *p, struct lift_span span, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    lift_vfail_at(p->errors, p->source, span, format, args);
    va_end(args);
    longjmp(*p->failed, 1);
}

void syntax_expected(struct syntax_parser *p, const char *what)
{
    const struct syntax_token *token = syntax_peek(p);

    syntax_error(p, token->span, "expected %s, but got %s", what,
                 syntax_token_name(token, p->arena));
}

void syntax_expect(struct syntax_parser *p, enum syntax_token_kind kind, const char *what)
{
    if (!syntax_accept(p, kind))
        syntax_expected(p, what);
}

const char *syntax_expect_name(struct syntax_parser *p, const char *what,
                               struct lift_span *span)
{
    const struct syntax_token *token = syntax_peek(p);

    if (syntax_is_keyword(token->text))
        syntax_error(p, token->span,
                     "expected %s, but '%s' is a word of the language: try '%s_'", what,
                     token->text, token->text);
    syntax_expect(p, TOKEN_NAME, what);
    if (*token->text == '@')
        syntax_error(p, token->span, "expected %s, but '%s' is a name of the language",
                     what, token->text);
    if (span)
        *span = token->span;
    return token->text;
}

void parse_enter(struct syntax_parser *p)
{
    if (p->nesting >= SYNTAX_MAX_NESTING)
        syntax_error(p, syntax_peek(p)->span, "nested more than %d deep",
                     SYNTAX_MAX_NESTING);
    p->nesting++;
}

void parse_leave(struct syntax_parser *p)
{
    p->nesting--;
}

void parse_push(struct syntax_parser *p, struct parse_list *list,
                const struct syntax_node *node)
{
    if (list->count == SYNTAX_MAX_LIST)
        syntax_error(p, node->span, "a list of more than %d elements", SYNTAX_MAX_LIST);
    LIFT_ARENA_ROOM(p->arena, list->items, list->count, list->cap);
    list->items[list->count++] = node;
}

/* A chain of operators is read and printed without brackets around left operands, so
 * adds no height. */
struct syntax_node *parse_node(struct syntax_parser *p, enum syntax_kind kind,
                               size_t begin, const struct parse_list *args)
{
    struct syntax_node *n = LIFT_NEW(p->arena, struct syntax_node);

    n->kind = kind;
    n->span = (struct lift_span){begin, p->last_end > begin ? p->last_end : begin};
    n->text = "";
    n->height = n->chain = 1;
    if (args) {
        n->args = args->items;
        n->arg_count = args->count;
    }
    for (int i = 0; i < n->arg_count; i++) {
        bool left = kind == NODE_BINARY && i == 0;

        n->height = (int)lift_max(n->height, n->args[i]->height + !left);
        n->chain = (int)lift_max(n->chain, n->args[i]->chain + 1);
    }
    if (n->chain > SYNTAX_MAX_CHAIN)
        syntax_error(p, n->args[n->arg_count - 1]->span,
                     "more than %d operators in a row: write them in parts, "
                     "(a + b) + (c + d), or as a 'reduce'",
                     SYNTAX_MAX_CHAIN);
    if (n->height > SYNTAX_MAX_HEIGHT)
        syntax_error(p, n->span, "an expression of more than %d levels",
                     SYNTAX_MAX_HEIGHT);
    return n;
}
