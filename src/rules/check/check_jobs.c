/* The check of many rules, shared by processes: each takes every n-th rule and writes its
 * reports into a pipe; the parent reads them in the order of the rules. One that ends in
 * the middle of a rule is replaced by another, which goes on with the next. */
#include "lift/bug.h"
#include "rules/check/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_JOBS = 64 };

struct job {
    pid_t pid;
    FILE *reports;
};

struct team {
    const struct lift_rule *const *rules;
    int count;
    const struct lift_check_options *options;
    int jobs;
    struct job job[MAX_JOBS];
};

/* A report on its way; the text of 'detail' follows. */
struct message {
    struct lift_check_report report;
    size_t length;
};

static void send_report(void *user, const struct lift_check_report *report)
{
    struct message m = {.report = *report, .length = strlen(report->detail)};

    if (fwrite(&m, sizeof m, 1, user) != 1 ||
        fwrite(report->detail, 1, m.length, user) != m.length || fflush(user) != 0)
        _exit(1);
}

static void work(const struct team *t, int first, int out)
{
    FILE *pipe = fdopen(out, "wb");

    for (int i = first; pipe && i < t->count; i += t->jobs)
        check_rule(t->rules[i], t->options, send_report, pipe);
    _exit(0);
}

/* A process for the rules 'first', 'first' + jobs, ...; without one there are no reports.
 */
static void start_job(struct team *t, int first)
{
    struct job *job = &t->job[first % t->jobs];
    int ends[2];

    *job = (struct job){.pid = -1};
    if (first >= t->count || pipe(ends) != 0)
        return;
    fflush(NULL);
    job->pid = fork();
    if (job->pid == 0) {
        close(ends[0]);
        work(t, first, ends[1]);
    }
    close(ends[1]);
    job->reports = fdopen(ends[0], "rb");
}

/* The wait status of its process; 0 if there was none. */
static int end_job(struct job *job)
{
    int status = 0;

    if (job->reports)
        fclose(job->reports);
    if (job->pid > 0)
        waitpid(job->pid, &status, 0);
    return status;
}

/* False if the process ended before. */
static bool receive(struct job *job, const struct lift_rule *rule,
                    struct lift_check_report *report, char **detail)
{
    struct message m;

    if (!job->reports || fread(&m, sizeof m, 1, job->reports) != 1)
        return false;
    *detail = malloc(m.length + 1);
    LIFT_ASSERT(*detail);
    if (fread(*detail, 1, m.length, job->reports) != m.length)
        return false;
    (*detail)[m.length] = '\0';
    *report = m.report;
    report->rule = rule;
    report->detail = *detail;
    return true;
}

static struct lift_check_report result(struct team *t, int i, char **detail)
{
    struct job *job = &t->job[i % t->jobs];
    struct lift_check_report report;

    struct lift_str why = {0};
    int status;

    *detail = NULL;
    if (receive(job, t->rules[i], &report, detail))
        return report;
    status = end_job(job);
    if (t->options->lost)
        t->options->lost(t->options->user, status, &why);
    *detail = lift_str_take(&why);
    start_job(t, i + t->jobs);
    return (struct lift_check_report){
        .rule = t->rules[i], .verdict = LIFT_CHECK_CRASHED, .detail = *detail};
}

static bool check_by_team(struct team *t, lift_check_visit *visit, void *user)
{
    bool ok = true;

    for (int i = 0; i < t->jobs; i++)
        start_job(t, i);
    for (int i = 0; i < t->count; i++) {
        char *detail;
        struct lift_check_report report = result(t, i, &detail);

        visit(user, &report);
        free(detail);
        ok = report.verdict == LIFT_CHECK_PASSED && ok;
    }
    for (int i = 0; i < t->jobs; i++)
        end_job(&t->job[i]);
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
