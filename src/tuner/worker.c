#include "lift/worker.h"
#include "device/process.h"
#include "lift/bug.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
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

static const uint64_t frame_magic = 0x6c69667477726b31,
                      note_magic = 0x6c6966746e6f7431; /* a new time limit */

enum {
    CHUNK = 64 * 1024,
    SLICE_MS =
        50, /* how long a dead child can go unnoticed while others hold its socket */
    GRACE_MS = 200,      /* for a child to remove its files */
    GROUP_WAIT_MS = 200, /* for the group's other members to be gone */
    DYING_MS = 500,      /* for a child that has closed its socket to end by itself */
    CHILD_SOCKET = 3,
};

struct lift_worker {
    lift_worker_serve *serve;
    void *user;
    bool inside;    /* no child: this process serves */
    void *state;    /* if so, of its requests */
    int64_t memory; /* bytes; 0: no limit */
    pid_t pid;      /* 0: no child */
    int socket;     /* -1: no child */
    bool busy;      /* a request was begun and not answered */
    double deadline;
    struct lift_str out, in; /* of the request in hand */
    size_t sent;
};

/* -- The child -- */

static bool is_child;

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
    device_folders_die_with_us();
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

/* Where memory runs out, the kernel's choice is the child and not the parent. */
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

    is_child = true;
    isolate(socket, parent);
    limit_memory(worker->memory);
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

void lift_worker_allow(double seconds)
{
    struct {
        struct frame head;
        double seconds;
    } note = {{note_magic, sizeof note.seconds}, seconds};

    if (is_child)
        write_all(CHILD_SOCKET, &note, sizeof note);
}

/* -- The parent -- */

/* A child that is ended before it has handlers of its own must not take the signal for
 * one to the parent. */
static bool start(struct lift_worker *worker)
{
    pid_t parent = getpid();
    sigset_t end, old;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return false;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    sigprocmask(SIG_BLOCK, &end, &old);
    worker->pid = fork();
    if (worker->pid == 0)
        live(worker, ends[1], parent);
    sigprocmask(SIG_SETMASK, &old, NULL);
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

/* Ends the child if it still runs, and its whole group; returns its wait status. It may
 * remove its files before. The child is waited for last, so that its group's number
 * cannot be another's when it is signalled. */
static int end_child(struct lift_worker *worker)
{
    pid_t pid = worker->pid;
    int status = 0;

    kill(pid, SIGTERM);
    for (int i = 0; i < GRACE_MS && !has_ended(pid); i++)
        nanosleep(&millisecond, NULL);
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

/* Sends what the socket takes; false if it is closed. */
static bool push(struct lift_worker *worker)
{
    while (worker->sent < worker->out.len) {
        ssize_t put = send(worker->socket, worker->out.data + worker->sent,
                           worker->out.len - worker->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (put < 0 && errno == EAGAIN)
            return true;
        if (put < 0 && errno != EINTR)
            return false;
        worker->sent += put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* Takes what the socket has; false if it is closed. Bytes are taken as they come, so a
 * false size costs nothing. */
static bool pull(struct lift_worker *worker)
{
    char chunk[CHUNK];

    for (;;) {
        ssize_t got = recv(worker->socket, chunk, sizeof chunk, MSG_DONTWAIT);

        if (got < 0 && errno == EAGAIN)
            return true;
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0)
            lift_str_addn(&worker->in, chunk, (size_t)got);
    }
}

enum answer { ANSWER_NONE, ANSWER_WHOLE, ANSWER_RUBBISH };

static void take_note(struct lift_worker *worker)
{
    double seconds;

    memcpy(&seconds, worker->in.data + sizeof(struct frame), sizeof seconds);
    worker->deadline = device_now() + seconds;
    worker->in.len -= sizeof(struct frame) + sizeof seconds;
    memmove(worker->in.data, worker->in.data + sizeof(struct frame) + sizeof seconds,
            worker->in.len);
}

/* Looks at what has come so far. */
static enum answer read_answer(struct lift_worker *worker)
{
    struct frame head;

    while (worker->in.len >= sizeof head) {
        memcpy(&head, worker->in.data, sizeof head);
        if (head.magic != frame_magic &&
            (head.magic != note_magic || head.size != sizeof(double)))
            return ANSWER_RUBBISH;
        if (worker->in.len - sizeof head < head.size)
            return ANSWER_NONE;
        if (head.magic == frame_magic)
            return ANSWER_WHOLE;
        take_note(worker);
    }
    return ANSWER_NONE;
}

static void finish(struct lift_worker *worker)
{
    worker->busy = false;
    lift_str_fini(&worker->out);
    lift_str_fini(&worker->in);
}

struct lift_worker *lift_worker_create(lift_worker_serve *serve, void *user)
{
    struct lift_worker *worker = calloc(1, sizeof *worker);

    LIFT_ASSERT(worker);
    worker->serve = serve;
    worker->user = user;
    worker->socket = -1;
    worker->inside = getenv("LIFT_IN_PROCESS") != NULL;
    return worker;
}

/* -- Without a child -- */

static void serve_here(struct lift_worker *worker, const void *request, size_t size)
{
    worker->busy = true;
    worker->serve(worker->user, &worker->state, request, size, &worker->in);
}

static bool step_here(struct lift_worker *worker, struct lift_str *reply,
                      struct lift_worker_result *result)
{
    *result = (struct lift_worker_result){LIFT_WORKER_OK, 0};
    lift_str_clear(reply);
    lift_str_addn(reply, worker->in.data, worker->in.len);
    finish(worker);
    return true;
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

static void take_answer(const struct lift_worker *worker, struct lift_str *reply)
{
    struct frame head;

    memcpy(&head, worker->in.data, sizeof head);
    lift_str_addn(reply, worker->in.data + sizeof head, head.size);
}

void lift_worker_begin(struct lift_worker *worker, const void *request, size_t size,
                       double seconds)
{
    struct frame head = {frame_magic, size};

    LIFT_ASSERT(!worker->busy);
    if (worker->inside) {
        serve_here(worker, request, size);
        return;
    }
    if (worker->pid && has_ended(worker->pid)) /* while it was idle */
        end_child(worker);
    worker->busy = true;
    worker->deadline = device_now() + seconds;
    worker->sent = 0;
    if (!worker->pid && !start(worker))
        return;
    lift_str_addn(&worker->out, (const char *)&head, sizeof head);
    lift_str_addn(&worker->out, request, size);
    push(worker);
}

bool lift_worker_step(struct lift_worker *worker, struct lift_str *reply,
                      struct lift_worker_result *result)
{
    bool ended = worker->pid && has_ended(worker->pid), open;
    enum answer answer;

    LIFT_ASSERT(worker->busy);
    if (worker->inside)
        return step_here(worker, reply, result);
    lift_str_clear(reply);
    *result = (struct lift_worker_result){LIFT_WORKER_EXITED, -1};
    if (!worker->pid) { /* it did not start */
        finish(worker);
        return true;
    }
    open = push(worker);
    open = pull(worker) && open;
    answer = read_answer(worker);
    if (answer == ANSWER_WHOLE) {
        take_answer(worker, reply);
        result->end = LIFT_WORKER_OK;
        result->code = 0;
    } else if (answer == ANSWER_RUBBISH || ended || !open) {
        *result = bury(worker);
    } else if (device_now() >= worker->deadline) {
        end_child(worker);
        *result = (struct lift_worker_result){LIFT_WORKER_TIMEOUT, 0};
    } else {
        return false;
    }
    finish(worker);
    return true;
}

bool lift_worker_busy(const struct lift_worker *worker)
{
    return worker->busy;
}

int lift_worker_wait(const struct lift_worker *worker, struct pollfd *out)
{
    double left = (worker->deadline - device_now()) * 1000;

    *out = (struct pollfd){.fd = worker->socket, .events = POLLIN};
    if (worker->sent < worker->out.len)
        out->events |= POLLOUT;
    if (!worker->busy || worker->socket < 0)
        return 0;
    return left <= 0 ? 0 : left < SLICE_MS ? (int)left + 1 : SLICE_MS;
}

void lift_worker_end(struct lift_worker *worker)
{
    if (worker->pid)
        end_child(worker);
    finish(worker);
}

struct lift_worker_result lift_worker_finish(struct lift_worker *worker,
                                             struct lift_str *reply)
{
    struct lift_worker_result result;
    struct pollfd p;

    while (!lift_worker_step(worker, reply, &result)) {
        int ms = lift_worker_wait(worker, &p);

        poll(&p, 1, ms);
    }
    return result;
}

struct lift_worker_result lift_worker_call(struct lift_worker *worker,
                                           const void *request, size_t size,
                                           double seconds, struct lift_str *reply)
{
    lift_worker_begin(worker, request, size, seconds);
    return lift_worker_finish(worker, reply);
}

void lift_worker_stop(struct lift_worker *worker)
{
    if (!worker)
        return;
    lift_worker_end(worker);
    free(worker);
}

void lift_worker_limit_memory(struct lift_worker *worker, int64_t bytes)
{
    worker->memory = bytes;
}

int64_t lift_worker_memory(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long pages = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%ld", &pages) != 1)
        pages = 0;
    fclose(file);
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
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
