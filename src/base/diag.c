#include "lift/diag.h"
#include "base/bug.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include <stdarg.h>
#include <stdlib.h>

void lift_diags_fini(struct lift_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++)
        free(diags->items[i].message);
    free(diags->items);
    *diags = (struct lift_diags){0};
}

static struct lift_diag *push(struct lift_diags *diags)
{
    LIFT_ROOM(diags->items, diags->count, diags->cap);
    return &diags->items[diags->count++];
}

void lift_diags_vadd(struct lift_diags *diags, const struct lift_source *source,
                     struct lift_span span, const char *format, va_list args)
{
    struct lift_str message = {0};

    lift_str_vaddf(&message, format, args);
    *push(diags) = (struct lift_diag){source, span, lift_str_take(&message)};
}

void lift_diags_add(struct lift_diags *diags, const struct lift_source *source,
                    struct lift_span span, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    lift_diags_vadd(diags, source, span, format, args);
    va_end(args);
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

/* The line that holds the place, and a caret under it; tabs are kept so that they line
 * up. */
static void add_excerpt(const struct lift_diag *d, int column, struct lift_str *out)
{
    const struct lift_source *src = d->source;
    size_t at = d->span.begin < src->len ? d->span.begin : src->len;
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
    marks = d->span.end < end ? d->span.end : end;
    for (size_t i = at + 1; i < marks; i++)
        lift_str_addc(out, '~');
    lift_str_addc(out, '\n');
}

void lift_diag_format(const struct lift_diag *diag, struct lift_str *out)
{
    int line, column;

    if (!diag->source) {
        lift_str_addf(out, "error: %s\n", diag->message);
        return;
    }
    lift_source_position(diag->source, diag->span.begin, &line, &column);
    lift_str_addf(out, "%s:%d:%d: error: %s\n", diag->source->name, line, column,
                  diag->message);
    add_excerpt(diag, column, out);
}

void lift_diags_print(const struct lift_diags *diags, FILE *out)
{
    for (size_t i = 0; i < diags->count; i++) {
        LIFT_SCOPED(lift_str) text = {0};

        lift_str_add(&text, diags->items[i].source ? "" : "lift: ");
        lift_diag_format(&diags->items[i], &text);
        fputs(lift_str_get(&text), out);
    }
}

bool lift_source_load(const char *path, struct lift_source *out, struct lift_diags *diags)
{
    struct lift_str text = {0}, why = {0};
    bool ok = lift_file_read(path, LIFT_FILE_SOURCE, &text, &why);

    if (!ok)
        lift_diags_add(diags, NULL, (struct lift_span){0}, "cannot read '%s': %s", path,
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

bool lift_source_given(const struct lift_source *source, struct lift_diags *diags)
{
    LIFT_ASSERT(diags);
    if (source && source->name && source->text)
        return true;
    lift_diags_add(diags, NULL, (struct lift_span){0, 0}, "%s",
                   !source         ? "the source is NULL"
                   : !source->name ? "the source has no name: it is NULL"
                                   : "the source has no text: it is NULL");
    return false;
}
