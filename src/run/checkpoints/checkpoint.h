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
/* Adds an array of the program, without rows. The pointer is valid until the next call.
 */
struct checkpoint_rows *
checkpoint_add_rows(struct sim *s, struct checkpoint_records *records, const char *name);

/* Returns the number of padding bytes after 'bytes' bytes. */
size_t checkpoint_padding(size_t bytes);
/* Append the lines that are known before any compilation, and all lines that the reader
 * compares. */
void checkpoint_add_title(struct lift_str *out, const struct sim *s);
void checkpoint_add_head(struct lift_str *out, const struct sim *s);
/* Hashes the lines of a head and all elements after the head. */
bool checkpoint_hash(struct sim *s, const struct lift_str *head,
                     const struct checkpoint_records *records, struct lift_hash *out);

#endif
