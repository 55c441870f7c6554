/* The threads and barriers of groups_on_host.hpp. */
#include "groups_on_host.hpp"
#include <pthread.h>
#include <sched.h>
#include <vector>

__thread dim3 threadIdx, blockIdx;
static __thread pthread_barrier_t *group;
dim3 blockDim, gridDim;

void __syncthreads()
{
    pthread_barrier_wait(group);
}

unsigned lift_acquire(const unsigned *from)
{
    sched_yield();
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

void lift_release(unsigned *to, unsigned value)
{
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

struct item {
    dim3 thread, block;
    pthread_barrier_t *group;
    void (*kernel)(const void *of);
    const void *of;
    pthread_t id;
};

static void *run_item(void *data)
{
    const item *i = (const item *)data;

    threadIdx = i->thread;
    blockIdx = i->block;
    group = i->group;
    i->kernel(i->of);
    return NULL;
}

static dim3 place(unsigned i, dim3 of)
{
    return {i % of.x, i / of.x % of.y, i / of.x / of.y};
}

void launch_each(dim3 grid, dim3 block, void (*kernel)(const void *of), const void *of)
{
    unsigned groups = grid.x * grid.y * grid.z, items = block.x * block.y * block.z;
    std::vector<pthread_barrier_t> barriers(groups);
    std::vector<item> all(groups * items);
    pthread_attr_t small;

    gridDim = grid;
    blockDim = block;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 18);
    for (pthread_barrier_t &b : barriers)
        pthread_barrier_init(&b, NULL, items);
    for (unsigned i = 0; i < all.size(); i++) {
        all[i] = {place(i % items, block),
                  place(i / items, grid),
                  &barriers[i / items],
                  kernel,
                  of,
                  0};
        if (pthread_create(&all[i].id, &small, run_item, &all[i])) {
            puts("no thread");
            _Exit(3);
        }
    }
    for (item &i : all)
        pthread_join(i.id, NULL);
}

float *room(size_t n)
{
    float *p = (float *)malloc(n * sizeof *p);

    if (!p)
        _Exit(3);
    for (size_t i = 0; i < n; i++)
        p[i] = -7;
    return p;
}

float *random_data(size_t n)
{
    float *p = room(n);

    for (size_t i = 0; i < n; i++)
        p[i] = (float)rand() / (float)RAND_MAX;
    return p;
}

void compare(size_t n, const float *got, const float *wanted)
{
    double worst = 0;

    for (size_t i = 0; i < n; i++)
        if (!(fabs(got[i] - wanted[i]) <= worst))
            worst = fabs(got[i] - wanted[i]);
    printf("largest error %g\n", worst);
    if (!(worst < 1e-5)) {
        puts("a wrong result");
        fflush(stdout);
        _Exit(1);
    }
}
