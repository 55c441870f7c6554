/* Checks rules by several processes. Each process takes the next unchecked rule and
 * writes its report to a pipe. The parent prints the reports in the order of the rules.
 * If a process ends while it checks a rule, the parent starts another process. */
#include "base/bug.h"
#include "base/memory.h"
#include "rules/check/check.h"
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_JOBS = 64, NONE = -1 };

/* Shared by the processes: the next rule, and the current rule of each process. */
struct desk {
    atomic_int next, taken[MAX_JOBS];
};

struct job {
    pid_t pid;
    int reports; /* read end of a pipe; NONE: the process has ended */
};

struct team {
    const struct lift_rule *const *rules;
    int count;
    const struct lift_check_options *options;
    int jobs;
    struct job job[MAX_JOBS];
    struct desk *desk;
    struct lift_check_report *reports; /* 'rule' is set after the report has arrived */
};

/* The header of a report in the pipe; the text of 'detail' follows. */
struct message {
    struct lift_check_report report;
    int index;
    size_t length;
};

/* ---- a child process */

struct worker {
    int out, index;
};

static bool write_all(int to, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t done = write(to, data, size);

        if (done == 0 || (done < 0 && errno != EINTR))
            return false;
        data += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

static void send_report(void *user, const struct lift_check_report *report)
{
    const struct worker *w = user;
    struct message m = {*report, w->index, strlen(report->detail)};

    if (!write_all(w->out, (const char *)&m, sizeof m) ||
        !write_all(w->out, report->detail, m.length))
        _exit(1);
}

static void work(const struct team *t, int job, int out)
{
    struct worker w = {.out = out};

    while ((w.index = atomic_fetch_add(&t->desk->next, 1)) < t->count) {
        atomic_store(&t->desk->taken[job], w.index);
        check_rule(t->rules[w.index], t->options, send_report, &w);
    }
    _exit(0);
}

/* ---- the parent */

static void start_job(struct team *t, int i)
{
    struct job *job = &t->job[i];
    int ends[2];

    *job = (struct job){.pid = -1, .reports = NONE};
    atomic_store(&t->desk->taken[i], NONE);
    if (pipe(ends) != 0)
        return;
    fflush(NULL);
    job->pid = fork();
    if (job->pid == 0) {
        close(ends[0]);
        work(t, i, ends[1]);
    }
    close(ends[1]);
    job->reports = ends[0];
}

/* Closes the pipe and returns the wait status of the process; 0 if there was no process.
 */
static int end_job(struct job *job)
{
    int status = 0;

    if (job->reports != NONE)
        close(job->reports);
    while (job->pid > 0 && waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    *job = (struct job){.pid = -1, .reports = NONE};
    return status;
}

static bool read_all(int from, char *data, size_t size)
{
    while (size > 0) {
        ssize_t done = read(from, data, size);

        if (done == 0 || (done < 0 && errno != EINTR))
            return false;
        data += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* Reads one report. Returns false if the process ended before the report was complete. */
static bool receive(struct team *t, const struct job *job)
{
    struct message m;
    char *detail;

    if (!read_all(job->reports, (char *)&m, sizeof m))
        return false;
    detail = lift_alloc(m.length + 1, 1);
    if (!read_all(job->reports, detail, m.length)) {
        free(detail);
        return false;
    }
    m.report.rule = t->rules[m.index];
    m.report.detail = detail;
    t->reports[m.index] = m.report;
    return true;
}

static void lose(struct team *t, int index, int status)
{
    struct lift_str why = {0};

    if (t->options->lost)
        t->options->lost(t->options->user, status, &why);
    t->reports[index] = (struct lift_check_report){.rule = t->rules[index],
                                                   .verdict = LIFT_CHECK_CRASHED,
                                                   .detail = lift_str_take(&why)};
}

/* Handles the end of a process. If the process ended while it checked a rule, a new
 * process checks the remaining rules. */
static void ended(struct team *t, int i)
{
    int status = end_job(&t->job[i]), index = atomic_load(&t->desk->taken[i]);

    if (index == NONE || t->reports[index].rule)
        return;
    lose(t, index, status);
    start_job(t, i);
}

/* Waits for a report or the end of a process. Returns false if no process is left. */
static bool listen_to(struct team *t)
{
    struct pollfd fds[MAX_JOBS];
    bool any = false;

    for (int i = 0; i < t->jobs; i++) {
        fds[i] = (struct pollfd){.fd = t->job[i].reports, .events = POLLIN};
        any |= t->job[i].reports != NONE;
    }
    if (!any || poll(fds, (nfds_t)t->jobs, -1) < 0)
        return any;
    for (int i = 0; i < t->jobs; i++)
        if (fds[i].revents && !receive(t, &t->job[i]))
            ended(t, i);
    return true;
}

static bool check_by_team(struct team *t, lift_check_visit *visit, void *user)
{
    bool ok = true;

    t->reports = lift_alloc((size_t)t->count, sizeof *t->reports);
    t->desk = mmap(NULL, sizeof *t->desk, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    LIFT_ASSERT(t->desk != MAP_FAILED);
    for (int i = 0; i < t->jobs; i++)
        start_job(t, i);
    for (int i = 0; i < t->count; i++) {
        while (!t->reports[i].rule && listen_to(t))
            continue;
        if (!t->reports[i].rule)
            lose(t, i, 0);
        visit(user, &t->reports[i]);
        free((char *)t->reports[i].detail);
        ok = t->reports[i].verdict == LIFT_CHECK_PASSED && ok;
    }
    for (int i = 0; i < t->jobs; i++)
        end_job(&t->job[i]);
    munmap(t->desk, sizeof *t->desk);
    free(t->reports);
    return ok;
}

struct tally {
    lift_check_visit *visit;
    void *user;
    bool ok;
};

static void visit_and_count(void *user, const struct lift_check_report *report)
{
    struct tally *t = user;

    t->visit(t->user, report);
    t->ok = report->verdict == LIFT_CHECK_PASSED && t->ok;
}

bool lift_rules_check(const struct lift_rule *const *rules, int count,
                      const struct lift_check_options *options, lift_check_visit *visit,
                      void *user)
{
    struct team team = {.rules = rules, .count = count, .options = options};
    struct tally tally = {visit, user, true};

    team.jobs = options->jobs < MAX_JOBS ? options->jobs : MAX_JOBS;
    team.jobs = team.jobs > 0 ? team.jobs : 1;
    if ((team.jobs > 1 && count > 1) || options->user_fun)
        return check_by_team(&team, visit, user);
    for (int i = 0; i < count; i++)
        check_rule(rules[i], options, visit_and_count, &tally);
    return tally.ok;
}
