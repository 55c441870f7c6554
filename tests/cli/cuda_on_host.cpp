/* The threads, barriers and copies of cuda_on_host.hpp, compiled once for each type of
 * elements. */
#include "cuda_on_host.hpp"
#include <map>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

dim3 threadIdx, blockIdx, blockDim;
when copies_are_done;

struct copy {
    void *to;
    std::vector<char> data;
};

typedef std::vector<copy> batch;

struct thread {
    ucontext_t context;
    std::vector<char> stack;
    dim3 index;
    bool done, at_barrier;
    bool fenced;                /* since the last barrier */
    std::vector<batch> batches; /* committed, the oldest first */
    batch open;
};

static std::vector<thread> threads;
static size_t running;
static ucontext_t scheduler;
static callback kernel;
static long copy_count;

void fail(const char *what)
{
    printf("%s in block %u %u %u, thread %u %u %u\n", what, blockIdx.x, blockIdx.y,
           blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    fflush(stdout);
    _exit(1); /* the stacks are those of static objects */
}

static void yield()
{
    swapcontext(&threads[running].context, &scheduler);
}

void __syncthreads()
{
    threads[running].at_barrier = true;
    threads[running].fenced = false;
    yield();
}

/* The threads of a warp come to each of these calls together. */
struct warp {
    int here;
    unsigned turn;
    REAL shown[32];
};

static std::vector<warp> warps;

static void meet(warp &w)
{
    unsigned turn = w.turn;

    if (++w.here == 32) {
        w.here = 0;
        w.turn++;
    }
    while (w.turn == turn)
        yield();
}

/* What lane 'from' shows. */
static REAL shown_by(int from, REAL mine)
{
    warp &w = warps[running / 32];
    int lane = (int)(running % 32);

    w.shown[lane] = mine;
    meet(w);
    REAL theirs = w.shown[from < 0 || from > 31 ? lane : from];

    meet(w);
    return theirs;
}

REAL __shfl_up_sync(unsigned, REAL x, int places)
{
    return shown_by((int)(running % 32) - places, x);
}

REAL __shfl_down_sync(unsigned, REAL x, int places)
{
    return shown_by((int)(running % 32) + places, x);
}

bool __any_sync(unsigned, bool mine)
{
    warp &w = warps[running / 32];
    bool any = false;

    w.shown[running % 32] = mine;
    meet(w);
    for (REAL one : w.shown)
        any |= one != 0;
    meet(w);
    return any;
}

static void check_aligned(const void *to, const void *from, size_t bytes)
{
    if ((uintptr_t)to % bytes || (uintptr_t)from % bytes)
        fail("a copy that is not aligned");
}

void copy_later(void *to, const void *from, int bytes)
{
    const char *data = (const char *)from;

    copy_count++;
    check_aligned(to, from, bytes);
    if (copies_are_done == AT_ONCE)
        memcpy(to, from, bytes);
    else
        threads[running].open.push_back({to, std::vector<char>(data, data + bytes)});
}

void lift_commit()
{
    threads[running].batches.push_back(threads[running].open);
    threads[running].open.clear();
}

void wait_for_batches(size_t pending)
{
    std::vector<batch> &all = threads[running].batches;

    for (; all.size() > pending; all.erase(all.begin()))
        for (const copy &c : all.front())
            memcpy(c.to, c.data.data(), c.data.size());
}

/* A memory barrier: its turn is over when all have arrived. */
struct bar {
    unsigned expected, arrived, turn;
    batch coming, there; /* of this turn, of those before */
    long bytes;          /* of boxes that are expected and not asked for yet */
};

static std::map<double *, bar> bars;

void lift_open(double *first, int count, unsigned arrivals)
{
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
        for (int i = 0; i < count; i++)
            if (!bars.insert({first + i, {arrivals, 0, 0, {}, {}, 0}}).second)
                fail("a memory barrier that is made twice");
}

void lift_close(double *first, int count)
{
    if (threadIdx.x + threadIdx.y + threadIdx.z > 0)
        return;
    for (int i = 0; i < count; i++) {
        if (!bars[first + i].coming.empty() || !bars[first + i].there.empty() ||
            bars[first + i].bytes)
            fail("a box is pending at the end");
        bars.erase(first + i);
    }
}

void lift_fetch(const void *)
{
}

void lift_fence()
{
    threads[running].fenced = true;
}

static void end_turn(bar &b)
{
    if (!b.there.empty())
        fail("a turn that nobody waited for");
    b.arrived = 0;
    b.turn++;
    b.there.swap(b.coming);
}

/* A tensor map, its dimensions from that of a row on; strides are of all but that. */
struct tensor_map {
    const REAL *data;
    std::vector<long> length, stride, box;
};

static std::vector<tensor_map> tensors;

lift_map map_of(const REAL *data, size_t dims, const long *length, const long *stride,
                const long *box)
{
    if ((uintptr_t)data % 16 || box[0] * sizeof(REAL) % 16)
        fail("a tensor that is not aligned");
    for (size_t d = 0; d + 1 < dims; d++)
        if (stride[d] * sizeof(REAL) % 16)
            fail("a tensor whose rows are no whole 16 bytes");
    for (size_t d = 0; d < dims; d++)
        if (box[d] < 1 || box[d] > 256)
            fail("a box that is too large");
    tensors.push_back(
        {data, {length, length + dims}, {stride, stride + dims - 1}, {box, box + dims}});
    return {tensors.size() - 1};
}

/* The turn is over when what is expected has been asked for, too. */
void lift_expect(int bytes, double *at)
{
    if (bytes <= 0)
        fail("no bytes are expected");
    bars.at(at).bytes += bytes;
}

void lift_announce(int bytes, double *at)
{
    bar &b = bars.at(at);

    b.bytes += bytes;
    if (++b.arrived > b.expected)
        fail("a batch of boxes before the one before is complete");
    if (b.bytes == 0 && b.arrived == b.expected)
        end_turn(b);
}

/* The element at 'at' in each dimension; zero outside. */
static REAL element_at(const tensor_map &t, const std::vector<long> &at)
{
    const REAL *p = t.data;

    for (size_t d = 0; d < at.size(); d++) {
        if (at[d] < 0 || at[d] >= t.length[d])
            return 0;
        p += at[d] * (d ? t.stride[d - 1] : 1);
    }
    return *p;
}

static void copy_box(void *to, const lift_map *from, const std::vector<long> &first,
                     double *at)
{
    const tensor_map &t = tensors.at(from->number);
    std::vector<REAL> data;
    std::vector<long> i(first.size());
    bar &b = bars.at(at);
    size_t d = 0;

    if ((uintptr_t)to % 128 || first.size() != t.length.size())
        fail("a box to a place that is not aligned");
    if (!threads[running].fenced)
        fail("a box that may overtake what was read before the last barrier");
    while (d < i.size()) {
        std::vector<long> place(first);

        for (d = 0; d < i.size(); d++)
            place[d] += i[d];
        data.push_back(element_at(t, place));
        for (d = 0; d < i.size() && ++i[d] == t.box[d]; d++)
            i[d] = 0;
    }
    const char *bytes = (const char *)data.data();
    long size = (long)(data.size() * sizeof(REAL));

    copy_count++;
    if (copies_are_done == AT_ONCE)
        memcpy(to, bytes, size);
    b.coming.push_back({to, std::vector<char>(bytes, bytes + size)});
    b.bytes -= size;
    if (b.bytes < 0)
        fail("boxes that were not announced");
    if (b.bytes == 0 && b.arrived == b.expected)
        end_turn(b);
}

void lift_box(void *to, const lift_map *from, int x, int y, double *at)
{
    copy_box(to, from, {x, y}, at);
}

void lift_box(void *to, const lift_map *from, int x, int y, int z, double *at)
{
    copy_box(to, from, {x, y, z}, at);
}

void lift_await(double *at, unsigned parity)
{
    for (int tries = 0; bars.at(at).turn % 2 == parity; tries++) {
        if (tries == 1000)
            fail("a wait without end");
        yield();
    }
    for (const copy &c : bars.at(at).there)
        if (copies_are_done == LATE)
            memcpy(c.to, c.data.data(), c.data.size());
    bars.at(at).there.clear();
}

/* All have to say so, since a thread here is no part of a warp. */
void lift_open_readers(double *first, int count)
{
    lift_open(first, count, blockDim.x * blockDim.y * blockDim.z);
}

void lift_close_readers(double *first, int count)
{
    lift_close(first, count);
}

void lift_arrive_readers(double *at)
{
    bar &b = bars.at(at);

    if (++b.arrived == b.expected)
        end_turn(b);
}

void lift_await_readers(double *at, unsigned parity)
{
    lift_await(at, parity);
}

/* A barrier in two parts, passed by the group. */
void lift_open_parts(double *at)
{
    lift_open_readers(at, 1);
}

void lift_close_parts(double *at)
{
    lift_close_readers(at, 1);
}

void lift_arrive_part(double *at)
{
    lift_arrive_readers(at);
}

void lift_await_part(double *at, unsigned parity)
{
    lift_await(at, parity);
    threads[running].fenced = false;
}

static void run_thread()
{
    kernel.call(kernel.of);
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

    t.stack.resize(1 << 20);
    t.index = {(unsigned)(i % block.x), (unsigned)(i / block.x % block.y),
               (unsigned)(i / block.x / block.y)};
    t.done = t.at_barrier = false;
    t.batches.clear();
    getcontext(&t.context);
    t.context.uc_stack.ss_sp = t.stack.data();
    t.context.uc_stack.ss_size = t.stack.size();
    makecontext(&t.context, run_thread, 0);
}

/* One thread to where it waits for others; whether that is no barrier of the group. */
static bool goes_on(size_t i)
{
    thread &t = threads[i];

    if (t.done || t.at_barrier)
        return false;
    running = i;
    threadIdx = t.index;
    swapcontext(&scheduler, &t.context);
    return !t.done && !t.at_barrier;
}

/* All threads up to the next barrier; how many are done then. */
static size_t turn(bool backwards)
{
    size_t done = 0, n = threads.size();
    bool more = true;

    while (more) {
        more = false;
        for (size_t j = 0; j < n; j++)
            more |= goes_on(backwards ? n - 1 - j : j);
    }
    for (thread &t : threads) {
        done += t.done;
        t.at_barrier = false;
    }
    return done;
}

static void run_block(dim3 block)
{
    size_t done = 0;

    blockDim = block;
    threads.resize((size_t)block.x * block.y * block.z);
    warps.assign((threads.size() + 31) / 32, {});
    for (size_t i = 0; i < threads.size(); i++)
        start(i, block);
    for (bool backwards = false; done < threads.size(); backwards = !backwards) {
        done = turn(backwards);
        if (done > 0 && done < threads.size())
            fail("a barrier that some threads do not reach");
    }
    if (!bars.empty())
        fail("a memory barrier that is left open");
}

void launch_each(dim3 grid, dim3 block, callback call)
{
    kernel = call;
    for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++)
                run_block(block);
}

/* Aligned as the buffers of a device are. */
static REAL *room(size_t n)
{
    void *p = aligned_alloc(256, (n * sizeof(REAL) + 255) / 256 * 256);

    if (!p)
        exit(2);
    return (REAL *)p;
}

REAL *random_data(size_t n)
{
    REAL *p = room(n);

    for (size_t i = 0; i < n; i++)
        p[i] = (REAL)rand() / (REAL)RAND_MAX;
    return p;
}

/* What no kernel writes. */
static const REAL untouched = -7;

REAL *result(size_t n)
{
    REAL *p = room(n);

    for (size_t i = 0; i < n; i++)
        p[i] = untouched;
    return p;
}

/* The halo around an input is what results leave alone; it holds zero. */
void clear_halo(size_t n, REAL *input, const REAL *wanted)
{
    for (size_t i = 0; i < n; i++)
        if (wanted[i] == untouched)
            input[i] = 0;
}

/* So many planes before and behind the grid have numbers, too. */
void fill_planes(size_t n, REAL *input, const REAL *wanted, long stride, int before,
                 int behind)
{
    for (size_t i = 0; i < n; i++)
        for (int z = -before; wanted[i] != untouched && z <= behind; z++) {
            long at = (long)i + z * stride;

            if (at >= 0 && at < (long)n)
                input[at] = (REAL)(at * 31 % 23) / 16;
        }
}

/* Kernel and host code agree, however late the copies are. */
void compare_runs(size_t n, REAL *got, const REAL *wanted, callback run)
{
    for (int late = 0; late < 2; late++) {
        double worst = 0;

        copies_are_done = late ? LATE : AT_ONCE;
        copy_count = 0;
        for (size_t i = 0; i < n; i++)
            got[i] = untouched;
        run.call(run.of);
        for (size_t i = 0; i < n; i++)
            if (!(fabs(got[i] - wanted[i]) <= worst))
                worst = fabs(got[i] - wanted[i]);
        printf("%s: %ld copies, largest error %g\n", late ? "late" : "at once",
               copy_count, worst);
        if (!(worst < 1e-5))
            fail("a wrong result");
    }
}
