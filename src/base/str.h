/* A growable string (lift/text.h), and the functions that append. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/scope.h"
#include "lift/text.h"
#include <stdarg.h>
#include <stddef.h>

/* Appends 'text' in double quotes, as the language and rules read a text. */
void lift_str_add_quoted(struct lift_str *out, const char *text);
void lift_str_addc(struct lift_str *s, char c);
void lift_str_addn(struct lift_str *s, const char *text, size_t len);
void lift_str_add(struct lift_str *s, const char *text);
void lift_str_addf(struct lift_str *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lift_str_vaddf(struct lift_str *s, const char *format, va_list args);

#endif
