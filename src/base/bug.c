#include "base/bug.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void lift_bug_at(const char *file, int line, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s:%d: bug: ", file, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}
