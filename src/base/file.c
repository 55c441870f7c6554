#include "base/file.h"
#include "base/fail.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

/* Opens a regular file only. Opening a FIFO or a device may wait or have side effects,
 * so stat comes first. The file may change in between, so fstat decides. */
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

/* The file may grow during the read. */
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

/* ---- writing */

/* A descriptor through which this process already writes the file; -1: none. */
static int descriptor_of(const struct stat *st)
{
    enum { MOST = 64 };
    struct stat other;

    for (int fd = 0; fd < MOST; fd++) {
        int flags = fcntl(fd, F_GETFL);

        if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && !fstat(fd, &other) &&
            other.st_dev == st->st_dev && other.st_ino == st->st_ino)
            return fd;
    }
    return -1;
}

/* Devices and pipes have no content to keep. An open file keeps its descriptors. */
static FILE *open_directly(const char *path, const struct stat *st)
{
    int fd = descriptor_of(st);
    FILE *file;

    if (fd < 0)
        return fopen(path, "we");
    fflush(stdout);
    fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

bool lift_file_create(const char *path, struct lift_file_out *out, struct lift_str *why)
{
    struct stat st;
    bool there = !stat(path, &st), link = !lstat(path, &(struct stat){0}) && !there;

    *out = (struct lift_file_out){.file = NULL};
    if ((there && (!S_ISREG(st.st_mode) || descriptor_of(&st) >= 0)) || link) {
        out->file = there ? open_directly(path, &st) : fopen(path, "we");
    } else {
        LIFT_SCOPED(lift_str) part = {0};

        out->target = there ? realpath(path, NULL) : lift_strdup(path);
        lift_str_addf(&part, "%s" LIFT_FILE_PART "%ld", out->target ? out->target : path,
                      (long)getpid());
        out->part = lift_strdup(lift_str_get(&part));
        out->file = out->target ? fopen(out->part, "we") : NULL;
        if (out->file)
            flock(fileno(out->file), LOCK_EX | LOCK_NB);
    }
    if (out->file)
        return true;
    lift_str_add(why, strerror(errno));
    free(out->target);
    free(out->part);
    return false;
}

bool lift_file_replace(const char *part, const char *path, struct lift_str *why)
{
    LIFT_FREED char *target = realpath(path, NULL);
    struct stat old;
    bool there = target && !stat(target, &old);

    /* Only root may give a file back to its former owner. */
    if ((there && geteuid() == 0 && chown(part, old.st_uid, old.st_gid)) ||
        (there && chmod(part, old.st_mode & 07777)) ||
        rename(part, target ? target : path))
        return LIFT_FAIL(why, "%s", strerror(errno));
    return true;
}

bool lift_file_finish(struct lift_file_out *out, bool lasting, struct lift_str *why)
{
    bool good = !fflush(out->file) && !ferror(out->file) &&
                (!lasting || !out->part || !fsync(fileno(out->file)));
    int error = errno, lock = fcntl(fileno(out->file), F_DUPFD_CLOEXEC, 0);

    if (fclose(out->file) && good) {
        good = false;
        error = errno;
    }
    if (!good)
        lift_str_add(why, strerror(error ? error : EIO));
    good = good && (!out->part || lift_file_replace(out->part, out->target, why));
    if (!good && out->part)
        unlink(out->part);
    if (lock >= 0)
        close(lock);
    free(out->target);
    free(out->part);
    return good;
}

void lift_file_drop(struct lift_file_out *out)
{
    fclose(out->file);
    if (out->part)
        unlink(out->part);
    free(out->target);
    free(out->part);
}

bool lift_file_write(const char *path, const char *text, size_t len, bool lasting,
                     struct lift_str *why)
{
    struct lift_file_out out;

    if (!lift_file_create(path, &out, why))
        return false;
    fwrite(text, 1, len, out.file); /* lift_file_finish checks the error flag */
    return lift_file_finish(&out, lasting, why);
}
