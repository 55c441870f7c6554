#include "base/parallel.h"
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PARTS = 32, BYTE_GRAIN = 1 << 20 };

struct part {
    lift_parallel_part *does;
    void *user;
    int64_t from, to;
    pthread_t thread;
    bool threaded;
};

int lift_cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
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

static void *run(void *arg)
{
    const struct part *p = arg;

    p->does(p->user, p->from, p->to);
    return NULL;
}

/* If a thread cannot be created, the caller computes its part. */
void lift_parallel(int64_t count, int64_t grain, lift_parallel_part *part, void *user)
{
    struct part list[MOST_PARTS];
    int parts = parts_of(count, grain);

    for (int i = parts - 1; i >= 0; i--) {
        list[i] = (struct part){
            .does = part, .user = user, .from = count / parts * i, .to = count};
        if (i < parts - 1)
            list[i].to = list[i + 1].from;
        list[i].threaded =
            i > 0 && pthread_create(&list[i].thread, NULL, run, &list[i]) == 0;
        if (!list[i].threaded)
            run(&list[i]);
    }
    for (int i = 1; i < parts; i++)
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
