#include "explore/reason_counts.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

void reason_counts_add(struct reason_counts *t, const char *reason, int64_t count)
{
    if (count == 0)
        return;
    for (int i = 0; i < t->count; i++)
        if (!strcmp(t->rows[i].reason, reason)) {
            t->rows[i].count += count;
            return;
        }
    LIFT_ROOM(t->rows, t->count, t->cap);
    t->rows[t->count++] = (struct reason_count){lift_strdup(reason), count};
}

void reason_counts_fini(struct reason_counts *t)
{
    for (int i = 0; i < t->count; i++)
        free(t->rows[i].reason);
    free(t->rows);
    *t = (struct reason_counts){0};
}
