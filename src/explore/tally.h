/* How often each reason was given. */
#ifndef EXPLORE_TALLY_H
#define EXPLORE_TALLY_H

#include <stdint.h>

struct tally_row {
    char *reason; /* malloc'd */
    int64_t count;
};

/* '{0}' is a valid empty one. */
struct tally {
    struct tally_row *rows; /* in the order in which they came up */
    int count, cap;
};

void tally_add(struct tally *t, const char *reason, int64_t count);
void tally_fini(struct tally *t);

#endif
