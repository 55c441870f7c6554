#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int status_of_end;

void lift_memory_exits(int status)
{
    status_of_end = status;
}

static void *must(void *memory)
{
    if (memory)
        return memory;
    if (status_of_end)
        _exit(status_of_end);
    fputs("out of memory\n", stderr);
    abort();
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
