/* Programs in another precision. The conversion replaces type names and number suffixes
 * in the text, so that databases and users see an ordinary program. */
#include "base/locale.h"
#include "ir/expr.h"
#include "ir/text/syntax_decl.h"
#include "lift/program.h"
#include <stdlib.h>
#include <string.h>

static const char *const words[][2] = {
    {"f32", "f64"}, {"Float", "Double"}, {"float", "double"}};

static const char *counterpart(const char *word, size_t len, bool wide)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i][!wide]) == len && memcmp(words[i][!wide], word, len) == 0)
            return words[i][wide];
    return NULL;
}

/* Converts the type names in a text, also in C texts. */
static void put_words(struct lift_str *out, const char *text, size_t len, bool wide)
{
    for (size_t at = 0; at < len;) {
        size_t end = at;
        const char *other;

        while (end < len && (lift_is_alnum(text[end]) || text[end] == '_'))
            end++;
        other = counterpart(text + at, end - at, wide);
        if (end == at)
            lift_str_addc(out, text[end++]);
        else if (other)
            lift_str_add(out, other);
        else
            lift_str_addn(out, text + at, end - at);
        at = end;
    }
}

static void put_token(struct lift_str *out, const struct lift_source *source,
                      const struct syntax_token *token, bool wide)
{
    const char *text = source->text + token->span.begin;
    size_t len = token->span.end - token->span.begin;

    if (token->kind == TOKEN_NAME || token->kind == TOKEN_STRING) {
        put_words(out, text, len, wide);
    } else if (token->kind == TOKEN_FLOAT && token->suffix) {
        lift_str_addn(out, text, len - 1);
        lift_str_addc(out, wide ? 'd' : 'f');
    } else {
        lift_str_addn(out, text, len);
    }
}

/* Also converts malformed programs: the loader reports their errors. */
static bool declares(struct lift_arena *arena, const struct lift_source *source)
{
    LIFT_SCOPED(lift_error) ignored = {0};
    struct syntax_file file;
    jmp_buf failed;

    if (setjmp(failed))
        return false;
    file = syntax_program(syntax_open(arena, source, &ignored, &failed));
    for (int i = 0; i < file.count; i++)
        if (file.decls[i].kind == DECL_PRECISION)
            return true;
    return false;
}

bool lift_source_precision(struct lift_source *source, enum lift_scalar scalar,
                           struct lift_error *errors)
{
    struct lift_arena *arena;
    struct lift_str out = {0};
    bool wide = scalar == LIFT_F64;
    size_t at = 0;
    int count = 0;
    const struct syntax_token *tokens;

    if (!lift_source_given(source, errors))
        return false;
    arena = lift_arena_create();
    tokens = syntax_lex_all(arena, source, 0, errors, &count);
    for (int i = 0; tokens && i < count; i++) {
        lift_str_addn(&out, source->text + at, tokens[i].span.begin - at);
        put_token(&out, source, &tokens[i], wide);
        at = tokens[i].span.end;
    }
    if (tokens && wide && !declares(arena, source))
        lift_str_add(&out, "\ndouble\n");
    lift_arena_destroy(arena);
    if (!tokens) {
        lift_str_fini(&out);
        return false;
    }
    free((char *)source->text);
    source->len = out.len;
    source->text = lift_str_take(&out);
    return true;
}

bool lift_precision_parse(const char *word, enum lift_scalar *out)
{
    bool wide = word && strcmp(word, "double") == 0;

    *out = wide ? LIFT_F64 : LIFT_F32;
    return wide || (word && strcmp(word, "single") == 0);
}

/* ---- the precision of a program */

enum { HAS_F32 = 1, HAS_F64 = 2 };

static unsigned floats_of(lift_type t)
{
    unsigned found = 0;

    switch (t->kind) {
    case LIFT_TYPE_SCALAR:
    case LIFT_TYPE_VECTOR:
        return t->scalar == LIFT_F32 ? HAS_F32 : t->scalar == LIFT_F64 ? HAS_F64 : 0;
    case LIFT_TYPE_ARRAY:
        return floats_of(t->elem);
    case LIFT_TYPE_TUPLE:
        for (int i = 0; i < t->count; i++)
            found |= floats_of(t->parts[i]);
        return found;
    default:
        return 0; /* the body of a function determines its type */
    }
}

static bool note_floats(void *found, lift_expr e)
{
    *(unsigned *)found |= floats_of(e->type);
    return true;
}

const char *lift_program_precision(const struct lift_program *program)
{
    static const char *const names[] = {"", "f32", "f64", "f32+f64"};
    unsigned found = 0;

    lift_expr_each(program->body, note_floats, &found);
    return names[found];
}
