/* Reads clocks of processors from the kernel's files in /sys and /proc. */
#include "base/locale.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "device/clocks_t.h"
#include "device/pins.h"
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reading a core's clock may interrupt the core. So only SOME_CORES cores are read, and
 * values are reused for 'stale_seconds'. */
enum { SOME_CORES = 4, COUNTERS = 3 * SOME_CORES };
static const double stale_seconds = 0.1;

/* The round trip at the end of one measurement also serves the beginning of the next. */
static const double fresh_seconds = 1e-3;

struct host_clocks {
    struct lift_str root;
    int cores[SOME_CORES], core_count; /* spread over the usable cores */
    int first_two[2];                  /* usable cores */
    bool two;                          /* there are at least two usable cores */
    bool pins;                         /* threads of kernels have a core each */
    int clocks[SOME_CORES];            /* files that hold one clock in kHz */
    int cpuinfo; /* descriptor of /proc/cpuinfo, used without 'clocks'; -1: none */
    int counters[COUNTERS], counter_count; /* files of events that slow a core */
    int quota;                             /* of the group of processes; -1: none */
    double mhz, read_at;
    double trip, trip_at; /* the last round trip */
    long long events;     /* sum of the counters at the last reading; -1: unknown */
};

/* ---- files */

static int open_at(const struct host_clocks *h, const char *path)
{
    LIFT_SCOPED(lift_str) whole = {0};

    lift_str_addf(&whole, "%s%s", lift_str_get(&h->root), path);
    return open(lift_str_get(&whole), O_RDONLY | O_CLOEXEC);
}

static int open_of_core(const struct host_clocks *h, int core, const char *name)
{
    char path[160];

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", core, name);
    return open_at(h, path);
}

/* Reads the beginning of a file as text; "" on failure. */
static const char *read_text(int fd, char *text, size_t size)
{
    ssize_t got = fd < 0 ? -1 : pread(fd, text, size - 1, 0);

    text[got > 0 ? got : 0] = '\0';
    return text;
}

/* Returns the number in a file; -1 if there is none. */
static long long read_number(int fd)
{
    char text[64], *end;
    long long value;

    read_text(fd, text, sizeof text);
    value = strtoll(text, &end, 10);
    return end == text ? -1 : value;
}

static void close_file(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* ---- opening */

static void choose_cores(struct host_clocks *h)
{
    cpu_set_t set;
    int count = 0, seen = 0;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        CPU_ZERO(&set);
    count = CPU_COUNT(&set);
    h->two = count >= 2;
    for (int core = 0; core < CPU_SETSIZE && h->core_count < SOME_CORES; core++) {
        if (!CPU_ISSET(core, &set))
            continue;
        if (seen < 2)
            h->first_two[seen] = core;
        if ((long)seen * SOME_CORES >= (long)h->core_count * count)
            h->cores[h->core_count++] = core;
        seen++;
    }
}

static void add_counter(struct host_clocks *h, int fd)
{
    if (fd >= 0 && h->counter_count < COUNTERS)
        h->counters[h->counter_count++] = fd;
    else
        close_file(fd);
}

/* The line "0::/path" names the process's control group (version 2). */
static int open_quota(const struct host_clocks *h)
{
    char text[1024], path[1200];
    int fd = open_at(h, "/proc/self/cgroup");
    const char *line = strstr(read_text(fd, text, sizeof text), "0::/");

    close_file(fd);
    if (line) {
        line += 3;
        snprintf(path, sizeof path, "/sys/fs/cgroup%.*s/cpu.stat",
                 (int)strcspn(line, "\n"), line);
        fd = open_at(h, path);
        if (fd >= 0)
            return fd;
    }
    fd = open_at(h, "/sys/fs/cgroup/cpu.stat");
    return fd >= 0 ? fd : open_at(h, "/sys/fs/cgroup/cpu/cpu.stat");
}

static long long count_events(const struct host_clocks *h)
{
    char text[1024];
    const char *at = strstr(read_text(h->quota, text, sizeof text), "nr_throttled ");
    long long sum = at ? strtoll(at + strlen("nr_throttled "), NULL, 10) : 0;

    if (!at && h->counter_count == 0)
        return -1;
    for (int i = 0; i < h->counter_count; i++)
        sum += read_number(h->counters[i]);
    return sum;
}

void *clocks_host_open(const char *root)
{
    struct host_clocks *h = lift_alloc(1, sizeof *h);
    bool any = false;

    lift_str_add(&h->root, root);
    h->read_at = -stale_seconds;
    choose_cores(h);
    for (int i = 0; i < h->core_count; i++) {
        h->clocks[i] = open_of_core(h, h->cores[i], "cpufreq/scaling_cur_freq");
        any = any || h->clocks[i] >= 0;
        add_counter(h,
                    open_of_core(h, h->cores[i], "thermal_throttle/core_throttle_count"));
        add_counter(
            h, open_of_core(h, h->cores[i], "thermal_throttle/package_throttle_count"));
    }
    h->cpuinfo = any ? -1 : open_at(h, "/proc/cpuinfo");
    h->quota = open_quota(h);
    h->events = count_events(h);
    return h;
}

static void *host_open(const struct lift_device_info *info)
{
    struct host_clocks *h = info->is_cpu ? clocks_host_open("") : NULL;

    if (h)
        h->pins = info->dialect == LIFT_DIALECT_OPENMP && device_pins_wanted();
    return h;
}

static void host_close(void *state)
{
    struct host_clocks *h = state;

    for (int i = 0; i < h->core_count; i++)
        close_file(h->clocks[i]);
    for (int i = 0; i < h->counter_count; i++)
        close_file(h->counters[i]);
    close_file(h->cpuinfo);
    close_file(h->quota);
    lift_str_fini(&h->root);
    free(h);
}

/* ---- reading */

/* Returns the mean clock of the cores at the beginning of /proc/cpuinfo. */
static double cpuinfo_mhz(int fd)
{
    static const char key[] = "cpu MHz";
    char text[8192];
    double sum = 0;
    int count = 0;

    read_text(fd, text, sizeof text);
    for (const char *at = text; (at = strstr(at, key)); count++) {
        at += strcspn(at, ":\n");
        sum += *at == ':' ? lift_strtod(at + 1, NULL) : 0;
    }
    return count ? sum / count : 0;
}

static double mean_mhz(const struct host_clocks *h)
{
    double sum = 0;
    int count = 0;

    if (h->cpuinfo >= 0)
        return cpuinfo_mhz(h->cpuinfo);
    for (int i = 0; i < h->core_count; i++) {
        long long khz = read_number(h->clocks[i]);

        if (khz > 0) {
            sum += 1e-3 * (double)khz;
            count++;
        }
    }
    return count ? sum / count : 0;
}

static double round_trip(struct host_clocks *h)
{
    if (h->two && lift_seconds() - h->trip_at > fresh_seconds) {
        h->trip = clocks_round_trip(h->first_two);
        h->trip_at = lift_seconds();
    }
    return h->trip;
}

static void host_read(void *state, struct lift_clock_state *out)
{
    struct host_clocks *h = state;
    double now = lift_seconds();
    long long events = count_events(h);

    if (now - h->read_at >= stale_seconds) {
        h->mhz = mean_mhz(h);
        h->read_at = now;
    }
    out->mhz = h->mhz;
    out->round_trip = round_trip(h);
    if (events >= 0 && h->events >= 0)
        out->throttled = events > h->events;
    h->events = events;
}

/* The file marks the current value by brackets: "always [madvise] never". */
static void add_huge_pages(const struct host_clocks *h, struct lift_str *json)
{
    int file = open_at(h, "/sys/kernel/mm/transparent_hugepage/enabled");
    char text[128];
    const char *word = strchr(read_text(file, text, sizeof text), '[');

    close_file(file);
    if (word && strchr(word, ']'))
        lift_str_addf(json, ",\"huge_pages\":\"%.*s\"", (int)strcspn(word + 1, "]"),
                      word + 1);
}

/* Adds the number and the placement of threads. */
static void add_threads(const struct host_clocks *h, struct lift_str *json)
{
    static const char *const names[] = {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES",
                                        "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};

    if (h->pins)
        lift_str_add(json, ",\"threads\":\"one a core\"");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);

        if (value && !strpbrk(value, "\"\\\n\t"))
            lift_str_addf(json, ",\"%s\":\"%s\"", names[i], value);
    }
}

static void host_settings(void *state, struct lift_str *json)
{
    const struct host_clocks *h = state;
    int core = h->core_count ? h->cores[0] : 0;
    int governor = open_of_core(h, core, "cpufreq/scaling_governor");
    int most = open_of_core(h, core, "cpufreq/scaling_max_freq");
    char text[64];
    long long khz = read_number(most);

    read_text(governor, text, sizeof text);
    text[strspn(text, "abcdefghijklmnopqrstuvwxyz_")] = '\0';
    if (*text)
        lift_str_addf(json, ",\"governor\":\"%s\"", text);
    if (khz > 0)
        lift_str_addf(json, ",\"max_clock_mhz\":%.10g", 1e-3 * (double)khz);
    add_huge_pages(h, json);
    add_threads(h, json);
    close_file(governor);
    close_file(most);
}

const struct clock_source clock_source_host = {
    .open = host_open, .close = host_close, .read = host_read, .settings = host_settings};
