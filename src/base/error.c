#include "lift/error.h"
#include "base/bug.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include <stdlib.h>

static void clear_place(struct lift_error *error)
{
    free(error->file);
    free(error->excerpt);
    error->file = error->excerpt = NULL;
}

void lift_error_fini(struct lift_error *error)
{
    struct lift_error *next;

    for (struct lift_error *e = error->next; e; e = next) {
        next = e->next;
        lift_str_fini(&e->text);
        clear_place(e);
        free(e);
    }
    lift_str_fini(&error->text);
    lift_str_fini(&error->shown);
    clear_place(error);
    *error = (struct lift_error){.code = LIFT_ERROR_NONE};
}

bool lift_vfail(struct lift_error *error, enum lift_error_code code, const char *format,
                va_list args)
{
    struct lift_str text = {0};

    if (!error)
        return false;
    lift_str_vaddf(&text, format, args);
    lift_error_fini(error); /* 'args' may point into 'error' */
    error->code = code;
    error->text = text;
    return false;
}

bool lift_fail(struct lift_error *error, enum lift_error_code code, const char *format,
               ...)
{
    va_list args;

    va_start(args, format);
    lift_vfail(error, code, format, args);
    va_end(args);
    return false;
}

bool lift_recode(struct lift_error *error, enum lift_error_code code)
{
    if (error)
        error->code = code;
    return false;
}

bool lift_fail_in(struct lift_error *error, const char *format, ...)
{
    struct lift_str text = {0};
    va_list args;

    if (!error)
        return false;
    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    lift_str_addf(&text, ": %s", lift_error_text(error));
    lift_fail(error, error->code, "%s", lift_str_get(&text));
    lift_str_fini(&text);
    return false;
}

bool lift_fail_more(struct lift_error *error, const char *format, ...)
{
    va_list args;

    if (!error)
        return false;
    va_start(args, format);
    lift_str_vaddf(&error->text, format, args);
    va_end(args);
    return false;
}

bool lift_vfail_at(struct lift_error *errors, const struct lift_source *source,
                   struct lift_span span, const char *format, va_list args)
{
    struct lift_error *e = errors;

    if (e->code) {
        while (e->next)
            e = e->next;
        e = e->next = lift_alloc(1, sizeof *e);
    }
    e->code = LIFT_ERROR_PROGRAM;
    lift_str_vaddf(&e->text, format, args);
    if (source)
        lift_error_place(e, source, span);
    return false;
}

bool lift_fail_at(struct lift_error *errors, const struct lift_source *source,
                  struct lift_span span, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    lift_vfail_at(errors, source, span, format, args);
    va_end(args);
    return false;
}

void lift_source_position(const struct lift_source *source, size_t offset, int *line,
                          int *column)
{
    size_t start = 0;

    if (offset > source->len)
        offset = source->len;
    *line = 1;
    for (size_t i = 0; i < offset; i++)
        if (source->text[i] == '\n') {
            ++*line;
            start = i + 1;
        }
    *column = (int)(offset - start) + 1;
}

/* Adds the line of the place, and a caret below. Tabs stay, so that the caret is below
 * the mistake. */
static void add_excerpt(const struct lift_source *src, struct lift_span span, int column,
                        struct lift_str *out)
{
    size_t at = span.begin < src->len ? span.begin : src->len;
    size_t begin = at - (size_t)(column - 1);
    size_t end = begin;
    size_t marks;

    while (end < src->len && src->text[end] != '\n')
        end++;
    lift_utf8_add(out, src->text + begin, end - begin);
    lift_str_addc(out, '\n');
    for (size_t i = begin; i < at; i++)
        lift_str_addc(out, src->text[i] == '\t' ? '\t' : ' ');
    lift_str_addc(out, '^');
    marks = span.end < end ? span.end : end;
    for (size_t i = at + 1; i < marks; i++)
        lift_str_addc(out, '~');
    lift_str_addc(out, '\n');
}

void lift_error_place(struct lift_error *error, const struct lift_source *source,
                      struct lift_span span)
{
    struct lift_str excerpt = {0};

    clear_place(error);
    error->file = lift_strdup(source->name);
    error->span = span;
    lift_source_position(source, span.begin, &error->line, &error->column);
    add_excerpt(source, span, error->column, &excerpt);
    error->excerpt = lift_str_take(&excerpt);
}

size_t lift_error_count(const struct lift_error *errors)
{
    size_t count = 0;

    for (const struct lift_error *e = errors; e && e->code; e = e->next)
        count++;
    return count;
}

struct lift_error *lift_error_at(struct lift_error *errors, size_t index)
{
    struct lift_error *e = errors->code ? errors : NULL;

    while (e && index--)
        e = e->next;
    return e;
}

static void add_mistake(const struct lift_error *e, const char *unplaced,
                        struct lift_str *out)
{
    if (e->file)
        lift_str_addf(out, "%s:%d:%d: error: %s\n%s", e->file, e->line, e->column,
                      lift_str_get(&e->text), e->excerpt);
    else
        lift_str_addf(out, "%serror: %s\n", unplaced, lift_str_get(&e->text));
}

void lift_error_format(const struct lift_error *errors, struct lift_str *out)
{
    for (const struct lift_error *e = errors; e && e->code; e = e->next)
        add_mistake(e, "", out);
}

const char *lift_error_text(const struct lift_error *error)
{
    struct lift_str *shown = (struct lift_str *)&error->shown; /* only a cache */

    if (!error->file && !error->next)
        return lift_str_get(&error->text);
    lift_str_clear(shown);
    lift_error_format(error, shown);
    while (shown->len && shown->data[shown->len - 1] == '\n')
        shown->data[--shown->len] = '\0';
    return lift_str_get(shown);
}

void lift_error_print(const struct lift_error *errors, FILE *out)
{
    LIFT_SCOPED(lift_str) text = {0};

    for (const struct lift_error *e = errors; e && e->code; e = e->next)
        add_mistake(e, "lift: ", &text);
    fputs(lift_str_get(&text), out);
}

bool lift_source_load(const char *path, struct lift_source *out,
                      struct lift_error *errors)
{
    struct lift_str text = {0}, why = {0};
    bool ok = lift_file_read(path, LIFT_FILE_SOURCE, &text, &why);

    if (!ok)
        lift_fail_at(errors, NULL, (struct lift_span){0}, "cannot read '%s': %s", path,
                     lift_str_get(&why));
    lift_str_fini(&why);
    if (!ok) {
        lift_str_fini(&text);
        return false;
    }
    out->name = lift_strdup(path);
    out->len = text.len;
    out->text = lift_str_take(&text);
    return true;
}

void lift_source_free(struct lift_source *source)
{
    free((char *)source->name);
    free((char *)source->text);
    *source = (struct lift_source){0};
}

bool lift_source_given(const struct lift_source *source, struct lift_error *errors)
{
    LIFT_ASSERT(errors);
    return (source && source->name && source->text) ||
           lift_fail_at(errors, NULL, (struct lift_span){0, 0}, "%s",
                        !source         ? "the source is NULL"
                        : !source->name ? "the source has no name: it is NULL"
                                        : "the source has no text: it is NULL");
}
