#include "run/grid_file.h"
#include "base/fail.h"
#include "base/file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

/* Returns the process number in the name of a temporary file of grid_write; 0 for any
 * other file. In a pattern of names, digits and blanks separate 'begin' and 'end'. */
static long writer_of(const char *entry, const char *begin, const char *end)
{
    size_t first = strlen(begin), last = strlen(end);
    const char *mark = strstr(entry, LIFT_FILE_PART), *digits;
    char *rest;
    long pid;

    while (mark && strstr(mark + 1, LIFT_FILE_PART))
        mark = strstr(mark + 1, LIFT_FILE_PART);
    if (!mark || (size_t)(mark - entry) < first + last ||
        strncmp(entry, begin, first) != 0 || strncmp(mark - last, end, last) != 0 ||
        strspn(entry + first, " 0123456789") < (size_t)(mark - entry) - first - last)
        return 0;
    digits = mark + strlen(LIFT_FILE_PART);
    pid = strspn(digits, "0123456789") > 0 ? strtol(digits, &rest, 10) : 0;
    return pid > 0 && !*rest ? pid : 0;
}

/* A living writer holds the lock of its file, also on another machine. */
static bool is_left(int folder, const char *entry, long pid)
{
    int fd;
    bool left;

    if (kill((pid_t)pid, 0) == 0 || errno != ESRCH)
        return false;
    fd = openat(folder, entry, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    left = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return left;
}

void grid_sweep(const char *path, const char *end)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    LIFT_SCOPED(lift_str) folder = {0};
    struct dirent *entry;
    DIR *dir;

    lift_str_addn(&folder, slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
    dir = opendir(lift_str_get(&folder));
    while (dir && (entry = readdir(dir))) {
        long pid = writer_of(entry->d_name, name, end);

        if (pid > 0 && is_left(dirfd(dir), entry->d_name, pid))
            unlinkat(dirfd(dir), entry->d_name, 0);
    }
    if (dir)
        closedir(dir);
}

bool grid_write(const char *path, const struct grid_part *parts, int count, bool lasting,
                struct lift_str *why)
{
    LIFT_SCOPED(lift_str) cause = {0};
    struct lift_file_out out;
    bool good = lift_file_create(path, &out, &cause);

    for (int i = 0; i < count && good; i++)
        if (fwrite(parts[i].data, 1, parts[i].bytes, out.file) != parts[i].bytes)
            break; /* lift_file_finish reports the error */
    good = good && lift_file_finish(&out, lasting, &cause);
    return good || LIFT_FAIL(why, "cannot write '%s': %s", path, lift_str_get(&cause));
}
