/* Grids in files, and their memory. */
#ifndef RUN_GRID_FILE_H
#define RUN_GRID_FILE_H

#include "base/str.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages of this process; '{0}': no pages. The caller releases them by grid_unmap. */
struct grid_pages {
    void *data;
    size_t bytes;
};

/* Maps a whole file; stores to the pages do not change the file. Returns false with the
 * reason, as words that follow "cannot read 'PATH': ". */
bool grid_map(const char *path, struct grid_pages *out, struct lift_str *why);
/* Allocates pages of zeros. */
bool grid_zeros(size_t bytes, struct grid_pages *out, struct lift_str *why);
void grid_unmap(struct grid_pages *pages);

struct grid_part {
    const void *data;
    size_t bytes;
    /* If several processes write the file: the bytes of this process begin at 'begin', in
     * pieces of 'piece' bytes; pieces begin 'apart' bytes apart. */
    size_t begin, piece, apart;
    int64_t pieces;
};

/* Returns true if the path may be written: an existing entry is a file, and the folder is
 * writable. Otherwise 'why' gets the reason, as words after "cannot write 'PATH': ". */
bool grid_may_write(const char *path, struct lift_str *why);
/* Removes temporary files (LIFT_FILE_PART) of dead processes. The names of the complete
 * files begin with 'path' and end with 'end', with digits and blanks in between. */
void grid_sweep(const char *path, const char *end);
/* Writes the parts one after the other (base/file.h). A file of this name is complete at
 * any moment; with 'lasting', also after a power cut. Returns false with the reason,
 * which includes the path. */
bool grid_write(const char *path, const struct grid_part *parts, int count, bool lasting,
                struct lift_str *why);

#endif
