/* Counts of reasons. */
#ifndef EXPLORE_REASON_COUNTS_H
#define EXPLORE_REASON_COUNTS_H

#include <stdint.h>

struct reason_count {
    char *reason; /* malloc'd */
    int64_t count;
};

/* '{0}' is a valid empty list. */
struct reason_counts {
    struct reason_count *rows; /* in order of first occurrence */
    int count, cap;
};

void reason_counts_add(struct reason_counts *t, const char *reason, int64_t count);
void reason_counts_fini(struct reason_counts *t);

#endif
