/* An entry is a file, named by the hash of its text:
 *
 *     lift kernel 1 TEXT BYTES HASH      lengths, and the hash of all that follows
 *     the text: device, compiler, flags, source
 *     the bytes of the module
 *
 * A writer makes a temporary file and renames it, so that every entry is complete. Of
 * several writers, the last one's entry stays. If there are too many entries, the least
 * recently used are deleted. */
#include "explore/kept_binaries.h"
#include "base/hash.h"
#include "base/memory.h"
#include "lift/version.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_BYTES = 256 << 20,
    MOST_ENTRY = 64 << 20,
    MOST_HEAD = 100,
    OLD_SECONDS = 3600 /* age of a dead writer's temporary file */
};

static const char suffix[] = ".kernel", part[] = ".part-";

/* ---- the folder */

/* Returns false if no folder is configured: nothing is kept. */
static bool find_folder(struct lift_str *out)
{
    const char *own = getenv("LIFT_CACHE"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");

    if (own && (!*own || !strcmp(own, "off")))
        return false;
    if (own)
        lift_str_add(out, own);
    else if (cache && *cache == '/')
        lift_str_addf(out, "%s/lift", cache);
    else if (home && *home == '/')
        lift_str_addf(out, "%s/.cache/lift", home);
    return out->len > 0;
}

static void make_folders(const char *path)
{
    LIFT_FREED char *copy = lift_strdup(path);

    for (char *at = copy + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(copy, 0700);
    }
    mkdir(copy, 0700);
}

/* True if only the user may change the file. */
static bool is_private(int fd, mode_t kind)
{
    struct stat st;

    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind &&
           st.st_uid == geteuid() && (st.st_mode & 022) == 0;
}

/* -1: no folder, or others may change it. */
static int open_folder(void)
{
    LIFT_SCOPED(lift_str) path = {0};
    int fd;

    if (!find_folder(&path))
        return -1;
    make_folders(lift_str_get(&path));
    fd = open(lift_str_get(&path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && !is_private(fd, S_IFDIR)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* ---- reading */

struct entry {
    struct lift_str text; /* device, compiler, flags and source of the entry */
    char name[LIFT_HASH_HEX + sizeof suffix];
};

static void entry_fini(struct entry *e)
{
    lift_str_fini(&e->text);
}

static bool read_all(int fd, struct lift_str *out)
{
    char buffer[1 << 14];
    ssize_t got;

    while ((got = read(fd, buffer, sizeof buffer)) > 0 && out->len <= MOST_ENTRY)
        lift_str_addn(out, buffer, (size_t)got);
    return got == 0;
}

/* Finds the module's bytes in a file; returns false if the file is no complete entry with
 * this text. */
static bool find_bytes(const struct entry *e, const struct lift_str *file,
                       const char **bytes, size_t *size)
{
    size_t text, all, head;
    char hex[LIFT_HASH_HEX];
    const char *end = file->len ? memchr(file->data, '\n', file->len) : NULL;
    struct lift_hash hash;
    int used = 0;

    if (!end || end - file->data > MOST_HEAD ||
        sscanf(file->data, "lift kernel 1 %zu %zu %32[0-9a-f]%n", &text, &all, hex,
               &used) != 3 ||
        file->data + used != end || !lift_hash_parse(hex, &hash))
        return false;
    head = (size_t)used + 1;
    if (text != e->text.len || all > MOST_ENTRY || file->len != head + text + all ||
        memcmp(file->data + head, e->text.data, text) != 0 ||
        !lift_hash_equal(hash, lift_hash_bytes(file->data + head, text + all, 0)))
        return false;
    *bytes = file->data + head + text;
    *size = all;
    return true;
}

static bool load(int folder, const struct entry *e, struct lift_device *device,
                 struct runner_module *m)
{
    static const struct timespec now[2] = {{.tv_nsec = UTIME_NOW},
                                           {.tv_nsec = UTIME_NOW}};
    LIFT_SCOPED(lift_str) file = {0};
    LIFT_SCOPED(lift_error) error = {0};
    int fd = openat(folder, e->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const char *bytes;
    size_t size;

    if (fd < 0)
        return false;
    if (is_private(fd, S_IFREG) && read_all(fd, &file) &&
        find_bytes(e, &file, &bytes, &size))
        m->binary = device->runtime->load(device, bytes, size, &error);
    if (m->binary)
        futimens(fd, now);
    close(fd);
    return m->binary != NULL;
}

/* ---- writing */

struct listed {
    char name[NAME_MAX + 1];
    struct timespec used;
    off_t bytes;
};

struct list {
    struct listed *items;
    int count, cap;
    off_t bytes;
};

static int by_use(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;

    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

/* Lists the entries, and removes temporary files of dead writers. */
static void list_entries(int folder, struct list *list)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    struct dirent *d;
    struct stat st;

    while (dir && (d = readdir(dir))) {
        if (!strstr(d->d_name, suffix) ||
            fstatat(folder, d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (strstr(d->d_name, part)) {
            if (time(NULL) - st.st_mtime > OLD_SECONDS)
                unlinkat(folder, d->d_name, 0);
            continue;
        }
        LIFT_ROOM(list->items, list->count, list->cap);
        list->items[list->count] =
            (struct listed){.used = st.st_mtim, .bytes = st.st_size};
        snprintf(list->items[list->count++].name, NAME_MAX + 1, "%s", d->d_name);
        list->bytes += st.st_size;
    }
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
}

static void remove_oldest(int folder)
{
    struct list list = {.bytes = 0};

    list_entries(folder, &list);
    if (list.bytes > MOST_BYTES) {
        qsort(list.items, (size_t)list.count, sizeof *list.items, by_use);
        for (int i = 0; i < list.count && list.bytes > MOST_BYTES / 4 * 3; i++) {
            unlinkat(folder, list.items[i].name, 0);
            list.bytes -= list.items[i].bytes;
        }
    }
    free(list.items);
}

static bool write_all(int fd, const struct lift_str *text)
{
    for (size_t at = 0; at < text->len;) {
        ssize_t some = write(fd, text->data + at, text->len - at);

        if (some < 0 && errno != EINTR)
            return false;
        at += some > 0 ? (size_t)some : 0;
    }
    return true;
}

/* Stores an entry; failures are ignored. */
static void store(int folder, const struct entry *e, struct lift_device *device,
                  struct runner_module *m)
{
    LIFT_SCOPED(lift_str) bytes = {0}, file = {0}, name = {0}, body = {0};
    LIFT_SCOPED(lift_error) error = {0};
    char hex[LIFT_HASH_HEX];
    bool good;
    int fd;

    if (!device->runtime->save(device, m->binary, &bytes, &error) ||
        bytes.len + e->text.len > MOST_ENTRY - MOST_HEAD)
        return;
    lift_str_addn(&body, e->text.data, e->text.len);
    lift_str_addn(&body, bytes.data, bytes.len);
    lift_hash_hex(lift_hash_bytes(body.data, body.len, 0), hex);
    lift_str_addf(&file, "lift kernel 1 %zu %zu %s\n", e->text.len, bytes.len, hex);
    lift_str_addn(&file, body.data, body.len);
    lift_str_addf(&name, "%s%s%ld", e->name, part, (long)getpid());
    fd = openat(folder, name.data, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                0600);
    if (fd < 0)
        return;
    good = write_all(fd, &file);
    good = close(fd) == 0 && good;
    if (!good || renameat(folder, name.data, folder, e->name) != 0)
        unlinkat(folder, name.data, 0);
    remove_oldest(folder);
}

/* ---- both */

/* Describes the entry by source, without its first comment, and compiler. Returns false
 * if the source includes other files, which may change. */
static bool describe(struct lift_device *device, const struct runner_module *m,
                     const char *flags, struct entry *e)
{
    const struct lift_device_info *info = device->runtime->info(device);
    const char *source = m->module->source, *code = strstr(source, "*/");

    if (strstr(source, "#include \""))
        return false;
    lift_str_addf(&e->text, "%s\n%s\n%s\n%s\n%s\n%s\n%s\n", lift_version(), info->runtime,
                  info->vendor, info->name, info->driver, info->arch, info->compiler);
    if (device->runtime->add_builder)
        device->runtime->add_builder(device, &e->text);
    lift_str_addf(&e->text, "%s\n%s", flags, code ? code : source);
    lift_hash_hex(lift_hash_bytes(e->text.data, e->text.len, 0), e->name);
    strcat(e->name, suffix);
    return true;
}

bool runner_build_kept(struct lift_device *device, struct runner_module *m,
                       const char *flags, struct lift_error *error)
{
    LIFT_SCOPED(entry) e = {.name = ""};
    int folder = describe(device, m, flags, &e) ? open_folder() : -1;
    bool good = folder >= 0 && load(folder, &e, device, m);

    if (!good) {
        good = runner_build(device, m, flags, NULL, error);
        if (good && folder >= 0)
            store(folder, &e, device, m);
    }
    if (folder >= 0)
        close(folder);
    return good;
}
