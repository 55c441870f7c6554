#include "device/process.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "device/pause.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A guardian process starts the program and waits for its end. If this process is killed,
 * the kernel sends SIGTERM to the guardian (PR_SET_PDEATHSIG). The guardian then ends the
 * program's process group and removes the folder; likewise at the time limit. While no
 * program runs, a worker that receives SIGTERM removes its folders itself. Between fork
 * and exec, only async-signal-safe calls are allowed, since drivers may run threads here.
 */

enum { GRACE_MS = 200, EXEC_FAILED = 127, SWEEP_SECONDS = 5, MOST_OUTPUT = 1 << 20 };

#define FOLDER_PREFIX "lift-cc-"

/* Address space and largest file of a compiler. */
static const rlim_t most_memory = (rlim_t)4 << 30, most_file = (rlim_t)1 << 28;

void device_close_from(int first)
{
    long max;

    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0)
        return;
    max = sysconf(_SC_OPEN_MAX);
    if (max < 0 || max > 65536)
        max = 65536;
    for (int fd = first; fd < max; fd++)
        close(fd);
}

static char *join(const char *folder, const char *name)
{
    struct lift_str s = {0};

    lift_str_addf(&s, "%s/%s", folder, name);
    return lift_str_take(&s);
}

static const char *temporary(void)
{
    const char *tmp = getenv("TMPDIR");

    return tmp && *tmp ? tmp : "/tmp";
}

static int lock_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Existing folders of this process, at most 4. If this process is killed, the next start
 * removes further folders. */
static struct held {
    atomic_bool used;
    char path[PATH_MAX];
} held[4];

static struct held *hold(void)
{
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (!atomic_exchange(&held[i].used, true))
            return &held[i];
    return NULL;
}

static void release(const char *path)
{
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (atomic_load(&held[i].used) && !strcmp(held[i].path, path))
            atomic_store(&held[i].used, false);
}

/* mkdtemp writes the name directly into the list, so the list always has all existing
 * folders. */
static bool make_folder(struct device_folder *folder)
{
    struct held *mine = hold();
    char unheld[PATH_MAX], *path = mine ? mine->path : unheld;
    int len = snprintf(path, PATH_MAX, "%s/" FOLDER_PREFIX "XXXXXX", temporary());

    errno = ENAMETOOLONG;
    if (len < PATH_MAX && mkdtemp(path))
        folder->path = strdup(path);
    else if (mine)
        atomic_store(&mine->used, false);
    return folder->path != NULL;
}

bool device_folder_create(struct device_folder *folder)
{
    *folder = (struct device_folder){.lock = -1};
    if (!make_folder(folder))
        return false;
    folder->lock = lock_folder(folder->path);
    folder->source = join(folder->path, "kernel.c");
    folder->module = join(folder->path, "kernel.so");
    return true;
}

static bool remove_entries(int dir);

static bool remove_entry(int dir, const char *name)
{
    int inner;

    if (!strcmp(name, ".") || !strcmp(name, ".."))
        return false;
    if (unlinkat(dir, name, 0) == 0)
        return true;
    inner = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0)
        return false;
    while (remove_entries(inner))
        ;
    close(inner);
    return unlinkat(dir, name, AT_REMOVEDIR) == 0;
}

/* Returns true if entries were removed; more may remain, since reading a changing folder
 * is incomplete. Guardians call this function, so only system calls are allowed. */
static bool remove_entries(int dir)
{
    _Alignas(struct dirent64) char entries[4096];
    bool removed = false;
    long got;

    lseek(dir, 0, SEEK_SET);
    while ((got = syscall(SYS_getdents64, dir, entries, sizeof entries)) > 0)
        for (long at = 0; at < got;) {
            const struct dirent64 *entry = (const void *)(entries + at);

            removed = remove_entry(dir, entry->d_name) || removed;
            at += entry->d_reclen;
        }
    return removed;
}

static void remove_folder(const char *path)
{
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    while (dir >= 0 && remove_entries(dir))
        ;
    if (dir >= 0)
        close(dir);
    rmdir(path);
}

void device_folder_remove(struct device_folder *folder)
{
    if (folder->path) {
        remove_folder(folder->path);
        release(folder->path);
    }
    if (folder->lock >= 0)
        close(folder->lock);
    free(folder->path);
    free(folder->source);
    free(folder->module);
    *folder = (struct device_folder){.lock = -1};
}

static void die(int signal)
{
    (void)signal;
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (atomic_load(&held[i].used))
            remove_folder(held[i].path);
    kill(getpid(), SIGKILL);
}

void device_folders_die_with_us(void)
{
    const struct sigaction action = {.sa_handler = die};

    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        atomic_store(&held[i].used, false);
    sigaction(SIGTERM, &action, NULL);
}

/* Removes a folder of lift, of this user, that is old enough and not locked. */
static void sweep_one(const char *name)
{
    LIFT_FREED char *path = join(temporary(), name);
    struct stat s;
    int lock = -1;

    if (lstat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
        time(NULL) - s.st_mtime >= SWEEP_SECONDS)
        lock = lock_folder(path);
    if (lock >= 0) {
        remove_folder(path);
        close(lock);
    }
}

void device_folder_sweep(void)
{
    DIR *dir = opendir(temporary());
    struct dirent *entry;

    if (!dir)
        return;
    while ((entry = readdir(dir)))
        if (strncmp(entry->d_name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) == 0 &&
            strlen(entry->d_name) == strlen(FOLDER_PREFIX) + 6)
            sweep_one(entry->d_name);
    closedir(dir);
}

/* Makes the program's environment from this process's. The message locale is "C", since
 * lift parses messages. Temporary files are in 'folder', unless it is NULL. */
static char **make_environment(const char *folder)
{
    size_t count = 0, kept = 0;
    char **env;

    while (environ[count])
        count++;
    env = lift_alloc(count + 3, sizeof *env);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0 &&
            (!folder || strncmp(environ[i], "TMPDIR=", 7) != 0))
            env[kept++] = lift_strdup(environ[i]);
    env[kept++] = lift_strdup("LC_ALL=C");
    if (folder) {
        struct lift_str s = {0};

        lift_str_addf(&s, "TMPDIR=%s", folder);
        env[kept] = lift_str_take(&s);
    }
    return env;
}

static void complain(const char *text)
{
    ssize_t done = write(STDERR_FILENO, text, strlen(text));

    (void)done;
}

static void limit(int resource, rlim_t most)
{
    struct rlimit now;

    if (getrlimit(resource, &now) != 0 || now.rlim_cur <= most)
        return;
    now.rlim_cur = most;
    setrlimit(resource, &now);
}

/* Executes the program in the current process. Only this process's 'environ' changes. */
static _Noreturn void become(char *const argv[], char **env, const sigset_t *mask)
{
    const char *why;

    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_AS, most_memory);
    limit(RLIMIT_FSIZE, most_file);
    environ = env;
    execvp(argv[0], argv);
    why = strerrordesc_np(errno);
    complain("cannot run '");
    complain(argv[0]);
    complain("': ");
    complain(why ? why : "unknown error");
    _exit(EXEC_FAILED);
}

static void end_group(pid_t program, const sigset_t *signals)
{
    struct timespec grace = {.tv_nsec = GRACE_MS * 1000000L};

    kill(-program, SIGTERM); /* compilers then remove their own files */
    while (sigtimedwait(signals, NULL, &grace) == SIGTERM)
        ;
    kill(-program, SIGKILL);
    while (waitpid(program, NULL, 0) < 0 && errno == EINTR)
        ;
}

struct guarded {
    char *const *argv;
    char **env;
    const struct device_folder *folder; /* may be NULL */
    pid_t parent;
    int output;
    sigset_t mask; /* of the caller */
};

/* Blocks until the program ends or the guardian receives SIGTERM. */
static int guard_program(const struct guarded *g, pid_t program, const sigset_t *signals)
{
    int status;

    for (;;) {
        int signal = sigwaitinfo(signals, NULL);

        if (signal == SIGTERM) {
            end_group(program, signals);
            if (g->folder)
                remove_folder(g->folder->path);
            return -1;
        }
        if (signal == DEVICE_PAUSE || signal == DEVICE_RESUME)
            kill(-program, signal == DEVICE_PAUSE ? SIGSTOP : SIGCONT);
        if (waitpid(program, &status, WNOHANG) == program) {
            kill(-program, SIGKILL); /* ends remaining children */
            return status;
        }
    }
}

/* Runs the guardian, whose own exit status repeats the program's. */
static _Noreturn void guard(const struct guarded *g)
{
    sigset_t signals, mask = g->mask;
    pid_t program;
    int status, null = open("/dev/null", O_RDONLY);

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL); /* signals of pauses are already blocked */
    sigdelset(&mask, SIGTERM);
    device_pause_signals(&signals);
    signal(SIGTERM, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != g->parent || null < 0)
        _exit(EXEC_FAILED);
    dup2(null, 0);
    dup2(g->output, 1);
    dup2(g->output, 2);
    device_close_from(3);
    program = fork();
    if (program == 0)
        become(g->argv, g->env, &mask);
    if (program < 0) {
        complain("cannot fork");
        _exit(EXEC_FAILED);
    }
    setpgid(program, program);
    status = guard_program(g, program, &signals);
    if (status != -1 && WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    _exit(128 + (status == -1 ? SIGKILL : WTERMSIG(status)));
}

/* Copies the pipe into 'output' until its end. Returns false at the deadline. */
static bool drain(int fd, double deadline, struct lift_str *output)
{
    char chunk[16384];

    for (;;) {
        double left = device_pause_left(deadline);
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = poll(&p, 1, left > 0 ? (int)(left * 1000) + 1 : 0);
        ssize_t got;

        if (ready == 0 && left <= 0)
            return false;
        if (ready <= 0)
            continue;
        got = read(fd, chunk, sizeof chunk);
        if (got > 0 && output->len < MOST_OUTPUT)
            lift_str_addn(output, chunk, (size_t)got);
        if (got == 0 || (got < 0 && errno != EINTR))
            return true;
    }
}

/* Returns false if the guardian, and so the program, still runs at the deadline. */
static bool await(pid_t guardian, double deadline, int *status)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    pid_t got;

    for (;;) {
        got = waitpid(guardian, status, WNOHANG);
        if (got == guardian || (got < 0 && errno != EINTR))
            return true;
        if (device_pause_left(deadline) < 0)
            return false;
        nanosleep(&pause, NULL);
    }
}

static struct device_run_result result_of(int status)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

    if (code > 128)
        return (struct device_run_result){DEVICE_RUN_KILLED, code - 128};
    return (struct device_run_result){DEVICE_RUN_EXITED, code};
}

static struct device_run_result collect(pid_t guardian, int fd, double seconds,
                                        struct lift_str *output)
{
    double deadline = device_pause_deadline(seconds);
    int status = 0;

    if (drain(fd, deadline, output) && await(guardian, deadline, &status))
        return result_of(status);
    kill(guardian, SIGTERM);
    while (waitpid(guardian, &status, 0) < 0 && errno == EINTR)
        ;
    return (struct device_run_result){DEVICE_RUN_TIMEOUT, 0};
}

struct device_run_result device_run(char *const argv[],
                                    const struct device_folder *folder, double seconds,
                                    struct lift_str *output)
{
    struct device_run_result result = {DEVICE_RUN_FAILED, 0};
    struct guarded g = {.argv = argv, .folder = folder, .parent = getpid()};
    int ends[2];
    pid_t guardian;

    if (pipe2(ends, O_CLOEXEC) < 0) {
        result.code = errno;
        return result;
    }
    g.env = make_environment(folder ? folder->path : NULL);
    g.output = ends[1];
    device_pause_block(&g.mask);
    guardian = fork();
    if (guardian == 0)
        guard(&g);
    result.code = errno;
    device_pause_pass_to(guardian);
    sigprocmask(SIG_SETMASK, &g.mask, NULL);
    close(ends[1]);
    if (guardian > 0)
        result = collect(guardian, ends[0], seconds, output);
    device_pause_pass_to(0);
    close(ends[0]);
    for (size_t i = 0; g.env[i]; i++)
        free(g.env[i]);
    free(g.env);
    return result;
}

bool device_write_all(int fd, const void *data, size_t size)
{
    const char *at = data;

    while (size > 0) {
        ssize_t put = write(fd, at, size);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}
