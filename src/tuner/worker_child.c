/* The child of a worker: answers one request after another in a separate process. */
#include "base/memory.h"
#include "device/pause.h"
#include "device/process.h"
#include "tuner/worker_t.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static bool is_child;

static bool read_all(void *data, size_t size)
{
    char *at = data;

    while (size > 0) {
        ssize_t got = read(WORKER_SOCKET, at, size < WORKER_CHUNK ? size : WORKER_CHUNK);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* Restores the default signal actions, so that a crash ends the child by its signal. */
static void reset_signals(void)
{
    sigset_t none;

    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    signal(SIGINT, SIG_IGN); /* the parent handles Ctrl-C */
    device_folders_die_with_us();
    device_pause_obey();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Sanitizers map terabytes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MEMORY_LIMITS = 0 };
#else
enum { MEMORY_LIMITS = 1 };
#endif

static void limit_memory(int64_t bytes)
{
    const struct rlimit most = {(rlim_t)bytes, (rlim_t)bytes};

    if (MEMORY_LIMITS && bytes > 0)
        setrlimit(RLIMIT_AS, &most);
}

/* When memory runs out, lets the kernel kill the child rather than the parent. */
static void volunteer(void)
{
    static const char points[] = "500";
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    ssize_t ignored;

    if (score < 0)
        return;
    ignored = write(score, points, sizeof points - 1);
    (void)ignored;
    close(score);
}

static void isolate(int socket, pid_t parent)
{
    const struct rlimit none = {0, 0};
    int null = open("/dev/null", O_RDWR);

    setpgid(0, 0);
    reset_signals();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || null < 0)
        _exit(EXIT_FAILURE);
    setrlimit(RLIMIT_CORE, &none);
    volunteer();
    dup2(null, 0);
    dup2(null, 1);
    if (socket != WORKER_SOCKET)
        dup2(socket, WORKER_SOCKET);
    fcntl(WORKER_SOCKET, F_SETFD, FD_CLOEXEC);
    device_close_from(WORKER_SOCKET + 1);
}

_Noreturn void worker_child_live(const struct lift_worker *worker, int socket,
                                 pid_t parent)
{
    struct lift_str reply = {0};
    struct worker_frame head;
    void *state = NULL;

    is_child = true;
    isolate(socket, parent);
    lift_memory_exits(LIFT_WORKER_NO_MEMORY);
    limit_memory(worker->memory);
    while (read_all(&head, sizeof head)) {
        void *data = malloc(head.size + 1);

        if (!data || !read_all(data, head.size))
            break;
        lift_str_clear(&reply);
        worker->serve(worker->user, &state, data, head.size, &reply);
        free(data);
        head = (struct worker_frame){WORKER_FRAME_MAGIC, reply.len};
        if (!device_write_all(WORKER_SOCKET, &head, sizeof head) ||
            !device_write_all(WORKER_SOCKET, reply.data, reply.len))
            break;
    }
    _exit(EXIT_FAILURE);
}

void lift_worker_live(lift_worker_serve *serve, pid_t parent)
{
    worker_child_live(&(struct lift_worker){.serve = serve}, WORKER_SOCKET, parent);
}

double lift_worker_paused(void)
{
    return device_paused();
}

static void write_note(uint64_t magic, double number)
{
    struct {
        struct worker_frame head;
        double number;
    } note = {{magic, sizeof note.number}, number};

    if (is_child)
        device_write_all(WORKER_SOCKET, &note, sizeof note);
}

void lift_worker_allow(double seconds)
{
    write_note(WORKER_NOTE_MAGIC, seconds);
}

/* Without an answer the parent has ended. */
void lift_worker_begin_quiet(void)
{
    struct worker_frame head = {.magic = WORKER_QUIET_MAGIC};

    write_note(WORKER_QUIET_MAGIC, 1);
    if (is_child && (!read_all(&head, sizeof head) || head.magic != WORKER_QUIET_MAGIC))
        _exit(EXIT_FAILURE);
}

void lift_worker_end_quiet(void)
{
    write_note(WORKER_QUIET_MAGIC, 0);
}
