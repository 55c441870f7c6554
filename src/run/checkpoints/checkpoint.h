/* The inside of checkpoints, shared by checkpoint.c and checkpoint_read.c. */
#ifndef RUN_CHECKPOINTS_CHECKPOINT_H
#define RUN_CHECKPOINTS_CHECKPOINT_H

#include "run/ranks/simulation_ranks.h"

#define CHECKPOINT_TITLE "lift checkpoint "
enum { CHECKPOINT_VERSION = 4 };

/* Rows of a record in a file. */
struct checkpoint_rows {
    const char *name;
    struct sim_rows of;
};

/* The records of a file; '{0}' has none. */
struct checkpoint_records {
    struct checkpoint_rows *at;
    int count, cap;
};

void checkpoint_records_fini(struct checkpoint_records *records);
/* An array that the program has, without rows; valid until the next one is added. */
struct checkpoint_rows *
checkpoint_add_rows(struct sim *s, struct checkpoint_records *records, const char *name);

/* Zeros behind so many bytes. */
size_t checkpoint_padding(size_t bytes);
/* The lines that are known before anything is compiled, and all that are known
 * beforehand. */
void checkpoint_add_title(struct lift_str *out, const struct sim *s);
void checkpoint_add_head(struct lift_str *out, const struct sim *s);
/* The hash of the lines of a head and of all elements behind it. */
bool checkpoint_hash(struct sim *s, const struct lift_str *head,
                     const struct checkpoint_records *records, struct lift_hash *out);

#endif
