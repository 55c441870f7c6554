#include "lift/worker.h"
#include "device/process.h"
#include "lift/bug.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A frame is a header and so many bytes. The magic number tells a reply from what a
 * kernel gone wild wrote into the socket. */
struct frame {
    uint64_t magic, size;
};

static const uint64_t frame_magic = 0x6c69667477726b31;

enum {
    CHUNK = 64 * 1024,
    SLICE_MS =
        50, /* how long a dead child can go unnoticed while others hold its socket */
    GROUP_WAIT_MS = 200, /* for the group's other members to be gone */
    DYING_MS = 500,      /* for a child that has closed its socket to end by itself */
    CHILD_SOCKET = 3,
};

struct lift_worker {
    lift_worker_serve *serve;
    void *user;
    pid_t pid;  /* 0: no child */
    int socket; /* -1: no child */
};

/* -- The child -- */

static bool read_all(int fd, void *data, size_t size)
{
    char *at = data;

    while (size > 0) {
        ssize_t got = read(fd, at, size < CHUNK ? size : CHUNK);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const void *data, size_t size)
{
    const char *at = data;

    while (size > 0) {
        ssize_t put = send(fd, at, size < CHUNK ? size : CHUNK, MSG_NOSIGNAL);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

/* Crashes shall end the child by their signal, whatever handlers the parent had. */
static void reset_signals(void)
{
    sigset_t none;

    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    signal(SIGINT, SIG_IGN); /* Ctrl-C is the parent's business */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void isolate(int socket, pid_t parent)
{
    const struct rlimit none = {0, 0};
    int null = open("/dev/null", O_RDWR);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || null < 0)
        _exit(EXIT_FAILURE);
    reset_signals();
    setrlimit(RLIMIT_CORE, &none);
    dup2(null, 0);
    dup2(null, 1);
    if (socket != CHILD_SOCKET)
        dup2(socket, CHILD_SOCKET);
    fcntl(CHILD_SOCKET, F_SETFD, FD_CLOEXEC);
    device_close_from(CHILD_SOCKET + 1);
}

static _Noreturn void live(const struct lift_worker *worker, int socket, pid_t parent)
{
    struct lift_str reply = {0};
    struct frame head;
    void *state = NULL;

    isolate(socket, parent);
    while (read_all(CHILD_SOCKET, &head, sizeof head)) {
        void *data = malloc(head.size + 1);

        if (!data || !read_all(CHILD_SOCKET, data, head.size))
            break;
        lift_str_clear(&reply);
        worker->serve(worker->user, &state, data, head.size, &reply);
        free(data);
        head = (struct frame){frame_magic, reply.len};
        if (!write_all(CHILD_SOCKET, &head, sizeof head) ||
            !write_all(CHILD_SOCKET, reply.data, reply.len))
            break;
    }
    _exit(EXIT_FAILURE);
}

/* -- The parent -- */

static bool start(struct lift_worker *worker)
{
    pid_t parent = getpid();
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return false;
    worker->pid = fork();
    if (worker->pid == 0)
        live(worker, ends[1], parent);
    close(ends[1]);
    if (worker->pid < 0) {
        close(ends[0]);
        worker->pid = 0;
        return false;
    }
    setpgid(worker->pid, worker->pid); /* as the child does: whoever is first */
    worker->socket = ends[0];
    return true;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
           info.si_pid == pid;
}

static const struct timespec millisecond = {.tv_nsec = 1000000};

/* Waits until no process of the group is left, or those left are nobody's to wait for. */
static void await_group(pid_t group)
{
    for (int i = 0; i < GROUP_WAIT_MS && kill(-group, 0) == 0; i++)
        nanosleep(&millisecond, NULL);
}

/* Ends the child if it still runs, and its whole group; returns its wait status. The
 * child is waited for last, so that its group's number cannot be another's when it is
 * signalled. */
static int end_child(struct lift_worker *worker)
{
    pid_t pid = worker->pid;
    int status = 0;

    kill(pid, SIGKILL);
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    await_group(pid);
    close(worker->socket);
    worker->pid = 0;
    worker->socket = -1;
    return status;
}

enum wait { WAIT_READY, WAIT_LATE, WAIT_LOST };

/* Until the socket is ready for 'events'; LOST when the child has ended and has left
 * nothing to read. */
static enum wait wait_for(const struct lift_worker *worker, short events, double deadline)
{
    for (;;) {
        double left = (deadline - device_now()) * 1000;
        bool ended = has_ended(worker->pid);
        struct pollfd p = {.fd = worker->socket, .events = events};

        if (left <= 0)
            return WAIT_LATE;
        if (poll(&p, 1, ended ? 0 : left < SLICE_MS ? (int)left + 1 : SLICE_MS) > 0)
            return WAIT_READY;
        if (ended)
            return WAIT_LOST;
    }
}

static enum wait send_frame(const struct lift_worker *worker, const void *data,
                            size_t size, double deadline)
{
    const char *at = data;

    while (size > 0) {
        enum wait w = wait_for(worker, POLLOUT, deadline);
        ssize_t put;

        if (w != WAIT_READY)
            return w;
        put = send(worker->socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put < 0 && errno != EINTR && errno != EAGAIN)
            return WAIT_LOST;
        at += put > 0 ? put : 0;
        size -= put > 0 ? (size_t)put : 0;
    }
    return WAIT_READY;
}

/* Appends exactly 'size' bytes. They are taken as they come, so a false size costs
 * nothing. */
static enum wait receive(const struct lift_worker *worker, uint64_t size, double deadline,
                         struct lift_str *out)
{
    char chunk[CHUNK];

    while (size > 0) {
        enum wait w = wait_for(worker, POLLIN, deadline);
        ssize_t got;

        if (w != WAIT_READY)
            return w;
        got = recv(worker->socket, chunk, size < CHUNK ? size : CHUNK, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return WAIT_LOST;
        if (got > 0) {
            lift_str_addn(out, chunk, (size_t)got);
            size -= (uint64_t)got;
        }
    }
    return WAIT_READY;
}

static enum wait converse(const struct lift_worker *worker, const void *request,
                          size_t size, double deadline, struct lift_str *reply)
{
    struct frame head = {frame_magic, size};
    struct lift_str text = {0};
    enum wait w = send_frame(worker, &head, sizeof head, deadline);

    if (w == WAIT_READY)
        w = send_frame(worker, request, size, deadline);
    if (w == WAIT_READY)
        w = receive(worker, sizeof head, deadline, &text);
    if (w == WAIT_READY)
        memcpy(&head, text.data, sizeof head);
    lift_str_fini(&text);
    if (w == WAIT_READY && head.magic != frame_magic)
        return WAIT_LOST;
    return w == WAIT_READY ? receive(worker, head.size, deadline, reply) : w;
}

struct lift_worker *lift_worker_create(lift_worker_serve *serve, void *user)
{
    struct lift_worker *worker = calloc(1, sizeof *worker);

    LIFT_ASSERT(worker);
    worker->serve = serve;
    worker->user = user;
    worker->socket = -1;
    return worker;
}

/* A lost child is mostly on its way to its end, whose cause is wanted; one that wrote
 * rubbish or closed its socket may go on for ever. */
static struct lift_worker_result bury(struct lift_worker *worker)
{
    int status;

    for (int i = 0; i < DYING_MS && !has_ended(worker->pid); i++)
        nanosleep(&millisecond, NULL);
    status = end_child(worker);
    if (WIFSIGNALED(status))
        return (struct lift_worker_result){LIFT_WORKER_CRASHED, WTERMSIG(status)};
    return (struct lift_worker_result){LIFT_WORKER_EXITED, WEXITSTATUS(status)};
}

struct lift_worker_result lift_worker_call(struct lift_worker *worker,
                                           const void *request, size_t size,
                                           double seconds, struct lift_str *reply)
{
    double deadline = device_now() + seconds;
    enum wait w;

    lift_str_clear(reply);
    if (worker->pid && has_ended(worker->pid)) /* while it was idle */
        end_child(worker);
    if (!worker->pid && !start(worker))
        return (struct lift_worker_result){LIFT_WORKER_EXITED, -1};
    w = converse(worker, request, size, deadline, reply);
    if (w == WAIT_READY)
        return (struct lift_worker_result){LIFT_WORKER_OK, 0};
    lift_str_clear(reply);
    if (w == WAIT_LOST)
        return bury(worker);
    end_child(worker);
    return (struct lift_worker_result){LIFT_WORKER_TIMEOUT, 0};
}

void lift_worker_stop(struct lift_worker *worker)
{
    if (!worker)
        return;
    if (worker->pid)
        end_child(worker);
    free(worker);
}

void *lift_shared_alloc(size_t bytes)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void lift_shared_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
