/* The reason why a call failed: one type for all layers, from devices to the command
 * line. A function that may fail takes a pointer to an error. On failure the function
 * returns false or NULL and describes the failure in the error. The caller begins with
 * '{0}', and releases by lift_error_fini.
 *
 * The reader of a file continues after a mistake: its error is a list of mistakes, each
 * with a place. */
#ifndef LIFT_ERROR_H
#define LIFT_ERROR_H

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

/* Byte offsets into a source, without 'end'. */
struct lift_span {
    size_t begin, end;
};

enum lift_error_code {
    LIFT_ERROR_NONE,     /* no error */
    LIFT_ERROR_ARGUMENT, /* the arguments are invalid */
    LIFT_ERROR_PROGRAM,  /* a program, rules or a size is malformed, or a file absent */
    LIFT_ERROR_DATABASE, /* the database cannot be read or written */
    LIFT_ERROR_DEVICE,   /* there is no such device, or the device has failed */
    LIFT_ERROR_KERNEL,   /* no kernel can be made */
    LIFT_ERROR_RUN,      /* the kernel or a copy failed */
    LIFT_ERROR_STOPPED,  /* the caller's lift_plan_go_on ended the call */
    /* Kernels, reported by devices: plans report KERNEL or RUN instead. */
    LIFT_ERROR_COMPILE,  /* the compiler rejected the source */
    LIFT_ERROR_RESOURCE, /* too much memory or local memory, or too large a group */
    LIFT_ERROR_LAUNCH,   /* the runtime rejected the launch */
    LIFT_ERROR_OVERFLOW, /* the kernel wrote outside its buffers */
};

/* Owns all its pointers. */
struct lift_error {
    enum lift_error_code code;
    struct lift_str text; /* lower case, subject in single quotes, no full stop */
    char *file;           /* place of the mistake; NULL: none */
    int line, column;     /* from 1 on; columns are bytes */
    struct lift_span span;
    char *excerpt;           /* the line of the file, and a caret below */
    struct lift_error *next; /* another mistake, or NULL */
    struct lift_str shown;   /* of lift_error_text */
};

/* Releases all mistakes and leaves '{0}'. */
LIFT_API void lift_error_fini(struct lift_error *error);
/* Replaces the content of 'error' unless 'error' is NULL. Returns false, for 'return'. */
LIFT_API bool lift_fail(struct lift_error *error, enum lift_error_code code,
                        const char *format, ...) __attribute__((format(printf, 3, 4)));
LIFT_API bool lift_vfail(struct lift_error *error, enum lift_error_code code,
                         const char *format, va_list args);
/* Replaces the code of 'error' unless 'error' is NULL. Returns false. */
LIFT_API bool lift_recode(struct lift_error *error, enum lift_error_code code);
/* Puts "WORDS: " before the text of 'error' unless 'error' is NULL. Returns false. */
LIFT_API bool lift_fail_in(struct lift_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends to the text of 'error' unless 'error' is NULL. Returns false. */
LIFT_API bool lift_fail_more(struct lift_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a mistake of a program, a file of rules, or an option. 'source' is NULL for a
 * mistake without a place. Returns false. */
LIFT_API bool lift_fail_at(struct lift_error *errors, const struct lift_source *source,
                           struct lift_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
LIFT_API bool lift_vfail_at(struct lift_error *errors, const struct lift_source *source,
                            struct lift_span span, const char *format, va_list args);
/* Sets or replaces the place of one mistake. */
LIFT_API void lift_error_place(struct lift_error *error, const struct lift_source *source,
                               struct lift_span span);
/* The number of mistakes; 0: no error. */
LIFT_API size_t lift_error_count(const struct lift_error *errors);
/* The mistake with the number 'index', from 0 on; NULL if there are fewer. */
LIFT_API struct lift_error *lift_error_at(struct lift_error *errors, size_t index);
/* The text of all mistakes, each with place and excerpt as below, without a newline at
 * the end. Never NULL; the text belongs to the error. */
LIFT_API const char *lift_error_text(const struct lift_error *error);
/* Appends each mistake: "FILE:LINE:COLUMN: error: TEXT", the line of the file and a
 * caret. Without a place: "error: TEXT". Each mistake ends with a newline. */
LIFT_API void lift_error_format(const struct lift_error *errors, struct lift_str *out);
/* Prints the mistakes; "lift: " precedes mistakes without a place. */
LIFT_API void lift_error_print(const struct lift_error *errors, FILE *out);

/* 1-based line and column (in bytes) of an offset. */
LIFT_API void lift_source_position(const struct lift_source *source, size_t offset,
                                   int *line, int *column);
/* Reads a whole file of at most LIFT_FILE_SOURCE bytes into malloc'd memory. On failure
 * returns false and adds a mistake. lift_source_free releases name and text. */
LIFT_API bool lift_source_load(const char *path, struct lift_source *out,
                               struct lift_error *errors);
LIFT_API void lift_source_free(struct lift_source *source);
/* Functions that read a source call this first. Returns false and adds a mistake if the
 * source is NULL, or has no name or no text. */
LIFT_API bool lift_source_given(const struct lift_source *source,
                                struct lift_error *errors);

#ifdef __cplusplus
}
#endif

#endif
