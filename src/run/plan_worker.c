/* Plans measure by means of lift's program. This program has one thread, so it can safely
 * fork the processes that compile and run candidates; the caller may have more threads.
 */
#include "base/memory.h"
#include "lift/version.h"
#include "run/plan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts, each with a NUL */

static void put(struct lift_str *out, const char *text)
{
    lift_str_addn(out, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* Returns the next text; NULL if the text is empty. */
static const char *take(const char **at)
{
    const char *text = *at;

    *at += strlen(text) + 1;
    return *text ? text : NULL;
}

/* ---- the reply: a head, the reason if nothing was stored, and the errors */

struct head {
    struct lift_hash kernel;
    double gpts;
    size_t mistakes;
};

struct mistake {
    enum lift_error_code code;
    int line, column;
    struct lift_span span;
};

static void put_error(struct lift_str *out, const struct lift_error *error)
{
    for (const struct lift_error *e = error; e && e->code; e = e->next) {
        const struct mistake m = {e->code, e->line, e->column, e->span};

        lift_str_addn(out, (const char *)&m, sizeof m);
        put(out, lift_str_get(&e->text));
        put(out, e->file);
        put(out, e->excerpt);
    }
}

static char *take_copy(const char **at)
{
    const char *text = take(at);

    return text ? lift_strdup(text) : NULL;
}

static void take_error(const char *at, size_t count, struct lift_error *error)
{
    lift_error_fini(error);
    for (size_t i = 0; i < count; i++) {
        struct mistake m;

        if (i > 0)
            error = error->next = lift_alloc(1, sizeof *error);
        memcpy(&m, at, sizeof m);
        at += sizeof m;
        *error = (struct lift_error){
            .code = m.code, .line = m.line, .column = m.column, .span = m.span};
        lift_str_add(&error->text, at);
        take(&at);
        error->file = take_copy(&at);
        error->excerpt = take_copy(&at);
    }
}

/* ---- the worker */

/* The head of a request. Texts follow: sizes, types, device, database, the program's name
 * and text, and rules. */
struct request {
    enum lift_plan_effort effort;
    double seconds;
};

void plan_serve(void *user, void **state, const void *request, size_t size,
                struct lift_str *reply)
{
    const char *at = request, *end = at + size;
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_plan_options options = {.effort = LIFT_ESTIMATE};
    struct plan_job job = {.options = &options};
    struct plan_measured measured = {.gpts = 0};
    struct lift_rules *rules = lift_rules_shipped();
    struct request r;
    bool good = true;

    (void)user, (void)state;
    memcpy(&r, at, sizeof r);
    at += sizeof r;
    job.effort = r.effort;
    job.rules = rules;
    options.seconds = r.seconds;
    options.sizes = take(&at);
    options.types = take(&at);
    options.device = take(&at);
    job.database = take(&at);
    job.source.name = take(&at);
    job.source.text = at;
    job.source.len = strlen(at);
    take(&at);
    while (good && at < end) {
        const char *name = take(&at), *text = at;

        take(&at);
        good = lift_rules_load(rules, name, text, &error);
    }
    if (good && job.effort == LIFT_PATIENT)
        plan_explore(&job, &error);
    else if (good)
        plan_measure(&job, &measured, &error);
    lift_str_addn(reply,
                  (const char *)&(struct head){measured.kernel, measured.gpts,
                                               lift_error_count(&error)},
                  sizeof(struct head));
    put(reply, lift_str_get(&measured.unkept));
    put_error(reply, &error);
    lift_str_fini(&measured.unkept);
    lift_rules_destroy(rules);
}

static bool read_reply(const struct lift_str *reply, struct plan_measured *out,
                       struct lift_error *error)
{
    const char *at = reply->data + sizeof(struct head);
    struct head head;

    memcpy(&head, reply->data, sizeof head);
    if (out) {
        out->kernel = head.kernel;
        out->gpts = head.gpts;
        lift_str_add(&out->unkept, at);
    }
    take(&at);
    if (head.mistakes)
        take_error(at, head.mistakes, error);
    return head.mistakes == 0;
}

/* Waits for the worker. Returns false if the caller stops the wait. */
static bool wait(struct lift_worker *worker, const struct lift_plan_options *o,
                 struct lift_str *reply, struct lift_worker_result *result)
{
    while (!lift_worker_step(worker, reply, result)) {
        if (o->go_on && !o->go_on(o->user))
            return false;
        lift_worker_wait_any(&worker, 1, -1);
    }
    return true;
}

bool plan_ask(const struct lift_planner *planner, const struct plan_job *job,
              struct plan_measured *out, struct lift_error *error)
{
    const struct lift_plan_options *o = job->options;
    struct lift_worker *worker = lift_worker_create_started(plan_serve);
    const struct request r = {job->effort, o->seconds};
    LIFT_SCOPED(lift_str) request = {0}, reply = {0};
    LIFT_FREED char *program = lift_worker_program();
    struct lift_worker_result result;
    bool over;

    lift_str_addn(&request, (const char *)&r, sizeof r);
    put(&request, o->sizes);
    put(&request, o->types);
    put(&request, o->device);
    put(&request, job->database);
    put(&request, job->source.name);
    put(&request, job->source.text);
    lift_str_addn(&request, planner->rule_files.data, planner->rule_files.len);
    lift_worker_begin(worker, request.data, request.len, INFINITY);
    over = wait(worker, o, &reply, &result);
    lift_worker_stop(worker);
    if (!over)
        return lift_fail(error, LIFT_ERROR_STOPPED,
                         "stopped while kernels were measured");
    switch (result.end) {
    case LIFT_WORKER_OK:
        return read_reply(&reply, out, error);
    case LIFT_WORKER_CRASHED:
        return lift_fail(error, LIFT_ERROR_KERNEL, "'%s' was ended by signal %d (%s)",
                         program, result.code, strsignal(result.code));
    case LIFT_WORKER_EXITED:
    case LIFT_WORKER_TIMEOUT:
        break;
    }
    if (result.code == LIFT_WORKER_NO_MEMORY)
        return lift_fail(error, LIFT_ERROR_KERNEL, "'%s' found no memory left", program);
    return lift_fail(error, LIFT_ERROR_KERNEL,
                     "'%s' does not work as lift %s, which plans need to measure "
                     "kernels: set LIFT_PROGRAM to another file",
                     program, LIFT_VERSION);
}
