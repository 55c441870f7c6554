/* Grids in files, and their memory. */
#ifndef RUN_GRID_FILE_H
#define RUN_GRID_FILE_H

#include "base/str.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages of this process: '{0}' is none. Ended by grid_unmap. */
struct grid_pages {
    void *data;
    size_t bytes;
};

/* Maps a whole file; stores to the pages do not change the file. False and the reason, as
 * words that follow "cannot read 'PATH': ". */
bool grid_map(const char *path, struct grid_pages *out, struct lift_str *why);
/* Zeros. */
bool grid_zeros(size_t bytes, struct grid_pages *out, struct lift_str *why);
void grid_unmap(struct grid_pages *pages);

struct grid_part {
    const void *data;
    size_t bytes;
    /* Where several processes write the file: of the bytes those of this one, which are
     * pieces of one length, so far apart. */
    size_t begin, piece, apart;
    int64_t pieces;
};

/* True if a file may be written there: an existing entry is a file, and the folder is
 * writable. Otherwise the reason, as words that follow "cannot write 'PATH': ". */
bool grid_may_write(const char *path, struct lift_str *why);
/* Removes parts (LIFT_FILE_PART) that dead processes left of files whose names begin with
 * 'path' and end with 'end', with digits and blanks between. */
void grid_sweep(const char *path, const char *end);
/* Writes the parts one after the other (base/file.h): at any moment a file of this name
 * is whole. 'lasting': after a power cut, too. False, and why, with the path. */
bool grid_write(const char *path, const struct grid_part *parts, int count, bool lasting,
                struct lift_str *why);

#endif
