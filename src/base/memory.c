#include "lift/memory.h"
#include "lift/bug.h"
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
    if (!memory)
        LIFT_BUG("out of memory");
    return memory;
}

void *lift_alloc(size_t count, size_t size)
{
    return must(calloc(count ? count : 1, size ? size : 1));
}

void *lift_resize(void *memory, size_t count, size_t size)
{
    return must(reallocarray(memory, count ? count : 1, size ? size : 1));
}

char *lift_strdup(const char *text)
{
    return must(strdup(text));
}

char *lift_strndup(const char *text, size_t len)
{
    return must(strndup(text, len));
}
