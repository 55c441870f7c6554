/* Declarations: a program is a list of declarations; a term is some declarations and an
 * expression. */
#include "ir/text/parse_t.h"
#include "ir/text/syntax_decl.h"
#include <string.h>

enum { MAX_DECLS = 4000 };

struct decl_list {
    struct syntax_decl *items;
    int count, cap;
};

static struct syntax_decl *add_decl(struct syntax_parser *p, struct decl_list *list,
                                    enum syntax_decl_kind kind, size_t begin)
{
    if (list->count == MAX_DECLS)
        syntax_error(p, syntax_peek(p)->span, "more than %d declarations", MAX_DECLS);
    LIFT_ARENA_ROOM(p->arena, list->items, list->count, list->cap);
    list->items[list->count] = (struct syntax_decl){
        .kind = kind, .span.begin = begin, .lo = INT64_MIN, .hi = INT64_MAX};
    return &list->items[list->count++];
}

static void read_name(struct syntax_parser *p, const char *what, struct syntax_name *out)
{
    out->text = syntax_expect_name(p, what, &out->span);
}

/* Reads 'name' or '(name, name)'; outputs may have a storage type. */
static void read_names(struct syntax_parser *p, const char *what, bool outputs,
                       struct syntax_names *out)
{
    struct syntax_name *items =
        LIFT_NEW_ARRAY(p->arena, struct syntax_name, LIFT_MAX_ARGS);
    bool many = syntax_accept(p, TOKEN_LPAREN);

    out->items = items;
    out->count = 0;
    do {
        struct syntax_name *name = &items[out->count];

        if (out->count++ == LIFT_MAX_ARGS)
            syntax_error(p, syntax_peek(p)->span, "more than %d names", LIFT_MAX_ARGS);
        read_name(p, what, name);
        if (outputs)
            name->store = syntax_store(p, &name->store_span);
    } while (many && syntax_accept(p, TOKEN_COMMA));
    if (many)
        syntax_expect(p, TOKEN_RPAREN, "',' or ')'");
}

/* Reads an optional bound. */
static void read_bound(struct syntax_parser *p, int64_t *bound)
{
    bool negative =
        syntax_peek(p)->kind == TOKEN_MINUS && syntax_peek_at(p, 1)->kind == TOKEN_INT;

    if (negative)
        syntax_next(p);
    if (syntax_peek(p)->kind == TOKEN_INT)
        *bound = syntax_next(p)->integer;
    if (negative)
        *bound = -*bound;
}

/* Reads 'in lo..hi', where either bound may be absent. */
static void read_range(struct syntax_parser *p, struct syntax_decl *d)
{
    if (!syntax_accept(p, TOKEN_IN))
        return;
    read_bound(p, &d->lo);
    syntax_expect(p, TOKEN_DOTDOT, "'..'");
    read_bound(p, &d->hi);
    if (d->lo > d->hi)
        syntax_error(p, d->name.span, "the range of '%s' is empty", d->name.text);
}

/* Reads 'nx = 512, ny = 512 in 1..4096'. */
static void read_sizes(struct syntax_parser *p, struct decl_list *list, size_t begin)
{
    do {
        struct syntax_decl *d = add_decl(p, list, DECL_SIZE, begin);

        read_name(p, "the name of a size", &d->name);
        if (syntax_accept(p, TOKEN_ASSIGN))
            d->value = syntax_expr(p);
        read_range(p, d);
    } while (syntax_accept(p, TOKEN_COMMA));
}

static void read_tunable(struct syntax_parser *p, struct syntax_decl *d)
{
    read_name(p, "the name of a tunable", &d->name);
    if (syntax_peek(p)->kind != TOKEN_IN)
        syntax_expected(p, "'in' and a range");
    read_range(p, d);
}

static void read_param(struct syntax_parser *p, struct syntax_decl *d)
{
    read_name(p, "the name of a parameter", &d->name);
    syntax_expect(p, TOKEN_COLON, "':' and the type of the parameter");
    d->type = syntax_type(p);
    if (syntax_accept(p, TOKEN_ASSIGN))
        d->value = syntax_expr(p);
}

static void read_input(struct syntax_parser *p, struct syntax_decl *d)
{
    read_name(p, "the name of an input", &d->name);
    syntax_expect(p, TOKEN_COLON, "':' and the type of the input");
    d->type = syntax_type(p);
}

static void read_const(struct syntax_parser *p, struct syntax_decl *d)
{
    read_name(p, "the name of a constant", &d->name);
    syntax_expect(p, TOKEN_ASSIGN, "'='");
    d->value = syntax_expr(p);
}

static void read_type(struct syntax_parser *p, struct syntax_decl *d)
{
    read_name(p, "the name of a type", &d->name);
    syntax_expect(p, TOKEN_ASSIGN, "'='");
    d->type = syntax_type(p);
}

/* Reads parameters in parentheses, the part that 'result' reads, and a body: a
 * NODE_LAMBDA. */
static const struct syntax_node *read_function(struct syntax_parser *p,
                                               struct syntax_names *outputs)
{
    size_t begin = syntax_peek(p)->span.begin;
    const struct syntax_param *params;
    const struct syntax_node *body;
    struct syntax_node *n;
    int count;

    syntax_expect(p, TOKEN_LPAREN, "'('");
    params = syntax_params(p, &count);
    syntax_expect(p, TOKEN_RPAREN, "',' or ')'");
    if (outputs && syntax_accept(p, TOKEN_ARROW))
        read_names(p, "the name of an output", true, outputs);
    if (syntax_peek(p)->kind != TOKEN_LBRACE)
        syntax_expect(p, TOKEN_ASSIGN, "'=' or '{'");
    body = syntax_peek(p)->kind == TOKEN_LBRACE ? syntax_block(p) : syntax_expr(p);
    n = parse_node1(p, NODE_LAMBDA, begin, body);
    n->params = params;
    n->param_count = count;
    return n;
}

static void read_fun(struct syntax_parser *p, struct syntax_decl *d)
{
    read_name(p, "the name of a function", &d->name);
    d->value = read_function(p, NULL);
}

/* Reads 'cfun f32 name(f32 a, f32 b) "return a + b;"'. */
static void read_cfun(struct syntax_parser *p, struct syntax_decl *d)
{
    struct syntax_param *params =
        LIFT_NEW_ARRAY(p->arena, struct syntax_param, LIFT_MAX_ARGS);
    const struct syntax_token *text;

    d->params = params;
    d->type = syntax_type(p);
    read_name(p, "the name of a function", &d->name);
    syntax_expect(p, TOKEN_LPAREN, "'('");
    do {
        struct syntax_param *param = &params[d->param_count];

        if (d->param_count++ == LIFT_MAX_ARGS)
            syntax_error(p, d->name.span, "more than %d parameters", LIFT_MAX_ARGS);
        param->type = syntax_type(p);
        param->name = syntax_expect_name(p, "the name of a parameter", &param->span);
    } while (syntax_accept(p, TOKEN_COMMA));
    syntax_expect(p, TOKEN_RPAREN, "',' or ')'");
    text = syntax_peek(p);
    syntax_expect(p, TOKEN_STRING, "the body, a text of C");
    d->text = text->text;
    d->text_span = text->span;
}

static void read_stencil(struct syntax_parser *p, struct syntax_decl *d)
{
    read_name(p, "the name of the stencil", &d->name);
    d->value = read_function(p, &d->names);
}

/* Reads 'time (a, b) <- (b, out)'. */
static void read_time(struct syntax_parser *p, struct syntax_decl *d)
{
    read_names(p, "the name of an input", false, &d->names);
    if (syntax_peek(p)->kind != TOKEN_LT || syntax_peek_at(p, 1)->kind != TOKEN_MINUS)
        syntax_expected(p, "'<-'");
    syntax_next(p);
    syntax_next(p);
    read_names(p, "the name of an input or output", false, &d->sources);
}

static void read_steps(struct syntax_parser *p, struct syntax_decl *d)
{
    const struct syntax_token *number = syntax_peek(p);

    syntax_expect(p, TOKEN_INT, "the number of steps");
    d->integer = number->integer;
    d->name.span = number->span;
}

/* Reads 'val f = e'. A function called 'stencil' is the stencil, as in the published
 * listings. */
static void read_val(struct syntax_parser *p, struct syntax_decl *d)
{
    read_name(p, "a name", &d->name);
    syntax_expect(p, TOKEN_ASSIGN, "'='");
    d->value = syntax_expr(p);
    if (d->value->kind == NODE_LAMBDA && strcmp(d->name.text, "stencil") == 0)
        d->kind = DECL_STENCIL;
}

static void read_anonymous(struct syntax_parser *p, struct syntax_decl *d)
{
    d->name = (struct syntax_name){"", syntax_peek(p)->span, NULL, {0}};
    d->value = syntax_expr(p);
    if (d->value->kind != NODE_LAMBDA)
        syntax_error(p, d->value->span, "expected a declaration");
}

typedef void read_decl(struct syntax_parser *p, struct syntax_decl *d);

static const struct word {
    const char *text;
    enum syntax_decl_kind kind;
    read_decl *read;
    bool in_terms;
} words[] = {
    {"tunable", DECL_TUNABLE, read_tunable, true},
    {"param", DECL_PARAM, read_param, true},
    {"input", DECL_INPUT, read_input, true},
    {"const", DECL_CONST, read_const, true},
    {"type", DECL_TYPE, read_type, true},
    {"cfun", DECL_CFUN, read_cfun, true},
    {"stencil", DECL_STENCIL, read_stencil, false},
};

/* True if a name or a keyword follows. The reader of the name then rejects the
 * keyword. */
static bool names_something(const struct syntax_parser *p)
{
    const struct syntax_token *next = syntax_peek_at(p, 1);

    return next->kind == TOKEN_NAME || syntax_is_keyword(next->text);
}

static const struct word *find_word(const struct syntax_parser *p)
{
    if (!names_something(p))
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (syntax_at_word(p, words[i].text))
            return &words[i];
    return NULL;
}

static void finish(struct syntax_parser *p, struct syntax_decl *d)
{
    d->span.end = p->last_end;
    syntax_accept(p, TOKEN_SEMICOLON);
}

static void read_one(struct syntax_parser *p, struct decl_list *list, size_t begin,
                     enum syntax_decl_kind kind, read_decl *read)
{
    struct syntax_decl *d = add_decl(p, list, kind, begin);

    read(p, d);
    finish(p, d);
}

/* Reads declarations that programs and terms share; false if another token follows. */
static bool shared_decl(struct syntax_parser *p, struct decl_list *list)
{
    const struct word *word = find_word(p);
    enum syntax_token_kind kind = syntax_peek(p)->kind;
    bool named = names_something(p);
    size_t begin = syntax_peek(p)->span.begin;

    if (word && word->in_terms) {
        syntax_next(p);
        read_one(p, list, begin, word->kind, word->read);
    } else if (named && syntax_accept_word(p, "size")) {
        read_sizes(p, list, begin);
        finish(p, &list->items[list->count - 1]);
    } else if (named && kind == TOKEN_FUN) {
        syntax_next(p);
        read_one(p, list, begin, DECL_FUN, read_fun);
    } else if (kind == TOKEN_VAL) {
        syntax_next(p);
        read_one(p, list, begin, DECL_FUN, read_val);
    } else {
        return false;
    }
    return true;
}

/* Reads a declaration of one word; 'integer' is 1 if the word is 'yes'. */
static void one_word(struct syntax_parser *p, struct decl_list *list, size_t begin,
                     enum syntax_decl_kind kind, const char *yes)
{
    bool is = syntax_at_word(p, yes);
    struct syntax_decl *d;

    syntax_next(p);
    d = add_decl(p, list, kind, begin);
    d->integer = is;
    finish(p, d);
}

static void program_decl(struct syntax_parser *p, struct decl_list *list)
{
    size_t begin = syntax_peek(p)->span.begin;
    const struct word *word = find_word(p);

    if (shared_decl(p, list))
        return;
    if (word) {
        syntax_next(p);
        read_one(p, list, begin, word->kind, word->read);
    } else if (syntax_accept_word(p, "time")) {
        read_one(p, list, begin, DECL_TIME, read_time);
    } else if (syntax_peek(p)->kind == TOKEN_NAME &&
               syntax_peek_at(p, 1)->kind == TOKEN_LPAREN) {
        read_one(p, list, begin, DECL_STENCIL, read_stencil);
    } else if (syntax_accept_word(p, "steps")) {
        read_one(p, list, begin, DECL_STEPS, read_steps);
    } else if (syntax_at_word(p, "exact") || syntax_at_word(p, "relaxed")) {
        one_word(p, list, begin, DECL_CONTRACT, "exact");
    } else if (syntax_at_word(p, "float") || syntax_at_word(p, "double")) {
        one_word(p, list, begin, DECL_PRECISION, "double");
    } else if (syntax_peek(p)->kind == TOKEN_FUN) {
        read_one(p, list, begin, DECL_STENCIL, read_anonymous);
    } else {
        syntax_expected(
            p, "a declaration (size, param, const, type, fun, stencil, time, ...)");
    }
}

struct syntax_file syntax_program(struct syntax_parser *p)
{
    struct decl_list list = {0};

    while (syntax_peek(p)->kind != TOKEN_END)
        program_decl(p, &list);
    return (struct syntax_file){list.items, list.count, NULL};
}

struct syntax_file syntax_term(struct syntax_parser *p)
{
    struct decl_list list = {0};
    const struct syntax_node *body;

    while (shared_decl(p, &list))
        continue;
    body = syntax_expr(p);
    syntax_accept(p, TOKEN_SEMICOLON);
    syntax_expect(p, TOKEN_END, "the end of the text");
    return (struct syntax_file){list.items, list.count, body};
}
