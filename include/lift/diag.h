/* Diagnostics for user input: file:line:column, the message, the line itself and a caret.
 * They are collected; the caller prints them and decides the exit status. */
#ifndef LIFT_DIAG_H
#define LIFT_DIAG_H

#include "lift/api.h"
#include "lift/text.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A text being read. 'text' is NUL-terminated, 'len' its length without the NUL. */
struct lift_source {
    const char *name;
    const char *text;
    size_t len;
};

/* Byte offsets into a source, 'end' excluded. */
struct lift_span {
    size_t begin, end;
};

struct lift_diag {
    const struct lift_source *source; /* NULL: no place, only a message */
    struct lift_span span;
    char *message; /* lower case, subject in single quotes, no full stop */
};

/* '{0}' is a valid empty list. Sources must outlive the list. */
struct lift_diags {
    struct lift_diag *items;
    size_t count, cap;
};

LIFT_API void lift_diags_fini(struct lift_diags *diags);
LIFT_API void lift_diags_add(struct lift_diags *diags, const struct lift_source *source,
                             struct lift_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
LIFT_API void lift_diags_vadd(struct lift_diags *diags, const struct lift_source *source,
                              struct lift_span span, const char *format, va_list args);
/* 1-based line and column (in bytes) of an offset. */
LIFT_API void lift_source_position(const struct lift_source *source, size_t offset,
                                   int *line, int *column);
/* Appends "FILE:LINE:COLUMN: error: MESSAGE", the line of the file and a caret, or
 * "error: MESSAGE" where there is no file. */
LIFT_API void lift_diag_format(const struct lift_diag *diag, struct lift_str *out);
/* Prints each of them; "lift: " precedes those without a file. */
LIFT_API void lift_diags_print(const struct lift_diags *diags, FILE *out);

/* Reads a whole file of at most LIFT_FILE_SOURCE bytes into malloc'd memory; false and a
 * diagnostic if it cannot.
 * lift_source_free releases name and text. */
LIFT_API bool lift_source_load(const char *path, struct lift_source *out,
                               struct lift_diags *diags);
LIFT_API void lift_source_free(struct lift_source *source);
/* What functions that read a source ask first: false and a diagnostic if it is NULL, or
 * has no name or no text. */
LIFT_API bool lift_source_given(const struct lift_source *source,
                                struct lift_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
