/* A step in a separate process. */
#include "base/bug.h"
#include "steps.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *rp_outcome_name(enum rp_outcome outcome)
{
    static const char *const names[] = {
        "absent", "right", "refused", "too slow", "does not compile", "crashed", "wrong"};

    return names[outcome];
}

void rp_say(struct rp_verdict *out, enum rp_outcome outcome, const char *format, ...)
{
    va_list args;

    out->outcome = outcome;
    va_start(args, format);
    vsnprintf(out->text, sizeof out->text, format, args);
    va_end(args);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The process's output goes to a file; after a crash its end is shown. */
static _Noreturn void child(const struct rp_step *step, const struct rp_case *c,
                            int reply, int words)
{
    struct rp_verdict v = {.outcome = RP_RIGHT};

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    dup2(words, STDOUT_FILENO);
    dup2(words, STDERR_FILENO);
    rp_serve(step, c, &v);
    fflush(NULL);
    _exit(write(reply, &v, sizeof v) == (ssize_t)sizeof v ? 0 : 1);
}

/* True if the whole answer came in time. */
static bool hear(int from, double limit, struct rp_verdict *out)
{
    double end = now() + limit;
    size_t got = 0;

    while (got < sizeof *out) {
        struct pollfd fd = {.fd = from, .events = POLLIN};
        double left = end - now();
        ssize_t n;

        if (left <= 0 || poll(&fd, 1, (int)(left * 1000) + 1) == 0)
            break;
        n = read(from, (char *)out + got, sizeof *out - got);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        got += n > 0 ? (size_t)n : 0;
    }
    return got == sizeof *out;
}

static void last_words(int words, const char *how, int code, struct rp_verdict *out)
{
    char text[3000];
    off_t size = lseek(words, 0, SEEK_END), from = size > 2900 ? size - 2900 : 0;
    ssize_t n = pread(words, text, sizeof text - 1, from);

    text[n > 0 ? n : 0] = '\0';
    rp_say(out, RP_CRASHED, "%s %d: %s", how, code, text);
}

static void watch(pid_t pid, int reply, int words, double limit, struct rp_verdict *out)
{
    double begun = now();
    int status = 0;

    if (!hear(reply, limit, out)) {
        if (now() - begun >= limit)
            rp_say(out, RP_SLOW, "not done after %.0f s", limit);
        else
            out->outcome = RP_OUTCOMES;
        if (out->outcome == RP_SLOW)
            kill(-pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    kill(-pid, SIGKILL);
    if (out->outcome == RP_OUTCOMES && WIFSIGNALED(status))
        last_words(words, "signal", WTERMSIG(status), out);
    else if (out->outcome == RP_OUTCOMES)
        last_words(words, "status", WEXITSTATUS(status), out);
    out->seconds = now() - begun;
}

void rp_do(const struct rp_step *step, const struct rp_case *c, double limit,
           struct rp_verdict *out)
{
    FILE *words = tmpfile();
    int reply[2];
    pid_t pid;

    memset(out, 0, sizeof *out);
    fflush(NULL);
    if (!words || pipe2(reply, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
        fprintf(stderr, "random_programs: cannot start a process: %s\n", strerror(errno));
        exit(2);
    }
    if (pid == 0)
        child(step, c, reply[1], fileno(words));
    close(reply[1]);
    watch(pid, reply[0], fileno(words), limit, out);
    close(reply[0]);
    fclose(words);
}
