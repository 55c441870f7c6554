#include "base/parallel.h"
#include "base/locale.h"
#include "base/str.h"
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Processors and their memory domains; no processor: one domain. */
static struct {
    int cpu[CPU_SETSIZE], domain[CPU_SETSIZE], count;
} processors;

enum { MOST_PARTS = 32, BYTE_GRAIN = 1 << 20 };

struct part {
    lift_parallel_part *does;
    void *user;
    int64_t from, to;
    int number, parts;
    pthread_t thread;
    bool threaded;
};

/* Reads up to two numbers of a file; the number of those read. */
static int read_numbers(const char *folder, const char *name, double *first,
                        double *second)
{
    LIFT_SCOPED(lift_str) path = {0};
    FILE *file;
    char line[64];
    int count = 0;

    lift_str_addf(&path, "%s/%s", folder, name);
    file = fopen(lift_str_get(&path), "re");
    if (file && fgets(line, sizeof line, file))
        count = lift_sscanf(line, "%lf %lf", first, second);
    if (file)
        fclose(file);
    return count;
}

/* Version 2 has both numbers in a file, with "max" for no quota; version 1 has two files,
 * with -1 for no quota. */
int lift_quota_in(const char *folder)
{
    double used = 0, period = 0, none;
    bool good = read_numbers(folder, "cpu.max", &used, &period) == 2 ||
                (read_numbers(folder, "cpu.cfs_quota_us", &used, &none) == 1 &&
                 read_numbers(folder, "cpu.cfs_period_us", &period, &none) == 1);

    return good && used > 0 && period > 0 ? (int)((used + period - 1) / period) : 0;
}

/* In a container, its control group is the root of those that it sees. */
static int quota(void)
{
    static atomic_int known = -1;
    int cores = known;

    if (cores >= 0)
        return cores;
    cores = lift_quota_in("/sys/fs/cgroup");
    if (cores == 0)
        cores = lift_quota_in("/sys/fs/cgroup/cpu");
    known = cores;
    return cores;
}

int lift_cores(void)
{
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) == 0
                    ? CPU_COUNT(&set)
                    : (int)sysconf(_SC_NPROCESSORS_ONLN);

    return quota() > 0 && quota() < cores ? quota() : cores;
}

int lift_threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    struct dirent *entry;
    int threads = 0;

    while (dir && (entry = readdir(dir)))
        threads += entry->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return threads > 1 ? threads : 1;
}

static int parts_of(int64_t count, int64_t grain)
{
    int64_t most = count / grain;
    int parts = most < MOST_PARTS ? (int)most : MOST_PARTS;

    if (parts > 1 && parts > lift_cores())
        parts = lift_cores();
    return parts > 1 ? parts : 1;
}

void lift_parallel_domains(const int *cpus, const int *domains, int count)
{
    bool several = false;

    for (int i = 0; i < count && i < CPU_SETSIZE; i++) {
        processors.cpu[i] = cpus[i];
        processors.domain[i] = domains[i];
        several = several || domains[i] != domains[0];
    }
    processors.count = several ? count : 0;
}

/* Binds the calling thread to the domain of a part. */
static void move_to_domain(const struct part *p)
{
    int domain = processors.domain[(int64_t)p->number * processors.count / p->parts];
    cpu_set_t set;

    CPU_ZERO(&set);
    for (int i = 0; i < processors.count; i++)
        if (processors.domain[i] == domain)
            CPU_SET(processors.cpu[i], &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *run(void *arg)
{
    const struct part *p = arg;

    if (p->threaded && processors.count > 0)
        move_to_domain(p);
    p->does(p->user, p->from, p->to);
    return NULL;
}

/* If a thread cannot be created, the caller computes its part. */
void lift_parallel(int64_t count, int64_t grain, lift_parallel_part *part, void *user)
{
    struct part list[MOST_PARTS];
    int parts = parts_of(count, grain);

    for (int i = parts - 1; i >= 0; i--) {
        list[i] = (struct part){.does = part,
                                .user = user,
                                .from = count / parts * i,
                                .to = count,
                                .number = i,
                                .parts = parts,
                                .threaded = i > 0 || (parts > 1 && processors.count > 0)};
        if (i < parts - 1)
            list[i].to = list[i + 1].from;
        if (list[i].threaded && pthread_create(&list[i].thread, NULL, run, &list[i]) != 0)
            list[i].threaded = false;
        if (!list[i].threaded)
            run(&list[i]);
    }
    for (int i = 0; i < parts; i++)
        if (list[i].threaded)
            pthread_join(list[i].thread, NULL);
}

struct bytes {
    char *to;
    const char *from;
    int byte;
};

static void copy_part(void *user, int64_t from, int64_t to)
{
    const struct bytes *b = user;

    memcpy(b->to + from, b->from + from, (size_t)(to - from));
}

void lift_parallel_copy(void *to, const void *from, size_t bytes)
{
    struct bytes b = {.to = to, .from = from};

    lift_parallel((int64_t)bytes, BYTE_GRAIN, copy_part, &b);
}

static void set_part(void *user, int64_t from, int64_t to)
{
    const struct bytes *b = user;

    memset(b->to + from, b->byte, (size_t)(to - from));
}

void lift_parallel_set(void *to, int byte, size_t bytes)
{
    struct bytes b = {.to = to, .byte = byte};

    lift_parallel((int64_t)bytes, BYTE_GRAIN, set_part, &b);
}
