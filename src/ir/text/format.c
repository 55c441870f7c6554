/* The formatter works on tokens. Line breaks stay (at most one blank line); comments and
 * names are copied. Spaces and indentation depend only on the brackets around a token
 * and the previous token. So formatting twice equals formatting once. */
#include "ir/text/elab_t.h"
#include "lift/parse.h"
#include <string.h>

enum { INDENT = 4, MAX_OPEN = 3 * SYNTAX_MAX_NESTING };

enum bracket { TOP, PAREN, BRACE, INDEX, OPTIONS, LENGTHS };

/* An open bracket around a token. */
struct open {
    enum bracket kind;
    int indent;    /* indent of the line that opened the bracket */
    int inside;    /* indent of the lines inside */
    int questions; /* number of '?' without their ':' */
};

struct formatter {
    const struct lift_source *source;
    const struct syntax_token *tokens; /* including comments */
    int count, at;
    struct lift_str *out;
    struct open open[MAX_OPEN];
    int depth;
    int line_indent;
    enum bracket closed; /* kind of the most recently closed bracket */
    bool in_time, was_unary;
};

static bool is_operand_end(enum syntax_token_kind kind)
{
    switch (kind) {
    case TOKEN_NAME:
    case TOKEN_INT:
    case TOKEN_FLOAT:
    case TOKEN_STRING:
    case TOKEN_TRUE:
    case TOKEN_FALSE:
    case TOKEN_RPAREN:
    case TOKEN_RBRACKET:
    case TOKEN_RBRACE:
        return true;
    default:
        return false;
    }
}

/* True for marks between two operands. */
static bool is_binary(enum syntax_token_kind kind)
{
    bool swap;

    return kind == TOKEN_PIPE || kind == TOKEN_COMPOSE || kind == TOKEN_QUESTION ||
           kind == TOKEN_COLON || kind == TOKEN_ASSIGN || kind == TOKEN_FATARROW ||
           kind == TOKEN_ARROW || kind == TOKEN_REWRITE || kind == TOKEN_BOTH_WAYS ||
           syntax_binary_op(kind, &swap) != LIFT_OP_COUNT;
}

static bool is_bridge(enum syntax_token_kind kind)
{
    return is_binary(kind) || kind == TOKEN_THEN || kind == TOKEN_ELSE ||
           kind == TOKEN_IN || kind == TOKEN_DOT || kind == TOKEN_DOTDOT;
}

/* The token at distance 'step', ignoring comments. */
static const struct syntax_token *neighbour(const struct formatter *f, int i, int step)
{
    static const struct syntax_token none = {.kind = TOKEN_END, .text = ""};

    for (i += step; i >= 0 && i < f->count; i += step)
        if (f->tokens[i].kind != TOKEN_COMMENT)
            return &f->tokens[i];
    return &none;
}

/* True if a line that starts with this token continues the previous line's statement. A
 * range may be open: 'in 9..' at the end of a line. */
static bool continues(const struct formatter *f, int i)
{
    enum syntax_token_kind before = neighbour(f, i, -1)->kind;
    const struct syntax_token *token = &f->tokens[i];

    if (token->kind == TOKEN_COMMENT)
        token = neighbour(f, i, 1);
    if (before == TOKEN_DOTDOT && token->kind != TOKEN_INT && token->kind != TOKEN_MINUS)
        return is_bridge(token->kind);
    return is_bridge(token->kind) || is_bridge(before) || before == TOKEN_COMMA ||
           before == TOKEN_IF || before == TOKEN_RETURN || before == TOKEN_NOT;
}

static int indent_of(const struct formatter *f, int i)
{
    const struct open *o = &f->open[f->depth];
    enum syntax_token_kind kind = f->tokens[i].kind;

    if (kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET || kind == TOKEN_RBRACE)
        return o->indent;
    if ((o->kind == TOP || o->kind == BRACE) && continues(f, i))
        return o->inside + INDENT;
    return o->inside;
}

/* ---- spaces */

static bool is_vector_mark(const struct formatter *f, int i)
{
    const struct syntax_token *t = f->tokens;
    enum lift_scalar scalar;
    int lt = t[i].kind == TOKEN_LT ? i : t[i].kind == TOKEN_INT ? i - 1 : i - 2;

    return lt > 0 && lt + 2 < f->count && t[lt].kind == TOKEN_LT &&
           t[lt + 1].kind == TOKEN_INT && t[lt + 2].kind == TOKEN_GT &&
           t[lt - 1].kind == TOKEN_NAME && elab_scalar_word(t[lt - 1].text, &scalar);
}

static bool is_time_arrow(const struct formatter *f, int i)
{
    return f->in_time && f->tokens[i].kind == TOKEN_LT && i + 1 < f->count &&
           f->tokens[i + 1].kind == TOKEN_MINUS;
}

/* True unless the '(' is that of a call, or the '[' that of an index. */
static bool space_before_open(const struct formatter *f,
                              const struct syntax_token *before,
                              enum syntax_token_kind kind)
{
    if (before->kind == TOKEN_FUN)
        return false;
    if (before->kind == TOKEN_NAME)
        return f->in_time && kind == TOKEN_LPAREN;
    return before->kind != TOKEN_RPAREN && before->kind != TOKEN_RBRACKET &&
           before->kind != TOKEN_INT;
}

static bool is_unary(const struct formatter *f, int i)
{
    enum syntax_token_kind kind = f->tokens[i].kind;

    return kind == TOKEN_NOT ||
           (kind == TOKEN_MINUS && !is_operand_end(neighbour(f, i, -1)->kind));
}

/* True for the 1 of 'm.1'. */
static bool is_member_number(const struct formatter *f, const struct syntax_token *number)
{
    return neighbour(f, (int)(number - f->tokens), -1)->kind == TOKEN_DOT;
}

/* True for a '.' directly after a number: without a space, the dot would become part of
 * the number. */
static bool is_dot_of_number(const struct formatter *f, int i)
{
    enum syntax_token_kind before = neighbour(f, i, -1)->kind;

    return f->tokens[i].kind == TOKEN_DOT &&
           (before == TOKEN_FLOAT ||
            (before == TOKEN_INT && !is_member_number(f, neighbour(f, i, -1))));
}

static bool space_after(const struct formatter *f, int i)
{
    switch (f->tokens[i].kind) {
    case TOKEN_LPAREN:
    case TOKEN_LBRACKET:
    case TOKEN_DOTDOT:
        return false;
    case TOKEN_DOT:
        return is_dot_of_number(f, i);
    default:
        return !f->was_unary;
    }
}

/* True if a space precedes the token on the same line. */
static bool wants_space(const struct formatter *f, int i)
{
    const struct syntax_token *token = &f->tokens[i], *before = &f->tokens[i - 1];
    const struct open *o = &f->open[f->depth];

    if (!space_after(f, i - 1))
        return false;
    switch (token->kind) {
    case TOKEN_RPAREN:
    case TOKEN_RBRACKET:
    case TOKEN_COMMA:
    case TOKEN_SEMICOLON:
    case TOKEN_DOTS:
        return false;
    case TOKEN_DOT:
        return is_dot_of_number(f, i);
    case TOKEN_DOTDOT:
        return before->kind == TOKEN_IN;
    case TOKEN_LPAREN:
    case TOKEN_LBRACKET:
        return space_before_open(f, before, token->kind);
    case TOKEN_COLON:
        return o->questions > 0;
    case TOKEN_MINUS:
        return !is_time_arrow(f, i - 1);
    default:
        break;
    }
    if (before->kind == TOKEN_RBRACKET && f->closed == LENGTHS &&
        (token->kind == TOKEN_NAME || token->kind == TOKEN_INT))
        return false;
    if (o->kind == OPTIONS &&
        (token->kind == TOKEN_ASSIGN || before->kind == TOKEN_ASSIGN))
        return false;
    return !(is_vector_mark(f, i) && token->kind != TOKEN_NAME);
}

/* ---- brackets */

static enum bracket bracket_kind(const struct formatter *f, int i)
{
    if (f->tokens[i].kind == TOKEN_LPAREN)
        return PAREN;
    if (f->tokens[i].kind == TOKEN_LBRACE)
        return BRACE;
    if (!is_operand_end(neighbour(f, i, -1)->kind))
        return LENGTHS;
    if (i + 2 < f->count && f->tokens[i + 1].kind == TOKEN_NAME &&
        f->tokens[i + 2].kind == TOKEN_ASSIGN)
        return OPTIONS;
    return INDEX;
}

static void track(struct formatter *f, int i)
{
    switch (f->tokens[i].kind) {
    case TOKEN_LPAREN:
    case TOKEN_LBRACKET:
    case TOKEN_LBRACE:
        if (f->depth + 1 < MAX_OPEN)
            f->open[++f->depth] = (struct open){bracket_kind(f, i), f->line_indent,
                                                f->line_indent + INDENT, 0};
        break;
    case TOKEN_RPAREN:
    case TOKEN_RBRACKET:
    case TOKEN_RBRACE:
        f->closed = f->open[f->depth].kind;
        f->depth -= f->depth > 0;
        break;
    case TOKEN_QUESTION:
        f->open[f->depth].questions++;
        break;
    case TOKEN_COLON:
        f->open[f->depth].questions -= f->open[f->depth].questions > 0;
        break;
    default:
        break;
    }
}

/* ---- lines */

static int newlines_before(const struct formatter *f, int i)
{
    size_t from = i ? f->tokens[i - 1].span.end : 0;
    int lines = 0;

    for (size_t at = from; at < f->tokens[i].span.begin; at++)
        lines += f->source->text[at] == '\n';
    return lines;
}

static bool is_line_comment(const struct formatter *f, int i)
{
    return f->tokens[i].kind == TOKEN_COMMENT &&
           f->source->text[f->tokens[i].span.begin + 1] == '/';
}

/* Keeps comments at the end of lines in their column if possible. */
static int spaces_before(const struct formatter *f, int i)
{
    size_t gap = f->tokens[i].span.begin - f->tokens[i - 1].span.end;

    return gap < 1 ? 1 : gap > 60 ? 60 : (int)gap;
}

static void emit(struct formatter *f, int i)
{
    const struct syntax_token *token = &f->tokens[i];
    size_t len = token->span.end - token->span.begin;
    const char *text = f->source->text + token->span.begin;
    int lines = newlines_before(f, i);

    if (f->depth == 0 && token->kind == TOKEN_NAME && !continues(f, i))
        f->in_time = strcmp(token->text, "time") == 0;
    if (i == 0 || lines) {
        if (f->out->len)
            lift_str_add(f->out, lines > 1 ? "\n\n" : "\n");
        f->line_indent = indent_of(f, i);
        lift_str_addf(f->out, "%*s", f->line_indent, "");
    } else if (is_line_comment(f, i))
        lift_str_addf(f->out, "%*s", spaces_before(f, i), "");
    else if (wants_space(f, i))
        lift_str_addc(f->out, ' ');
    while (is_line_comment(f, i) && text[len - 1] <= ' ' && text[len - 1] > 0)
        len--;
    lift_str_addn(f->out, text, len);
    f->was_unary = is_unary(f, i) && !is_time_arrow(f, i - (i > 0));
    track(f, i);
}

bool lift_format(const struct lift_source *source, struct lift_error *errors,
                 struct lift_str *out)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct formatter *f = LIFT_NEW(arena, struct formatter);
    jmp_buf failed;

    if (!lift_source_given(source, errors))
        return false;
    if (setjmp(failed))
        return false;
    syntax_program(syntax_open(arena, source, errors, &failed));
    f->source = source;
    f->out = out;
    f->tokens = syntax_lex_all(arena, source, 0, errors, &f->count);
    f->count--; /* without TOKEN_END */
    for (int i = 0; i < f->count; i++)
        emit(f, i);
    if (out->len)
        lift_str_addc(out, '\n');
    return true;
}
