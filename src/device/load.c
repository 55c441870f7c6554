#include "device/load.h"
#include "base/locale.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "base/str.h"
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 1024 };

/* The least part of a window that a thread waits in a disturbed window. A thread that is
 * woken on an idle core waits some microseconds; a thread behind another process waits
 * for some milliseconds. */
static const double disturbed_share = 0.1;

/* Counters of the whole machine, and of this process and its parent, in seconds. */
struct counters {
    double at, busy, stolen, ours;
};

struct lift_load {
    struct lift_str root;
    cpu_set_t cores; /* usable cores */
    int core_count;
    struct thread {
        int file;         /* descriptor of its schedstat */
        long long waited; /* nanoseconds at the start of the window */
    } threads[MOST_THREADS];
    int thread_count;
    double began;          /* start of the window, by lift_seconds */
    struct counters start; /* at the start of the first window */
    bool known, any;       /* 'start' is known; there was a window */
    struct lift_load_sum sum;
    bool (*others)(void *state,
                   double *share); /* of another device; NULL: this processor */
    void *state;
    double asked_at; /* when 'others' was called, by lift_seconds */
};

static const double ask_every = 1; /* seconds between calls of 'others' */

struct lift_load *lift_load_open(const char *root)
{
    struct lift_load *load = lift_alloc(1, sizeof *load);

    lift_str_add(&load->root, root);
    if (sched_getaffinity(0, sizeof load->cores, &load->cores))
        CPU_ZERO(&load->cores);
    load->core_count = CPU_COUNT(&load->cores);
    return load;
}

struct lift_load *lift_load_open_device(bool (*others)(void *state, double *share),
                                        void *state)
{
    struct lift_load *load = lift_alloc(1, sizeof *load);

    load->others = others;
    load->state = state;
    load->asked_at = lift_seconds();
    return load;
}

static void close_threads(struct lift_load *load)
{
    while (load->thread_count > 0)
        close(load->threads[--load->thread_count].file);
}

void lift_load_close(struct lift_load *load)
{
    if (!load)
        return;
    close_threads(load);
    lift_str_fini(&load->root);
    free(load);
}

/* ---- the whole machine */

/* Adds the line of a core: user, nice, system, idle, iowait, irq, softirq, steal. */
static void add_core(const char *line, struct counters *c)
{
    enum { IDLE = 3, IOWAIT = 4, STEAL = 7, FIELDS = 8 };
    static const double tick = 0.01; /* USER_HZ is 100 on all architectures of Linux */
    char *at;

    for (int i = 0; i < FIELDS; i++) {
        double seconds = tick * (double)strtoll(line, &at, 10);

        if (at == line)
            return;
        line = at;
        if (i == STEAL)
            c->stolen += seconds;
        else if (i != IDLE && i != IOWAIT)
            c->busy += seconds;
    }
}

static double clock_seconds(clockid_t clock)
{
    struct timespec t;

    return clock_gettime(clock, &t) ? 0 : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The processor time of this process and of its parent, the coordinator of a session. */
static double our_seconds(void)
{
    clockid_t parent;
    double seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);

    if (clock_getcpuclockid(getppid(), &parent) == 0)
        seconds += clock_seconds(parent);
    return seconds;
}

/* Returns false if the machine has no such counters. */
static bool read_counters(const struct lift_load *load, struct counters *c)
{
    LIFT_SCOPED(lift_str) path = {0};
    char line[512];
    int found = 0;
    FILE *file;

    lift_str_addf(&path, "%s/proc/stat", lift_str_get(&load->root));
    file = fopen(lift_str_get(&path), "re");
    *c = (struct counters){.at = lift_seconds(), .ours = our_seconds()};
    while (file && fgets(line, sizeof line, file) && strncmp(line, "cpu", 3) == 0) {
        char *rest;
        long core = strtol(line + 3, &rest, 10);

        if (rest == line + 3 || core < 0 || core >= CPU_SETSIZE ||
            !CPU_ISSET(core, &load->cores))
            continue;
        add_core(rest, c);
        found++;
    }
    if (file)
        fclose(file);
    return found > 0;
}

/* ---- threads of this process */

/* The second number of schedstat: nanoseconds that the thread was ready, but waited for
 * a core. Returns -1 if there is none. */
static long long read_waited(int file)
{
    char text[96], *end, *at;
    ssize_t got = pread(file, text, sizeof text - 1, 0);
    long long waited;

    text[got > 0 ? got : 0] = '\0';
    strtoll(text, &at, 10);
    waited = strtoll(at, &end, 10);
    return end == at ? -1 : waited;
}

static void open_threads(struct lift_load *load)
{
    LIFT_SCOPED(lift_str) path = {0};
    const struct dirent *entry;
    DIR *folder;

    lift_str_addf(&path, "%s/proc/self/task", lift_str_get(&load->root));
    folder = opendir(lift_str_get(&path));
    while (folder && load->thread_count < MOST_THREADS && (entry = readdir(folder))) {
        char name[64];
        struct thread t;

        if (!lift_is_digit(entry->d_name[0]))
            continue;
        snprintf(name, sizeof name, "%.32s/schedstat", entry->d_name);
        t.file = openat(dirfd(folder), name, O_RDONLY | O_CLOEXEC);
        t.waited = t.file < 0 ? -1 : read_waited(t.file);
        if (t.waited >= 0)
            load->threads[load->thread_count++] = t;
        else if (t.file >= 0)
            close(t.file);
    }
    if (folder)
        closedir(folder);
}

void lift_load_begin(struct lift_load *load)
{
    if (!load)
        return;
    if (load->others) {
        load->any = true;
        return;
    }
    if (!load->any)
        load->known = read_counters(load, &load->start);
    load->any = true;
    close_threads(load);
    open_threads(load);
    load->began = lift_seconds();
}

bool lift_load_end(struct lift_load *load)
{
    double seconds, most = 0;
    bool disturbed;

    if (!load || load->thread_count == 0)
        return false;
    seconds = lift_seconds() - load->began;
    for (int i = 0; i < load->thread_count; i++) {
        double waited =
            1e-9 * (double)(read_waited(load->threads[i].file) - load->threads[i].waited);

        most = waited > most ? waited : most;
    }
    close_threads(load);
    disturbed = most > disturbed_share * seconds;
    load->sum.windows++;
    load->sum.disturbed += disturbed;
    return disturbed;
}

/* ---- sums */

/* Another device: the share since the last call counts for all seconds since then. */
static void ask_device(struct lift_load *load)
{
    double seconds = lift_seconds() - load->asked_at, share;

    if (seconds < ask_every)
        return;
    load->asked_at += seconds;
    if (!load->others(load->state, &share))
        return;
    load->sum.core_seconds += seconds;
    load->sum.others += share * seconds;
}

void lift_load_pause(struct lift_load *load)
{
    struct counters now;

    if (!load || !load->any)
        return;
    load->any = false;
    if (load->others)
        ask_device(load);
    if (load->known && read_counters(load, &now)) {
        const struct counters *start = &load->start;

        load->sum.core_seconds += load->core_count * (now.at - start->at);
        load->sum.stolen += now.stolen - start->stolen;
        load->sum.others += now.busy - start->busy - (now.ours - start->ours);
    }
}

void lift_load_take(struct lift_load *load, struct lift_load_sum *sum)
{
    *sum = (struct lift_load_sum){0};
    if (!load)
        return;
    lift_load_pause(load);
    *sum = load->sum;
    load->sum = (struct lift_load_sum){0};
}

void lift_load_add(struct lift_load_sum *sum, const struct lift_load_sum *more)
{
    sum->windows += more->windows;
    sum->disturbed += more->disturbed;
    sum->core_seconds += more->core_seconds;
    sum->others += more->others;
    sum->stolen += more->stolen;
}
