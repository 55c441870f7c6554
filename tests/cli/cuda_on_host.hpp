/* Runs the text of a CUDA kernel on the host: the threads of a block take turns from
 * barrier to barrier, in one order and then in the other. Asynchronous copies are done at
 * once, or as late as the waits allow. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)

struct dim3 {
    unsigned x, y, z;
};

static dim3 threadIdx, blockIdx;

enum when { AT_ONCE, LATE };

struct copy {
    void *to;
    std::vector<char> data;
};

typedef std::vector<copy> batch;

struct thread {
    ucontext_t context;
    std::vector<char> stack;
    dim3 index;
    bool done;
    std::vector<batch> batches; /* committed, the oldest first */
    batch open;
};

static std::vector<thread> threads;
static size_t running;
static ucontext_t scheduler;
static std::function<void()> kernel;
static when copies_are_done;
static long copy_count;

static void fail(const char *what)
{
    printf("%s in block %u %u %u, thread %u %u %u\n", what, blockIdx.x, blockIdx.y,
           blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    exit(1);
}

static void __syncthreads()
{
    swapcontext(&threads[running].context, &scheduler);
}

template <int BYTES> static void lift_copy(void *to, const void *from)
{
    const char *data = (const char *)from;

    copy_count++;
    if ((uintptr_t)to % BYTES || (uintptr_t)from % BYTES)
        fail("a copy that is not aligned");
    if (copies_are_done == AT_ONCE)
        memcpy(to, from, BYTES);
    else
        threads[running].open.push_back({to, std::vector<char>(data, data + BYTES)});
}

static void lift_commit()
{
    threads[running].batches.push_back(threads[running].open);
    threads[running].open.clear();
}

template <int PENDING> static void lift_wait()
{
    std::vector<batch> &all = threads[running].batches;

    for (; all.size() > PENDING; all.erase(all.begin()))
        for (const copy &c : all.front())
            memcpy(c.to, c.data.data(), c.data.size());
}

static void run_thread()
{
    kernel();
    for (const batch &b : threads[running].batches)
        if (!b.empty())
            fail("a copy is pending at the end");
    if (!threads[running].open.empty())
        fail("a copy is in no batch");
    threads[running].done = true;
    swapcontext(&threads[running].context, &scheduler);
}

static void start(size_t i, dim3 block)
{
    thread &t = threads[i];

    t.stack.resize(1 << 18);
    t.index = {(unsigned)(i % block.x), (unsigned)(i / block.x % block.y),
               (unsigned)(i / block.x / block.y)};
    t.done = false;
    t.batches.clear();
    getcontext(&t.context);
    t.context.uc_stack.ss_sp = t.stack.data();
    t.context.uc_stack.ss_size = t.stack.size();
    makecontext(&t.context, run_thread, 0);
}

/* All threads up to the next barrier; how many are done then. */
static size_t turn(bool backwards)
{
    size_t done = 0, n = threads.size();

    for (size_t j = 0; j < n; j++) {
        running = backwards ? n - 1 - j : j;
        if (!threads[running].done) {
            threadIdx = threads[running].index;
            swapcontext(&scheduler, &threads[running].context);
        }
        done += threads[running].done;
    }
    return done;
}

static void run_block(dim3 block)
{
    size_t done = 0;

    threads.resize((size_t)block.x * block.y * block.z);
    for (size_t i = 0; i < threads.size(); i++)
        start(i, block);
    for (bool backwards = false; done < threads.size(); backwards = !backwards) {
        done = turn(backwards);
        if (done > 0 && done < threads.size())
            fail("a barrier that some threads do not reach");
    }
}

static void launch(dim3 grid, dim3 block, const std::function<void()> &call)
{
    kernel = call;
    for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++)
                run_block(block);
}

/* Aligned as the buffers of a device are. */
static float *room(size_t n)
{
    void *p = aligned_alloc(256, (n * sizeof(float) + 255) / 256 * 256);

    if (!p)
        exit(2);
    return (float *)p;
}

static float *random_data(size_t n)
{
    float *p = room(n);

    for (size_t i = 0; i < n; i++)
        p[i] = (float)rand() / (float)RAND_MAX;
    return p;
}

/* Kernel and host code agree, however late the copies are. */
static void compare(size_t n, float *got, const float *wanted,
                    const std::function<void()> &run)
{
    for (int late = 0; late < 2; late++) {
        double worst = 0;

        copies_are_done = late ? LATE : AT_ONCE;
        copy_count = 0;
        for (size_t i = 0; i < n; i++)
            got[i] = NAN;
        run();
        for (size_t i = 0; i < n; i++)
            if (!(fabs(got[i] - wanted[i]) <= worst))
                worst = fabs(got[i] - wanted[i]);
        printf("%s: %ld copies, largest error %g\n", late ? "late" : "at once",
               copy_count, worst);
        if (!(worst < 1e-5))
            fail("a wrong result");
    }
}
