#include "run/grid_file.h"
#include "lift/fail.h"
#include "lift/file.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- memory */

static bool map(size_t bytes, int flags, int fd, struct grid_pages *out,
                struct lift_str *why)
{
    void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_NORESERVE | flags, fd, 0);

    if (data == MAP_FAILED)
        return LIFT_FAIL(why, "no memory for %zu bytes: %s", bytes, strerror(errno));
    *out = (struct grid_pages){data, bytes};
    return true;
}

bool grid_map(const char *path, struct grid_pages *out, struct lift_str *why)
{
    FILE *file = lift_file_open(path, INT64_MAX, why);
    struct stat st = {.st_size = 0};
    bool good;

    if (!file)
        return false;
    good = fstat(fileno(file), &st) == 0 && st.st_size > 0;
    if (!good)
        lift_str_add(why, "it is empty");
    good = good && map((size_t)st.st_size, 0, fileno(file), out, why);
    fclose(file);
    return good;
}

bool grid_zeros(size_t bytes, struct grid_pages *out, struct lift_str *why)
{
    return map(bytes ? bytes : 1, MAP_ANONYMOUS, -1, out, why);
}

void grid_unmap(struct grid_pages *pages)
{
    if (pages->data)
        munmap(pages->data, pages->bytes);
    *pages = (struct grid_pages){NULL, 0};
}

/* ---- files */

bool grid_may_write(const char *path, struct lift_str *why)
{
    const char *slash = strrchr(path, '/');
    struct lift_str folder = {0};
    bool good = lift_file_ends(path, why);

    lift_str_addn(&folder, slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
    if (good && access(lift_str_get(&folder), W_OK) != 0) {
        lift_str_addf(why, "folder '%s': %s", lift_str_get(&folder), strerror(errno));
        good = false;
    }
    lift_str_fini(&folder);
    return good;
}

static bool write_parts(FILE *file, const struct grid_part *parts, int count,
                        bool lasting)
{
    for (int i = 0; i < count; i++)
        if (fwrite(parts[i].data, 1, parts[i].bytes, file) != parts[i].bytes)
            return false;
    return fflush(file) == 0 && (!lasting || fsync(fileno(file)) == 0);
}

bool grid_write(const char *path, const struct grid_part *parts, int count, bool lasting,
                struct lift_str *why)
{
    LIFT_SCOPED(lift_str) part = {0};
    bool good;
    FILE *file;

    lift_str_addf(&part, "%s.part-%ld", path, (long)getpid());
    file = fopen(part.data, "wbe");
    good = file && write_parts(file, parts, count, lasting);
    if (file)
        good = fclose(file) == 0 && good;
    good = good && rename(part.data, path) == 0;
    if (!good) {
        lift_str_addf(why, "cannot write '%s': %s", path, strerror(errno));
        unlink(part.data);
    }
    return good;
}
