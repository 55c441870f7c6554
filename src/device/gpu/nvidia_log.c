#include "device/device_t.h"
#include <stdlib.h>
#include <string.h>

/* Returns the number before 'word' in the text from 'from' to 'end'; -1 without 'word'.
 */
static int number_before(const char *from, const char *end, const char *word)
{
    const char *at = strstr(from, word);

    if (!at || at >= end)
        return -1;
    while (at > from && at[-1] == ' ')
        at--;
    while (at > from && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return atoi(at);
}

void device_read_nvidia_log(const char *log, const char *kernel,
                            struct lift_resources *resources)
{
    static const char entry[] = "entry function '";
    size_t len = strlen(kernel);

    for (const char *at = log; (at = strstr(at, entry));) {
        const char *next, *end;
        int local;

        at += strlen(entry);
        next = strstr(at, entry);
        end = next ? next : at + strlen(at);
        if (strncmp(at, kernel, len) != 0 || at[len] != '\'')
            continue;
        resources->registers = number_before(at, end, "registers");
        resources->spill_bytes = number_before(at, end, "bytes spill stores");
        resources->stack_bytes = number_before(at, end, "bytes stack frame");
        local = number_before(at, end, "bytes smem");
        if (resources->registers >= 0) /* the log omits unused memory */
            resources->local_bytes = local < 0 ? 0 : local;
        return;
    }
}
