/* A growable string. '{0}' is a valid empty one; 'data' is NULL or NUL-terminated. */
#ifndef LIFT_STR_H
#define LIFT_STR_H

#include <stdarg.h>
#include <stddef.h>

struct lift_str {
    char *data;
    size_t len, cap;
};

void lift_str_fini(struct lift_str *s);
void lift_str_clear(struct lift_str *s);
/* In double quotes, as the language and rules read a text. */
void lift_str_add_quoted(struct lift_str *out, const char *text);
void lift_str_addc(struct lift_str *s, char c);
void lift_str_addn(struct lift_str *s, const char *text, size_t len);
void lift_str_add(struct lift_str *s, const char *text);
void lift_str_addf(struct lift_str *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lift_str_vaddf(struct lift_str *s, const char *format, va_list args);
/* Never NULL. */
const char *lift_str_get(const struct lift_str *s);
/* Hands the malloc'd text to the caller and empties 's'. Never NULL. */
char *lift_str_take(struct lift_str *s);

#endif
