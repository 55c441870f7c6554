/* A caching compiler driver: tests compile many kernels, and most references, repeatedly,
 * and each command asks each compiler for its version. The driver calls the next compiler
 * of the same name on PATH and stores its output in the folder LIFT_TEST_CACHE. The key
 * has the compiler, its options and the source without its leading comment, which names
 * the source's origin. Only successful compilations are stored, with their messages.
 * Kernels run for milliseconds: where LIFT_TEST_LEVEL is set, such as '-O1', kernels are
 * compiled with that level instead of '-O3', which is up to four times slower.
 * References, which add '-O2' after the level, are then compiled with '-O0': in 40 % of
 * the time, to the same results, since references forbid contraction. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { NOT_FOUND = 127 };

struct command {
    char real[PATH_MAX];
    char **argv;
    const char *source; /* NULL: none that is looked for */
    const char *module;
    char kept[PATH_MAX]; /* the cached output; the messages are next to it */
};

static bool is_this(const char *path)
{
    struct stat a, b;

    return stat(path, &a) == 0 && stat("/proc/self/exe", &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Finds the next program of the same name on PATH, after this program's folder, for
 * 'real'. */
static bool find_real(const char *name, char real[PATH_MAX])
{
    const char *old = getenv("PATH");
    char *path = old ? strdup(old) : NULL,
         *left = old ? calloc(1, strlen(old) + 1) : NULL;
    char file[PATH_MAX], *save, *folder;

    real[0] = '\0';
    if (!path || !left)
        return false;
    for (folder = strtok_r(path, ":", &save); folder;
         folder = strtok_r(NULL, ":", &save)) {
        snprintf(file, PATH_MAX, "%s/%s", folder, name);
        if (is_this(file))
            continue;
        sprintf(left + strlen(left), "%s%s", left[0] ? ":" : "", folder);
        if (!real[0] && access(file, X_OK) == 0)
            strcpy(real, file);
    }
    setenv("PATH", left, 1);
    free(path);
    free(left);
    return real[0];
}

/* ---- the key */

static void add(XXH3_state_t *state, const char *text)
{
    XXH3_128bits_update(state, text, strlen(text) + 1);
}

/* Without the comment that it begins with. */
static bool add_source(XXH3_state_t *state, const char *path)
{
    struct stat file;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text, *start, *end;

    if (fd < 0 || fstat(fd, &file) != 0)
        return false;
    text = calloc(1, (size_t)file.st_size + 1);
    if (!text || read(fd, text, (size_t)file.st_size) != file.st_size)
        return false;
    close(fd);
    end = strncmp(text, "/*", 2) == 0 ? strstr(text, "*/") : NULL;
    start = end ? end : text;
    add(state, start);
    free(text);
    return true;
}

/* Names the file of the command's output; false if the output is not cached. */
static bool name_kept(struct command *c)
{
    const char *folder = getenv("LIFT_TEST_CACHE");
    XXH3_state_t *state = XXH3_createState();
    XXH128_hash_t hash;
    struct stat file;
    char which[128];

    if (!folder || !state || stat(c->real, &file) != 0 ||
        (mkdir(folder, 0777) != 0 && errno != EEXIST))
        return false;
    XXH3_128bits_reset(state);
    add(state, c->real);
    snprintf(which, sizeof which, "%lld %lld.%09ld", (long long)file.st_size,
             (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
    add(state, which);
    for (char **word = c->argv + 1; *word; word++)
        if (*word != c->source && *word != c->module)
            add(state, *word);
    if (c->source && !add_source(state, c->source))
        return false;
    hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    return snprintf(c->kept, sizeof c->kept, "%s/%016llx%016llx", folder,
                    (unsigned long long)hash.high64,
                    (unsigned long long)hash.low64) < (int)sizeof c->kept - 32;
}

/* ---- cached files */

static bool copy_all(int from, int to)
{
    char chunk[65536];
    ssize_t got;

    while ((got = read(from, chunk, sizeof chunk)) > 0)
        if (write(to, chunk, (size_t)got) != got)
            return false;
    return got == 0;
}

static bool copy(const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777);
    bool good = out >= 0 && copy_all(in, out);

    if (in >= 0)
        close(in);
    if (out >= 0)
        good = close(out) == 0 && good;
    return good;
}

static const char *said(const char *kept, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s.said", kept);
    return path;
}

/* Prints the cached messages: those of '--version' to stdout, others to stderr. */
static bool say(const struct command *c, const char *kept)
{
    char path[PATH_MAX];
    int in = open(said(kept, path), O_RDONLY | O_CLOEXEC);
    bool good = in >= 0 && copy_all(in, c->source ? 2 : 1);

    if (in >= 0)
        close(in);
    return good;
}

static bool recall(const struct command *c)
{
    return (!c->source || access(c->kept, R_OK) == 0) && say(c, c->kept) &&
           (!c->source || copy(c->kept, c->module));
}

/* Under names of this process first: others may compile the same. */
static void keep(const struct command *c, const char *own)
{
    char from[PATH_MAX], to[PATH_MAX];

    if (rename(said(own, from), said(c->kept, to)) == 0 && c->source &&
        copy(c->module, own))
        rename(own, c->kept);
}

/* ---- the real one */

static int run_real(const struct command *c, const char *own)
{
    char path[PATH_MAX];
    int out = open(said(own, path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int status = 0;
    pid_t child = out < 0 ? -1 : vfork();

    if (child == 0) {
        dup2(out, 1);
        dup2(out, 2);
        execv(c->real, c->argv);
        _exit(NOT_FOUND);
    }
    if (out >= 0)
        close(out);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        return NOT_FOUND;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int compile(const struct command *c)
{
    char own[PATH_MAX], path[PATH_MAX];
    int status;

    snprintf(own, sizeof own, "%.*s.%d", PATH_MAX - 32, c->kept, (int)getpid());
    status = run_real(c, own);
    say(c, own);
    if (status == 0)
        keep(c, own);
    unlink(said(own, path));
    return status;
}

/* A command for a kernel compiles 'kernel.c', and its module follows '-o'. */
static bool looks_like_ours(struct command *c)
{
    int words = 0;

    for (char **word = c->argv + 1; *word; word++, words++) {
        const char *name = strrchr(*word, '/');

        if (name && strcmp(name, "/kernel.c") == 0)
            c->source = *word;
        if (strcmp(word[-1], "-o") == 0)
            c->module = *word;
    }
    return (c->source && c->module) ||
           (words == 1 && strcmp(c->argv[1], "--version") == 0);
}

static void set_level(char **argv)
{
    char *level = getenv("LIFT_TEST_LEVEL");

    for (char **word = argv + 1; level && *word; word++)
        if (strcmp(*word, "-O3") == 0)
            *word = level;
        else if (strcmp(*word, "-O2") == 0)
            *word = "-O0";
}

int main(int argc, char **argv)
{
    struct command c = {.argv = argv};
    const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];

    (void)argc;
    if (!find_real(name, c.real))
        return NOT_FOUND;
    argv[0] = c.real;            /* gcc looks for its parts next to its argv[0] */
    unsetenv("MALLOC_PERTURB_"); /* meson's, for tests: costs compilers time */
    if (looks_like_ours(&c)) {
        set_level(argv);
        if (name_kept(&c))
            return recall(&c) ? 0 : compile(&c);
    }
    execv(c.real, argv);
    return NOT_FOUND;
}
