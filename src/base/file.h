/* Files that a user names. All that are read go through here: what has no end (a FIFO, a
 * device, a socket) or is longer than the caller takes is refused before anything is
 * read, and nothing is waited for. docs/results-and-database.md lists the limits. So do
 * all that are written: a file keeps its old content until the new content is complete.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/str.h"
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

/* What follows the name of a file that is being written, before the number of its
 * process, which holds the lock of the file (flock). */
#define LIFT_FILE_PART ".part-"

/* A file that is being written. The bytes go to a new file in the same folder,
 * PATH LIFT_FILE_PART PROCESS, which gets the name at the end and has the permissions of
 * the file that it replaces. Of a symbolic link the file that it leads to is replaced.
 * Devices, pipes and files that this process writes already (/dev/stdout) are written
 * directly. */
struct lift_file_out {
    FILE *file;
    char *target, *part; /* NULL: written directly */
};

/* Begins; false, and why: words that follow "cannot write 'PATH': ". Ended by
 * lift_file_finish or lift_file_drop. */
bool lift_file_create(const char *path, struct lift_file_out *out, struct lift_str *why);
/* Gives the file its name; with 'lasting' the bytes are on the disk before. False, and
 * why as above, if any write to it failed: then the old file stays. */
bool lift_file_finish(struct lift_file_out *out, bool lasting, struct lift_str *why);
/* The old file stays. */
void lift_file_drop(struct lift_file_out *out);

/* The same of a text. */
bool lift_file_write(const char *path, const char *text, size_t len, bool lasting,
                     struct lift_str *why);

/* Puts the finished file 'part' in the place of the one at 'path', as above. */
bool lift_file_replace(const char *part, const char *path, struct lift_str *why);

#endif
