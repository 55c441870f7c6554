/* Files that a user names. lift reads all such files through these functions. A FIFO, a
 * device, a socket, or a file longer than the caller's limit is rejected before any
 * read, so lift never waits. docs/results-and-database.md lists the limits. lift also
 * writes all files through these functions: a file keeps its old content until the new
 * content is complete. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    LIFT_FILE_SOURCE = 1 << 20, /* limit in bytes for a program or a file of rules */
    LIFT_FILE_TABLE = 64 << 20, /* limit in bytes for a table of a space */
};
#define LIFT_FILE_CSV ((int64_t)16 << 30) /* limit in bytes for a table of a database */

/* True if the path can be read to its end, or does not exist. Otherwise sets 'why' to
 * words that follow "cannot read 'PATH': ". */
bool lift_file_ends(const char *path, struct lift_str *why);

/* Opens a file of at most 'most' bytes, for fclose. On failure returns NULL and sets
 * 'why' as above. */
FILE *lift_file_open(const char *path, int64_t most, struct lift_str *why);

/* Appends the whole file. On failure returns false and sets 'why' as above. */
bool lift_file_read(const char *path, int64_t most, struct lift_str *out,
                    struct lift_str *why);

/* The infix in the name of an unfinished file, before the process number. That process
 * holds the lock of the file (flock). */
#define LIFT_FILE_PART ".part-"

/* A file that is being written. The bytes go to a new file in the same folder, PATH
 * LIFT_FILE_PART PROCESS. At the end, the new file is renamed to PATH and gets the
 * permissions of the old file. For a symbolic link, the target is replaced. Devices,
 * pipes and files that this process already writes (/dev/stdout) are written directly. */
struct lift_file_out {
    FILE *file;
    char *target, *part; /* NULL: written directly */
};

/* Begins a file. On failure returns false and sets 'why' to words that follow "cannot
 * write 'PATH': ". The caller ends by lift_file_finish or lift_file_drop. */
bool lift_file_create(const char *path, struct lift_file_out *out, struct lift_str *why);
/* Renames the finished file. With 'lasting', the bytes are on the disk before. If any
 * write failed, returns false, sets 'why' as above, and keeps the old file. */
bool lift_file_finish(struct lift_file_out *out, bool lasting, struct lift_str *why);
/* Discards the new file and keeps the old file. */
void lift_file_drop(struct lift_file_out *out);

/* Writes a text to a file as above. */
bool lift_file_write(const char *path, const char *text, size_t len, bool lasting,
                     struct lift_str *why);

/* Replaces the file at 'path' by the finished file 'part', as above. */
bool lift_file_replace(const char *part, const char *path, struct lift_str *why);

#endif
