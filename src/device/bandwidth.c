/* Measures the copy bandwidth. The copy kernels are written by hand, since the copy
 * bandwidth must not depend on the code generator. */
#include "base/locale.h"
#include "base/stats.h"
#include "device/device_t.h"
#include "device/texts.h"
#include <stdlib.h>
#include <unistd.h>

enum {
    MAX_COPIES = 6,
    MIN_ROUNDS = 30,
    MAX_ROUNDS = 500,
    FASTEST = 3,
    BLOCK = 256 * 1024
};

/* Seconds of kernels, for all variants together. GPUs need longer to raise their clocks.
 */
static const double budget_here = 0.4, budget_apart = 1.0;
static const double most_seconds = 1.2; /* for MIN_ROUNDS, on a busy machine */
static const double long_launch = 2e-3, simulated_launch = 5;

static const int64_t largest_array = 256 * 1024 * 1024;
static const int64_t smallest_array = 1024 * 1024;
/* On processors, both arrays together have 'caches' times the size of the last-level
 * cache, so that few reads find their data there. They have no more than that, since the
 * first access to memory costs ten times a copy. */
static const int64_t smallest_here = 32 * 1024 * 1024, caches = 3;
/* Data of at most half the last-level cache stay there, next to those of other work. */
static const int64_t cache_share = 2;

/* One kernel with its launch size; a work-item copies 'width' floats. */
struct copy {
    const char *kernel;
    int width, group;
};

/* The first kernel of each list runs on all devices. */
static const struct copy openmp_copies[] = {
    {"copy_plain", 1, 1}, {"copy_stream", 1, 1}, {"copy_dynamic", 1, 1}, {NULL, 0, 0}};
static const struct copy opencl_copies[] = {
    {"copy_plain", 1, 64}, {"copy_plain", 1, 256}, {"copy_plain", 1, 1024},
    {"copy_wide", 4, 64},  {"copy_wide", 4, 256},  {"copy_wide", 4, 1024},
    {NULL, 0, 0}};

/* The shortest launches of one kernel, in seconds, ascending. Other work, and other
 * states of the machine (base/states.h), only lengthen launches, so the shortest launches
 * are undisturbed. */
struct fastest {
    double seconds[FASTEST];
    int count;
    bool failed;
};

struct run {
    struct lift_device *device;
    const struct lift_runtime *rt;
    struct lift_binary *binary;
    struct lift_buffer *from, *to;
    int64_t bytes; /* of an array: a multiple of BLOCK */
    int64_t piece; /* bytes that one launch copies, a multiple of BLOCK */
    int64_t next;  /* where the next launch starts */
};

/* $LIFT_COPY_MB lowers the size of an array for tests, whose bandwidth need not be that
 * of memory. */
static int64_t limit_bytes(int64_t wanted)
{
    const char *text = getenv("LIFT_COPY_MB");
    double bytes = text ? lift_strtod(text, NULL) * 1024 * 1024 : 0;

    if (!(bytes > 0) || bytes >= (double)wanted)
        return wanted;
    return (int64_t)bytes < smallest_array ? smallest_array : (int64_t)bytes;
}

static int64_t last_cache(const struct lift_device_info *info)
{
    long bytes = info->is_cpu ? sysconf(_SC_LEVEL3_CACHE_SIZE) : 0;

    return bytes > 0 ? bytes : 0;
}

int64_t lift_device_cache_bytes(const struct lift_device_info *info)
{
    int64_t bytes = last_cache(info) / cache_share;

    return bytes / 2 >= smallest_array ? bytes : 0;
}

/* The size of an array in memory. */
static int64_t memory_bytes(const struct lift_device_info *info)
{
    int64_t cache = last_cache(info);
    int64_t bytes = cache > 0 ? caches * cache / 2 : largest_array;

    return bytes < smallest_here ? smallest_here : bytes;
}

/* Halves the size of the arrays until the driver can allocate both. */
static bool alloc_arrays(struct run *run, int64_t wanted, struct lift_error *error)
{
    const struct lift_device_info *info = lift_device_info(run->device);

    run->bytes = limit_bytes(wanted - (wanted > 8 * BLOCK ? wanted % (8 * BLOCK) : 0));
    if (info->global_bytes > 0 && run->bytes > info->global_bytes / 8)
        run->bytes = info->global_bytes / 8;
    for (; run->bytes >= smallest_array; run->bytes /= 2) {
        run->bytes -= run->bytes % BLOCK;
        run->from = run->rt->alloc(run->device, (size_t)run->bytes, error);
        run->to = run->rt->alloc(run->device, (size_t)run->bytes, error);
        if (run->from && run->to)
            return true;
        run->rt->release(run->device, run->from);
        run->rt->release(run->device, run->to);
        run->from = run->to = NULL;
    }
    return false;
}

/* Returns the seconds of one launch; negative on failure. */
static double time_once(struct run *run, const struct copy *copy,
                        struct lift_error *error)
{
    const int n = (int)(run->piece / (int64_t)sizeof(float));
    const int64_t first = run->next + run->piece <= run->bytes ? run->next : 0;
    const struct lift_arg args[] = {
        {.kind = LIFT_ARG_BUFFER, .buffer = run->to},
        {.kind = LIFT_ARG_BUFFER, .buffer = run->from},
        {.kind = LIFT_ARG_I32, .i = (int)(first / (int64_t)sizeof(float))},
        {.kind = LIFT_ARG_I32, .i = n},
    };
    const struct lift_launch launch = {
        1, {(size_t)(n / copy->width), 1, 1}, {(size_t)copy->group, 1, 1}, 0};
    double seconds;

    if (!run->rt->launch(run->device, run->binary,
                         &(struct lift_call){copy->kernel, launch, args, 4}, error) ||
        !run->rt->finish(run->device, &seconds, error))
        return -1;
    run->next = first + run->piece;
    return seconds;
}

/* Chooses the bytes of one launch: normally the whole array. If this takes longer
 * than a time slice of the processor, launches copy one eighth after the other, so that
 * other work does not disturb all launches. A simulator would need minutes and copies the
 * minimum. On real devices, this function touches both arrays completely. */
static bool choose_piece(struct run *run, const struct copy *copy,
                         struct lift_error *error)
{
    double seconds;

    run->piece = smallest_array;
    seconds = time_once(run, copy, error);
    if (seconds >= 0)
        seconds = time_once(run, copy, error);
    if (seconds < 0 ||
        seconds * ((double)run->bytes / (double)run->piece) > simulated_launch)
        return seconds >= 0;
    run->piece = run->bytes;
    run->next = 0;
    seconds = time_once(run, copy, error);
    if (seconds > long_launch && run->bytes % (8 * BLOCK) == 0)
        run->piece = run->bytes / 8;
    return seconds >= 0;
}

static void note(struct fastest *f, double seconds)
{
    int at = f->count < FASTEST ? f->count++ : FASTEST;

    for (; at > 0 && f->seconds[at - 1] > seconds; at--)
        if (at < FASTEST)
            f->seconds[at] = f->seconds[at - 1];
    if (at < FASTEST)
        f->seconds[at] = seconds;
}

/* Launches each kernel once and returns the seconds of all launches. A warm-up does not
 * count. A kernel that fails is left out from then on. */
static double take_round(struct run *run, const struct copy *copies,
                         struct fastest *fastest, bool warm_up, struct lift_error *error)
{
    const int limit = lift_device_info(run->device)->max_group_size;
    double sum = 0;

    for (int i = 0; copies[i].kernel; i++) {
        double seconds;

        if (fastest[i].failed || (limit > 0 && copies[i].group > limit))
            continue;
        seconds = time_once(run, &copies[i], error);
        fastest[i].failed = seconds < 0;
        sum += seconds > 0 ? seconds : 0;
        if (seconds > 0 && !warm_up)
            note(&fastest[i], seconds);
    }
    return sum;
}

/* Returns GB/s of the fastest kernel by the median of its shortest launches; 0 on
 * failure. The kernels alternate, so that other work disturbs all kernels equally. */
static double best_rate(struct run *run, const struct copy *copies,
                        struct lift_error *error)
{
    bool here = lift_device_info(run->device)->is_cpu;
    struct fastest fastest[MAX_COPIES] = {{.count = 0}};
    double least = 0, sum = 0, seconds, most = here ? budget_here : budget_apart;

    if (take_round(run, copies, fastest, true, error) > 0)
        for (int round = 0; round < MAX_ROUNDS && sum < most_seconds &&
                            (sum < most || round < MIN_ROUNDS);
             round++)
            sum += take_round(run, copies, fastest, false, error);
    for (int i = 0; copies[i].kernel; i++) {
        seconds =
            fastest[i].failed ? 0 : lift_median(fastest[i].seconds, fastest[i].count);
        if (seconds > 0 && (least <= 0 || seconds < least))
            least = seconds;
    }
    if (least > 0 && error)
        lift_error_fini(error);
    else if (error && error->text.len == 0)
        lift_fail(error, LIFT_ERROR_RUN, "copies took no time");
    return least > 0 ? 2e-9 * (double)run->piece / least : 0;
}

/* Returns GB/s of copies between arrays of this size; 0 on failure. */
static double rate_at(struct lift_device *device, int64_t bytes, struct lift_error *error)
{
    const enum lift_dialect dialect = lift_device_info(device)->dialect;
    const bool openmp = dialect == LIFT_DIALECT_OPENMP;
    const struct copy *copies = openmp ? openmp_copies : opencl_copies;
    struct run run = {.device = device, .rt = device->runtime};
    LIFT_SCOPED(lift_str) source = {0};
    double rate = 0;

    lift_str_add(&source, device_prelude(dialect));
    lift_str_add(&source,
                 device_text(openmp ? "copies_openmp.inc" : "copies_groups.inc"));
    run.binary = run.rt->build(device, lift_str_get(&source), "", NULL, error);
    if (!run.binary)
        return 0;
    if (alloc_arrays(&run, bytes, error) && choose_piece(&run, copies, error))
        rate = best_rate(&run, copies, error);
    run.rt->release(device, run.from);
    run.rt->release(device, run.to);
    run.rt->unload(device, run.binary);
    return rate;
}

double lift_device_copy_bandwidth(struct lift_device *device, struct lift_error *error)
{
    return rate_at(device, memory_bytes(lift_device_info(device)), error);
}

double lift_device_cache_bandwidth(struct lift_device *device, struct lift_error *error)
{
    int64_t bytes = lift_device_cache_bytes(lift_device_info(device));

    return bytes > 0 ? rate_at(device, bytes / 2, error) : 0;
}

double lift_copy_share(double bytes, double seconds, double copy_gbs)
{
    return bytes > 0 && seconds > 0 && copy_gbs > 0 ? bytes / seconds * 1e-9 / copy_gbs
                                                    : 0;
}
