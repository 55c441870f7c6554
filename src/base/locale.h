/* Functions on texts that do not depend on the locale of the library's caller
 * (setlocale). Numbers have a decimal point; letters are ASCII letters. lift reads and
 * prints numbers of databases, programs and kernels by these functions only
 * (tests/house/numbers.sh). */
#ifndef BASE_LOCALE_H
#define BASE_LOCALE_H

#include "base/scope.h"
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* As the C functions of these names without 'lift_', in the locale "C". */
double lift_strtod(const char *text, char **end);
float lift_strtof(const char *text, char **end);
int lift_sscanf(const char *text, const char *format, ...)
    __attribute__((format(scanf, 2, 3)));
int lift_fprintf(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int lift_snprintf(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int lift_vsnprintf(char *out, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Sets the locale "C" for the calling thread until the end of a block. This is for
 * functions of other libraries that read and print numbers. Use: LIFT_IN_C_LOCALE among
 * the declarations of the block. */
struct lift_c_locale {
    locale_t before;
};
struct lift_c_locale lift_c_locale_begin(void);
void lift_c_locale_fini(struct lift_c_locale *scope);
#define LIFT_IN_C_LOCALE                                                                 \
    LIFT_SCOPED(lift_c_locale)                                                           \
    c_locale_scope __attribute__((unused)) = lift_c_locale_begin()

/* ---- characters of ASCII: no byte above 0x7f is a letter, a blank or printable */

static inline bool lift_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool lift_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool lift_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool lift_is_alpha(char c)
{
    return lift_is_upper(c) || lift_is_lower(c);
}

static inline bool lift_is_alnum(char c)
{
    return lift_is_alpha(c) || lift_is_digit(c);
}

static inline bool lift_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool lift_is_print(char c)
{
    return c >= ' ' && c <= '~';
}

static inline char lift_to_lower(char c)
{
    return lift_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

#endif
