#include "lift/file.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

static bool is_file(const struct stat *st, struct lift_str *why)
{
    if (S_ISREG(st->st_mode))
        return true;
    lift_str_addf(why, "it is %s, not a file", kind_of(st->st_mode));
    return false;
}

static bool is_short(int64_t bytes, int64_t most, struct lift_str *why)
{
    if (bytes <= most)
        return true;
    lift_str_addf(why, "it has more than %lld bytes", (long long)most);
    return false;
}

bool lift_file_ends(const char *path, struct lift_str *why)
{
    struct stat st;

    if (!stat(path, &st))
        return is_file(&st, why);
    if (errno == ENOENT)
        return true;
    lift_str_add(why, strerror(errno));
    return false;
}

/* Opening a FIFO or a device may itself wait or do something: hence the look beforehand.
 * What the path leads to afterwards is what counts. */
static int open_file(const char *path, int64_t most, struct lift_str *why)
{
    struct stat st;
    int fd;

    if (!stat(path, &st) && !is_file(&st, why))
        return -1;
    fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st))
        lift_str_add(why, strerror(errno));
    else if (is_file(&st, why) && is_short(st.st_size, most, why))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

FILE *lift_file_open(const char *path, int64_t most, struct lift_str *why)
{
    int fd = open_file(path, most, why);
    FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;

    if (fd >= 0 && !file) {
        lift_str_add(why, strerror(errno));
        close(fd);
    }
    return file;
}

/* The file may grow while it is read. */
bool lift_file_read(const char *path, int64_t most, struct lift_str *out,
                    struct lift_str *why)
{
    FILE *file = lift_file_open(path, most, why);
    char buffer[4096];
    int64_t bytes = 0;
    size_t got;
    bool good = true;

    if (!file)
        return false;
    while (good && (got = fread(buffer, 1, sizeof buffer, file)) > 0) {
        bytes += (int64_t)got;
        good = is_short(bytes, most, why);
        lift_str_addn(out, buffer, got);
    }
    if (good && ferror(file)) {
        lift_str_add(why, strerror(errno));
        good = false;
    }
    fclose(file);
    return good;
}
