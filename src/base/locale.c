#include "base/locale.h"
#include "base/bug.h"
#include <pthread.h>
#include <stdlib.h>

static locale_t c_locale;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    LIFT_ASSERT(c_locale);
}

struct lift_c_locale lift_c_locale_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_c_locale);
    return (struct lift_c_locale){uselocale(c_locale)};
}

void lift_c_locale_fini(struct lift_c_locale *scope)
{
    uselocale(scope->before);
}

double lift_strtod(const char *text, char **end)
{
    LIFT_IN_C_LOCALE;

    return strtod(text, end);
}

float lift_strtof(const char *text, char **end)
{
    LIFT_IN_C_LOCALE;

    return strtof(text, end);
}

int lift_sscanf(const char *text, const char *format, ...)
{
    LIFT_IN_C_LOCALE;
    va_list args;
    int count;

    va_start(args, format);
    count = vsscanf(text, format, args);
    va_end(args);
    return count;
}

int lift_fprintf(FILE *out, const char *format, ...)
{
    LIFT_IN_C_LOCALE;
    va_list args;
    int length;

    va_start(args, format);
    length = vfprintf(out, format, args);
    va_end(args);
    return length;
}

int lift_vsnprintf(char *out, size_t size, const char *format, va_list args)
{
    LIFT_IN_C_LOCALE;

    return vsnprintf(out, size, format, args);
}

int lift_snprintf(char *out, size_t size, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = lift_vsnprintf(out, size, format, args);
    va_end(args);
    return length;
}
