/* Asks a worker for the description of a device. */
#include "base/fail.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "device/clocks.h"
#include "explore/explore.h"
#include "tuner/worker.h"
#include <stdlib.h>
#include <string.h>

static const double open_limit = 60; /* seconds, measurement included */

enum { TEXTS = 7 };

/* The texts follow, each with its NUL. */
struct probe_reply {
    bool good;
    struct lift_device_info info; /* pointers are invalid here */
    double copy_gbs, cache_gbs;
};

static void add_text(struct lift_str *out, const char *text)
{
    lift_str_addn(out, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_settings(struct lift_str *out, const struct lift_device_info *info)
{
    struct lift_clocks *clocks = lift_clocks_open(info);
    LIFT_SCOPED(lift_str) json = {0};

    lift_clocks_settings(clocks, &json);
    add_text(out, lift_str_get(&json));
    lift_clocks_close(clocks);
}

static bool ask(const char *name, bool measure, struct lift_str *out,
                struct lift_str *why)
{
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_device *device = lift_device_open(name, &error);
    struct probe_reply reply = {.good = false};

    if (!device)
        return LIFT_FAIL(why, "%s", lift_str_get(&error.text));
    lift_device_pin(device);
    reply.info = *lift_device_info(device);
    reply.good = true;
    if (measure)
        reply.copy_gbs = lift_device_copy_bandwidth(device, &error);
    if (measure)
        reply.cache_gbs = lift_device_cache_bandwidth(device, &error);
    lift_str_addn(out, (const char *)&reply, sizeof reply);
    add_text(out, reply.info.name);
    add_text(out, reply.info.vendor);
    add_text(out, reply.info.runtime);
    add_text(out, reply.info.driver);
    add_text(out, reply.info.arch);
    add_text(out, reply.info.compiler);
    add_settings(out, &reply.info);
    lift_device_close(device);
    return true;
}

/* The request is 'm' or '-' and the name. */
static void serve(void *user, void **state, const void *request, size_t size,
                  struct lift_str *out)
{
    const char *text = request;
    LIFT_SCOPED(lift_str) why = {0};
    struct probe_reply reply = {.good = false};

    (void)user, (void)state, (void)size;
    if (!ask(text + 1, text[0] == 'm', out, &why)) {
        lift_str_addn(out, (const char *)&reply, sizeof reply);
        add_text(out, lift_str_get(&why));
    }
}

static bool unpack(const struct lift_str *out, struct lift_explore_device *device,
                   struct lift_str *why)
{
    struct probe_reply reply;
    const char *at[TEXTS];

    memcpy(&reply, out->data, sizeof reply);
    if (!reply.good)
        return LIFT_FAIL(why, "%s", out->data + sizeof reply);
    device->texts = lift_resize(NULL, 1, out->len - sizeof reply);
    memcpy(device->texts, out->data + sizeof reply, out->len - sizeof reply);
    at[0] = device->texts;
    for (int i = 1; i < TEXTS; i++)
        at[i] = at[i - 1] + strlen(at[i - 1]) + 1;
    device->info = reply.info;
    device->info.name = at[0];
    device->info.vendor = at[1];
    device->info.runtime = at[2];
    device->info.driver = at[3];
    device->info.arch = at[4];
    device->info.compiler = at[5];
    device->settings = at[6];
    device->copy_gbs = reply.copy_gbs;
    device->cache_gbs = reply.cache_gbs;
    return true;
}

/* ---- once a process */

enum { REMEMBERED = 64 };

static struct {
    bool on;
    int count;
    char *names[REMEMBERED];
    struct lift_str replies[REMEMBERED];
} memory;

void lift_explore_devices_remember(void)
{
    memory.on = true;
}

static const struct lift_str *find_reply(const char *name)
{
    for (int i = 0; i < memory.count; i++)
        if (!strcmp(memory.names[i], name))
            return &memory.replies[i];
    return NULL;
}

struct lift_explore_probe {
    struct lift_worker *worker;
    char *name;
    bool ended; /* 'result' and 'reply' are there */
    struct lift_worker_result result;
    struct lift_str reply;
};

struct lift_explore_probe *lift_explore_device_begin(const char *name, bool measure)
{
    struct lift_explore_probe *p = lift_resize(NULL, 1, sizeof *p);
    LIFT_SCOPED(lift_str) request = {0};

    *p = (struct lift_explore_probe){.worker = lift_worker_create(serve, NULL),
                                     .name = lift_strdup(name)};
    lift_str_addf(&request, "%c%s", measure ? 'm' : '-', name);
    lift_worker_begin(p->worker, request.data, request.len + 1, open_limit);
    return p;
}

void lift_explore_device_drop(struct lift_explore_probe *p)
{
    if (!p)
        return;
    lift_worker_stop(p->worker);
    lift_str_fini(&p->reply);
    free(p->name);
    free(p);
}

bool lift_explore_device_await(struct lift_explore_probe *p, double seconds)
{
    double until = lift_seconds() + seconds, left;

    while (!p->ended && (left = until - lift_seconds()) > 0) {
        p->ended = lift_worker_step(p->worker, &p->reply, &p->result);
        if (!p->ended)
            lift_worker_wait_any(&p->worker, 1, 1 + (int)(1e3 * left));
    }
    return p->ended;
}

bool lift_explore_device_end(struct lift_explore_probe *p,
                             struct lift_explore_device *out, struct lift_str *why)
{
    bool good = false;

    *out = (struct lift_explore_device){.copy_gbs = 0};
    if (!p->ended)
        p->result = lift_worker_finish(p->worker, &p->reply);
    if (p->result.end == LIFT_WORKER_OK)
        good = unpack(&p->reply, out, why);
    else if (p->result.end == LIFT_WORKER_TIMEOUT)
        lift_str_addf(why, "device '%s' did not answer within %g s", p->name, open_limit);
    else
        lift_str_addf(why, "device '%s' made its process end (%d)", p->name,
                      p->result.code);
    if (good && out->copy_gbs <= 0 && memory.on && memory.count != REMEMBERED &&
        !find_reply(p->name)) {
        memory.names[memory.count] = lift_strdup(p->name);
        lift_str_addn(&memory.replies[memory.count++], p->reply.data, p->reply.len);
    }
    lift_explore_device_drop(p);
    return good;
}

bool lift_explore_device(const char *name, bool measure, struct lift_explore_device *out,
                         struct lift_str *why)
{
    const struct lift_str *known = measure ? NULL : find_reply(name);

    *out = (struct lift_explore_device){.copy_gbs = 0};
    if (known)
        return unpack(known, out, why);
    return lift_explore_device_end(lift_explore_device_begin(name, measure), out, why);
}

void lift_explore_device_fini(struct lift_explore_device *device)
{
    free(device->texts);
    *device = (struct lift_explore_device){.texts = NULL};
}

/* ---- lists of devices */

/* The names of all available devices, each with its NUL. */
static void serve_list(void *user, void **state, const void *request, size_t size,
                       struct lift_str *out)
{
    (void)user, (void)state, (void)request, (void)size;
    for (const struct lift_runtime *const *r = lift_runtimes; *r; r++) {
        LIFT_SCOPED(lift_str) why = {0};
        int count = (*r)->count(&why);

        for (int i = 0; i < count; i++) {
            lift_device_name(*r, i, out);
            lift_str_addc(out, '\0');
        }
    }
}

struct names {
    char **at;
    int count;
};

static bool add_name(struct names *n, const char *name, struct lift_str *why)
{
    for (int i = 0; i < n->count; i++)
        if (strcmp(n->at[i], name) == 0)
            return LIFT_FAIL(why, "device '%s' is named twice", name);
    n->at = lift_resize(n->at, (size_t)n->count + 2, sizeof *n->at);
    n->at[n->count] = lift_strdup(name);
    n->at[++n->count] = NULL;
    return true;
}

static bool add_all(struct names *n, struct lift_str *why)
{
    struct lift_worker *worker = lift_worker_create(serve_list, NULL);
    LIFT_SCOPED(lift_str) out = {0};
    struct lift_worker_result result = lift_worker_call(worker, "", 0, open_limit, &out);
    bool good = result.end == LIFT_WORKER_OK && out.len > 0;

    if (!good)
        lift_str_add(why, "no device was found");
    for (size_t at = 0; good && at < out.len; at += strlen(out.data + at) + 1)
        good = add_name(n, out.data + at, why);
    lift_worker_stop(worker);
    return good;
}

char **lift_explore_devices(const char *const *names, int count, struct lift_str *why)
{
    struct names n = {0};
    bool good = true;

    for (int i = 0; i < count && good; i++)
        good =
            strcmp(names[i], "all") == 0 ? add_all(&n, why) : add_name(&n, names[i], why);
    if (count == 0)
        good = add_name(&n, "host", why);
    for (int i = 0; !good && i < n.count; i++)
        free(n.at[i]);
    if (good)
        return n.at;
    free(n.at);
    return NULL;
}
