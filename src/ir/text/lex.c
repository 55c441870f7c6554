#include "base/locale.h"
#include "base/utf8.h"
#include "ir/syntax.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lexer {
    struct lift_arena *arena;
    const struct lift_source *source;
    struct lift_error *errors;
    size_t at;
    struct syntax_token *tokens;
    int count, cap;
    bool failed;
};

struct mark {
    const char *text;
    enum syntax_token_kind kind;
};

/* Longer marks precede their prefixes. The grammar decides some marks without an entry:
 * '<-' is read as '<' and '-', since 'a<-b' is a comparison. */
static const struct mark marks[] = {
    {"=>", TOKEN_FATARROW}, {"->", TOKEN_ARROW},      {"~>", TOKEN_REWRITE},
    {"|>", TOKEN_PIPE},     {">>", TOKEN_COMPOSE},    {"...", TOKEN_DOTS},
    {"..", TOKEN_DOTDOT},   {"<~>", TOKEN_BOTH_WAYS}, {"<=", TOKEN_LE},
    {">=", TOKEN_GE},       {"==", TOKEN_EQ},         {"!=", TOKEN_NE},
    {"&&", TOKEN_AND},      {"||", TOKEN_OR},         {"(", TOKEN_LPAREN},
    {")", TOKEN_RPAREN},    {"[", TOKEN_LBRACKET},    {"]", TOKEN_RBRACKET},
    {"{", TOKEN_LBRACE},    {"}", TOKEN_RBRACE},      {",", TOKEN_COMMA},
    {";", TOKEN_SEMICOLON}, {":", TOKEN_COLON},       {".", TOKEN_DOT},
    {"?", TOKEN_QUESTION},  {"=", TOKEN_ASSIGN},      {"+", TOKEN_PLUS},
    {"-", TOKEN_MINUS},     {"*", TOKEN_STAR},        {"/", TOKEN_SLASH},
    {"%", TOKEN_PERCENT},   {"<", TOKEN_LT},          {">", TOKEN_GT},
    {"!", TOKEN_NOT},
};

static const struct mark words[] = {
    {"fun", TOKEN_FUN},     {"let", TOKEN_LET},   {"in", TOKEN_IN},
    {"val", TOKEN_VAL},     {"if", TOKEN_IF},     {"return", TOKEN_RETURN},
    {"then", TOKEN_THEN},   {"else", TOKEN_ELSE}, {"true", TOKEN_TRUE},
    {"false", TOKEN_FALSE},
};

static void fail(struct lexer *l, size_t begin, size_t end, const char *message)
{
    if (!l->failed)
        lift_fail_at(l->errors, l->source, (struct lift_span){begin, end}, "%s", message);
    l->failed = true;
}

static char byte_at(const struct lexer *l, size_t offset)
{
    return offset < l->source->len ? l->source->text[offset] : '\0';
}

static bool is_name_start(char c)
{
    return lift_is_alpha(c) || c == '_';
}

static bool is_name_char(char c)
{
    return lift_is_alnum(c) || c == '_';
}

static struct syntax_token *add_token(struct lexer *l, enum syntax_token_kind kind,
                                      size_t begin, size_t end)
{
    LIFT_ARENA_ROOM(l->arena, l->tokens, l->count, l->cap);
    l->tokens[l->count] =
        (struct syntax_token){.kind = kind, .span = {begin, end}, .text = ""};
    return &l->tokens[l->count++];
}

/* The kind of the token 'back' positions before the current token, ignoring comments. */
static enum syntax_token_kind previous(const struct lexer *l, int back)
{
    for (int i = l->count - 1; i >= 0; i--)
        if (l->tokens[i].kind != TOKEN_COMMENT && back-- == 0)
            return l->tokens[i].kind;
    return TOKEN_END;
}

/* '.5' is a number, except after an operand, where the dot selects a member: 'm.5'. The
 * number of a member never begins with a dot: 'm. .5' is an error. */
static bool dot_is_member(const struct lexer *l)
{
    switch (previous(l, 0)) {
    case TOKEN_NAME:
    case TOKEN_RPAREN:
    case TOKEN_RBRACKET:
    case TOKEN_RBRACE:
    case TOKEN_DOT:
        return true;
    case TOKEN_INT:
        return previous(l, 1) == TOKEN_DOT;
    default:
        return false;
    }
}

static size_t skip_digits(const struct lexer *l, size_t at)
{
    while (lift_is_digit(byte_at(l, at)))
        at++;
    return at;
}

/* The end of digits [. digits] [e digits]. '*real' is true if there are more than
 * digits. */
static size_t number_end(const struct lexer *l, size_t at, bool *real)
{
    size_t exponent;

    *real = false;
    at = skip_digits(l, at);
    if (byte_at(l, at) == '.' && byte_at(l, at + 1) != '.') {
        *real = true;
        at = skip_digits(l, at + 1);
    }
    if (byte_at(l, at) == 'e' || byte_at(l, at) == 'E') {
        exponent = at + 1;
        if (byte_at(l, exponent) == '+' || byte_at(l, exponent) == '-')
            exponent++;
        if (lift_is_digit(byte_at(l, exponent))) {
            *real = true;
            at = skip_digits(l, exponent);
        }
    }
    return at;
}

static void finish_float(struct lexer *l, struct syntax_token *token, const char *digits)
{
    token->kind = TOKEN_FLOAT;
    token->number = lift_strtod(digits, NULL);
    if (token->suffix == 'f')
        token->number = (double)lift_strtof(digits, NULL);
    if (isinf(token->number))
        fail(l, token->span.begin, token->span.end, "number too large");
}

static void read_number(struct lexer *l)
{
    bool real = false, member = previous(l, 0) == TOKEN_DOT;
    size_t end = member ? skip_digits(l, l->at) : number_end(l, l->at, &real);
    char *digits = lift_arena_strndup(l->arena, l->source->text + l->at, end - l->at);
    struct syntax_token *token = add_token(l, TOKEN_INT, l->at, end);
    char c = byte_at(l, end);

    if (!member && (c == 'f' || c == 'd' || (c == 'i' && !real))) {
        token->suffix = c;
        token->span.end = ++end;
    }
    if (is_name_char(byte_at(l, end))) {
        fail(l, token->span.begin, end + 1, "malformed number");
        return;
    }
    l->at = end;
    if (real || token->suffix == 'f' || token->suffix == 'd')
        finish_float(l, token, digits);
    else {
        errno = 0;
        token->integer = strtoll(digits, NULL, 10);
        token->number = (double)token->integer;
        if (errno == ERANGE)
            fail(l, token->span.begin, token->span.end, "integer too large");
    }
}

static void read_name(struct lexer *l)
{
    size_t end = l->at + (byte_at(l, l->at) == '@');
    struct syntax_token *token;
    char *text;

    while (is_name_char(byte_at(l, end)))
        end++;
    token = add_token(l, TOKEN_NAME, l->at, end);
    text = lift_arena_strndup(l->arena, l->source->text + l->at, end - l->at);
    token->text = text;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*words[i].text == *text && strcmp(words[i].text, text) == 0)
            token->kind = words[i].kind;
    l->at = end;
}

static char unescape(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    default:
        return c;
    }
}

/* The position of the closing '"', or the end of the text. */
static size_t string_end(const struct lexer *l)
{
    size_t at = l->at + 1;

    while (at < l->source->len && l->source->text[at] != '"')
        at += 1 + (l->source->text[at] == '\\');
    return at;
}

/* Reads a string. C text may have several lines. '\' takes the next character literally,
 * except \n and \t. */
static void read_string(struct lexer *l)
{
    size_t end = string_end(l), len = 0;
    char *text;

    if (end >= l->source->len) {
        fail(l, l->at, l->at + 1, "text without its closing '\"'");
        return;
    }
    text = lift_arena_alloc(l->arena, end - l->at);
    for (size_t at = l->at + 1; at < end; at++) {
        char c = l->source->text[at];

        if (c == '\\')
            c = unescape(l->source->text[++at]);
        text[len++] = c;
    }
    text[len] = '\0';
    add_token(l, TOKEN_STRING, l->at, end + 1)->text = text;
    l->at = end + 1;
}

static void read_mark(struct lexer *l)
{
    unsigned char c = (unsigned char)byte_at(l, l->at);
    char message[40];

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t len;

        if ((unsigned char)*marks[i].text != c)
            continue;
        len = strlen(marks[i].text);
        if (l->source->len - l->at >= len &&
            memcmp(l->source->text + l->at, marks[i].text, len) == 0) {
            add_token(l, marks[i].kind, l->at, l->at + len);
            l->at += len;
            return;
        }
    }
    if (lift_is_print((char)c))
        snprintf(message, sizeof message, "unexpected character '%c'", c);
    else
        snprintf(message, sizeof message, "unexpected byte 0x%02x", c);
    fail(l, l->at, l->at + 1, message);
}

static void read_line_comment(struct lexer *l)
{
    const char *at = l->source->text + l->at;
    const char *newline = memchr(at, '\n', l->source->len - l->at);
    size_t end = newline ? (size_t)(newline - l->source->text) : l->source->len;

    add_token(l, TOKEN_COMMENT, l->at, end);
    l->at = end;
}

static void read_block_comment(struct lexer *l)
{
    size_t end = l->at + 2;

    while (end + 1 < l->source->len &&
           !(l->source->text[end] == '*' && l->source->text[end + 1] == '/'))
        end++;
    if (end + 1 >= l->source->len) {
        fail(l, l->at, l->at + 2, "comment without its closing '*/'");
        return;
    }
    add_token(l, TOKEN_COMMENT, l->at, end + 2);
    l->at = end + 2;
}

static void skip_space(struct lexer *l)
{
    const char *text = l->source->text;
    size_t at = l->at, len = l->source->len;

    while (at < len && lift_is_space(text[at]))
        at++;
    l->at = at;
}

static void read_token(struct lexer *l)
{
    char c = byte_at(l, l->at), next = byte_at(l, l->at + 1);

    if (lift_is_space(c))
        skip_space(l);
    else if (c == '/' && next == '/')
        read_line_comment(l);
    else if (c == '/' && next == '*')
        read_block_comment(l);
    else if (is_name_start(c) || (c == '@' && is_name_start(next)))
        read_name(l);
    else if (lift_is_digit(c) || (c == '.' && lift_is_digit(next) && !dot_is_member(l) &&
                                  previous(l, 0) != TOKEN_DOTDOT))
        read_number(l);
    else if (c == '"')
        read_string(l);
    else
        read_mark(l);
}

/* Rejects malformed text in comments and C text, since lift shows and prints them
 * unchanged. */
static void check_bytes(struct lexer *l)
{
    size_t at = l->at + lift_utf8_check(l->source->text + l->at, l->source->len - l->at);
    char message[80];

    if (at == l->source->len)
        return;
    snprintf(message, sizeof message,
             "unexpected byte 0x%02x: expected UTF-8 without control characters",
             (unsigned char)l->source->text[at]);
    fail(l, at, at + 1, message);
}

const struct syntax_token *syntax_lex_all(struct lift_arena *arena,
                                          const struct lift_source *source, size_t begin,
                                          struct lift_error *errors, int *count)
{
    struct lexer l = {.arena = arena, .source = source, .errors = errors, .at = begin};

    check_bytes(&l);
    while (!l.failed && l.at < source->len)
        read_token(&l);
    if (l.failed)
        return NULL;
    add_token(&l, TOKEN_END, source->len, source->len);
    *count = l.count;
    return l.tokens;
}

static const char *mark_text(const struct mark *table, size_t count,
                             enum syntax_token_kind kind)
{
    for (size_t i = 0; i < count; i++)
        if (table[i].kind == kind)
            return table[i].text;
    return NULL;
}

bool syntax_is_keyword(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].text, word) == 0)
            return true;
    return false;
}

const char *syntax_bare(const char *name)
{
    return name + (*name == '@');
}

const char *syntax_token_name(const struct syntax_token *token, struct lift_arena *arena)
{
    const char *text = mark_text(marks, sizeof marks / sizeof *marks, token->kind);

    if (!text)
        text = mark_text(words, sizeof words / sizeof *words, token->kind);
    if (!text && token->kind == TOKEN_NAME)
        text = token->text;
    if (text)
        return lift_arena_printf(arena, "'%s'", text);
    return token->kind == TOKEN_STRING ? "a text"
           : token->kind == TOKEN_END  ? "the end of the text"
                                       : "a number";
}
