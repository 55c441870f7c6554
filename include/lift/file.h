/* Files that a user names for reading. All go through here: what has no end (a FIFO, a
 * device, a socket) or is longer than the caller takes is refused before anything is
 * read, and nothing is waited for. docs/robustness.md lists the limits. */
#ifndef LIFT_FILE_H
#define LIFT_FILE_H

#include "lift/str.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    LIFT_FILE_SOURCE = 1 << 20, /* the most bytes of a program or a file of rules */
    LIFT_FILE_TABLE = 64 << 20, /* of a table of a space */
};
#define LIFT_FILE_CSV ((int64_t)16 << 30) /* of a table of a database */

/* Whether a path can be read to its end, or is not there. If not, why: words that follow
 * "cannot read 'PATH': ". */
bool lift_file_ends(const char *path, struct lift_str *why);

/* A file of at most 'most' bytes, for fclose. NULL, and why as above. */
FILE *lift_file_open(const char *path, int64_t most, struct lift_str *why);

/* Appends all of it; false, and why as above. */
bool lift_file_read(const char *path, int64_t most, struct lift_str *out,
                    struct lift_str *why);

#endif
