/* The parent's side of a worker: starts the child, sends requests and ends the child. */
#include "base/bug.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "device/findings.h"
#include "device/memory.h"
#include "device/pause.h"
#include "lift/version.h"
#include "tuner/worker_t.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SLICE_MS = 50,  /* time until a dead child is noticed while others hold its socket */
    GRACE_MS = 200, /* time for a child to remove its files */
    GROUP_WAIT_MS = 200, /* time for other members of the group to end */
    DYING_MS = 500, /* time for a child that has closed its socket to end by itself */
};

const char *lift_worker_self;

char *lift_worker_program(void)
{
    /* Relative to the library's folder: in the build folder, and in lib or
     * lib/TRIPLET. */
    static const char *const places[] = {"src/cli/lift", "../bin/lift", "../../bin/lift"};
    const char *named = getenv("LIFT_PROGRAM");
    struct lift_str path = {0};
    char real[PATH_MAX] = "";
    Dl_info library;

    if (lift_worker_self || (named && *named))
        return lift_strdup(lift_worker_self ? lift_worker_self : named);
    if (dladdr((void *)lift_worker_program, &library) &&
        realpath(library.dli_fname, real))
        *strrchr(real, '/') = '\0';
    for (int i = 0; i < 3 && (i == 0 || access(lift_str_get(&path), X_OK) != 0); i++) {
        lift_str_clear(&path);
        lift_str_addf(&path, "%s/%s", real, places[i]);
    }
    return path.data;
}

/* Starts lift's program as the child. Returns 0 or an errno. */
static int start_program(pid_t *pid, int socket, pid_t parent)
{
    LIFT_FREED char *program = lift_worker_program();
    char number[24], name[] = "lift", command[] = "worker", version[] = LIFT_VERSION;
    char *argv[] = {name, command, version, number, NULL};
    posix_spawn_file_actions_t files;
    int error;

    snprintf(number, sizeof number, "%ld", (long)parent);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, socket, WORKER_SOCKET);
    error = posix_spawn(pid, program, &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Starts the child with these signals blocked. Without the block, a signal before the
 * child has its own handlers would run the parent's handlers. */
static bool start(struct lift_worker *worker)
{
    pid_t parent = getpid();
    sigset_t end, old;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return false;
    device_findings_share();
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    device_pause_signals(&end);
    pthread_sigmask(SIG_BLOCK, &end, &old);
    if (worker->started && start_program(&worker->pid, ends[1], parent) != 0)
        worker->pid = -1;
    else if (!worker->started)
        worker->pid = fork();
    if (worker->pid == 0)
        worker_child_live(worker, ends[1], parent);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    close(ends[1]);
    if (worker->pid < 0) {
        close(ends[0]);
        worker->pid = 0;
        return false;
    }
    setpgid(worker->pid,
            worker->pid); /* the child does so as well: either may be first */
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

/* Ends the child, if it still runs, and its whole group; returns the wait status. The
 * child has time to remove its files. The function reaps the child last, so that the
 * group's number stays valid for signals. Returns when the group has no process left,
 * or no parent reaps the remaining processes. */
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
    for (int i = 0; i < GROUP_WAIT_MS && kill(-pid, 0) == 0; i++)
        nanosleep(&millisecond, NULL);
    close(worker->socket);
    worker->pid = 0;
    worker->socket = -1;
    return status;
}

/* Sends as many bytes as the socket accepts; false if the socket is closed. */
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

/* Reads the available bytes; false if the socket is closed. The buffer grows with the
 * received bytes, so a wrong size in a header allocates nothing. */
static bool pull(struct lift_worker *worker)
{
    char chunk[WORKER_CHUNK];

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

static void take_note(struct lift_worker *worker, uint64_t magic)
{
    double number;

    memcpy(&number, worker->in.data + sizeof(struct worker_frame), sizeof number);
    if (magic == WORKER_NOTE_MAGIC)
        worker->deadline = lift_seconds() + number;
    else
        worker->quiet = number != 0 ? WORKER_ASKS : WORKER_LOUD;
    worker->asked_at = lift_seconds();
    worker->in.len -= sizeof(struct worker_frame) + sizeof number;
    memmove(worker->in.data,
            worker->in.data + sizeof(struct worker_frame) + sizeof number,
            worker->in.len);
}

/* Parses the bytes received so far. */
static enum answer read_answer(struct lift_worker *worker)
{
    struct worker_frame head;

    while (worker->in.len >= sizeof head) {
        memcpy(&head, worker->in.data, sizeof head);
        if (head.magic != WORKER_FRAME_MAGIC &&
            ((head.magic != WORKER_NOTE_MAGIC && head.magic != WORKER_QUIET_MAGIC) ||
             head.size != sizeof(double)))
            return ANSWER_RUBBISH;
        if (worker->in.len - sizeof head < head.size)
            return ANSWER_NONE;
        if (head.magic == WORKER_FRAME_MAGIC)
            return ANSWER_WHOLE;
        take_note(worker, head.magic);
    }
    return ANSWER_NONE;
}

static void finish(struct lift_worker *worker)
{
    lift_worker_resume(worker);
    worker->busy = false;
    worker->quiet = WORKER_LOUD;
    lift_str_fini(&worker->out);
    lift_str_fini(&worker->in);
}

struct lift_worker *lift_worker_create(lift_worker_serve *serve, void *user)
{
    struct lift_worker *worker = lift_alloc(1, sizeof *worker);

    worker->serve = serve;
    worker->user = user;
    worker->socket = -1;
    worker->inside = getenv("LIFT_IN_PROCESS") != NULL;
    return worker;
}

struct lift_worker *lift_worker_create_started(lift_worker_serve *serve)
{
    struct lift_worker *worker = lift_worker_create(serve, NULL);

    worker->started = true;
    return worker;
}

/* Ends a lost child and returns its cause. A lost child usually ends soon by itself,
 * so the function first waits. A child that wrote invalid bytes or closed its socket
 * may run for ever. */
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

void lift_worker_begin(struct lift_worker *worker, const void *request, size_t size,
                       double seconds)
{
    struct worker_frame head = {WORKER_FRAME_MAGIC, size};

    LIFT_ASSERT(!worker->busy);
    if (worker->inside) {
        worker->busy = true;
        worker->serve(worker->user, &worker->state, request, size, &worker->in);
        return;
    }
    if (worker->pid && has_ended(worker->pid)) /* the child ended while idle */
        end_child(worker);
    worker->busy = true;
    worker->deadline = lift_seconds() + seconds;
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
    if (worker->inside) {
        *result = (struct lift_worker_result){LIFT_WORKER_OK, 0};
        lift_str_clear(reply);
        lift_str_addn(reply, worker->in.data, worker->in.len);
        finish(worker);
        return true;
    }
    lift_str_clear(reply);
    *result = (struct lift_worker_result){LIFT_WORKER_EXITED, -1};
    if (!worker->pid) { /* the child did not start */
        finish(worker);
        return true;
    }
    open = push(worker);
    open = pull(worker) && open;
    answer = read_answer(worker);
    if (answer == ANSWER_WHOLE) {
        struct worker_frame head;

        memcpy(&head, worker->in.data, sizeof head);
        lift_str_addn(reply, worker->in.data + sizeof head, head.size);
        result->end = LIFT_WORKER_OK;
        result->code = 0;
    } else if (answer == ANSWER_RUBBISH || ended || !open) {
        *result = bury(worker);
    } else if (lift_seconds() >= worker->deadline && worker->paused_at <= 0 &&
               worker->quiet != WORKER_ASKS) {
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
    double left = (worker->deadline - lift_seconds()) * 1000;

    *out = (struct pollfd){.fd = worker->socket, .events = POLLIN};
    if (worker->sent < worker->out.len)
        out->events |= POLLOUT;
    if (!worker->busy || worker->socket < 0)
        return 0;
    if (worker->paused_at > 0 || worker->quiet == WORKER_ASKS)
        return SLICE_MS;
    return left <= 0 ? 0 : left < SLICE_MS ? (int)left + 1 : SLICE_MS;
}

void lift_worker_wait_any(struct lift_worker *const *workers, int count, int most)
{
    LIFT_FREED struct pollfd *fds = lift_alloc((size_t)count + 1, sizeof *fds);
    int busy = 0;

    for (int i = 0; i < count; i++) {
        int ms = lift_worker_wait(workers[i], &fds[busy]);

        if (!lift_worker_busy(workers[i]))
            continue;
        most = most < 0 || ms < most ? ms : most;
        busy++;
    }
    if (busy || most > 0)
        poll(fds, (nfds_t)busy, most);
}

void lift_worker_pause(struct lift_worker *worker)
{
    if (!worker->pid || !worker->busy || worker->paused_at > 0)
        return;
    worker->paused_at = lift_seconds();
    kill(worker->pid, DEVICE_PAUSE);
}

void lift_worker_resume(struct lift_worker *worker)
{
    if (worker->paused_at <= 0)
        return;
    worker->deadline += lift_seconds() - worker->paused_at;
    worker->paused_at = 0;
    if (worker->pid)
        kill(worker->pid, DEVICE_RESUME);
}

bool lift_worker_asks(const struct lift_worker *worker)
{
    return worker->quiet == WORKER_ASKS;
}

bool lift_worker_is_quiet(const struct lift_worker *worker)
{
    return worker->quiet == WORKER_QUIET;
}

void lift_worker_grant(struct lift_worker *worker)
{
    const struct worker_frame head = {WORKER_QUIET_MAGIC, 0};

    LIFT_ASSERT(worker->quiet == WORKER_ASKS);
    worker->deadline += lift_seconds() - worker->asked_at;
    worker->quiet = WORKER_QUIET;
    lift_str_addn(&worker->out, (const char *)&head, sizeof head);
    push(worker);
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
    return device_own_memory(0);
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
