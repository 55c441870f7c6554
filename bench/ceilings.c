#include "ceilings.h"
#include "base/bug.h"
#include <stdlib.h>

/* Floats of an array: 256 MiB, far more than caches hold. */
enum { COUNT = 64 * 1024 * 1024, ARRAYS = 3, COPIES = 4 };

/* Arrays of the driver's copy: far larger than caches, but not all of the memory. */
static const int64_t copied_bytes = 1024 * 1024 * 1024, copied_share = 64;

struct kernel {
    const char *name, *symbol;
    int arrays; /* read or written */
};

static const struct kernel kernels[] = {
    {"copy", "copy", 2},
    {"copy, non-temporal", "copy_past", 2},
    {"triad", "triad", 3},
    {"triad, non-temporal", "triad_past", 3},
};

/* The factors prevent compilers from calling a library's memcpy, which chooses its own
 * stores. Compilers without non-temporal stores get no such kernels. */
static const char source[] =
    "typedef float block __attribute__((vector_size(64)));\n"
    "#if defined(__clang__)\n"
    "#define PAST(to, value) __builtin_nontemporal_store(value, to)\n"
    "#elif defined(__AVX512F__)\n"
    "#include <immintrin.h>\n"
    "#define PAST(to, value) _mm512_stream_ps((float *)(to), (__m512)(value))\n"
    "#elif defined(__SSE2__)\n"
    "#include <immintrin.h>\n"
    "static inline void past(block *to, block value)\n"
    "{\n"
    "    const __m128 *parts = (const __m128 *)&value;\n"
    "    for (int i = 0; i < 4; i++)\n"
    "        _mm_stream_ps((float *)to + 4 * i, parts[i]);\n"
    "}\n"
    "#define PAST(to, value) past(to, value)\n"
    "#endif\n"
    "#if defined(__x86_64__)\n"
    "#define FENCE __builtin_ia32_sfence()\n"
    "#else\n"
    "#define FENCE __sync_synchronize()\n"
    "#endif\n"
    "#define KERNEL(name, value, STORE, END) \\\n"
    "    void name##_call(void *const *args) \\\n"
    "    { \\\n"
    "        const block *a = args[0], *b = args[1]; \\\n"
    "        block *c = args[2]; \\\n"
    "        const float factor = *(const float *)args[3]; \\\n"
    "        const long count = *(const int *)args[4] / 16; \\\n"
    "        (void)b; \\\n"
    "        _Pragma(\"omp parallel\") \\\n"
    "        { \\\n"
    "            _Pragma(\"omp for schedule(static)\") \\\n"
    "            for (long i = 0; i < count; i++) \\\n"
    "                STORE(&c[i], value); \\\n"
    "            END; \\\n"
    "        } \\\n"
    "    }\n"
    "#define KEEP(to, value) (*(to) = (value))\n"
    "KERNEL(copy, factor * a[i], KEEP, )\n"
    "KERNEL(triad, a[i] + factor * b[i], KEEP, )\n"
    "#ifdef PAST\n"
    "KERNEL(copy_past, factor * a[i], PAST, FENCE)\n"
    "KERNEL(triad_past, a[i] + factor * b[i], PAST, FENCE)\n"
    "#endif\n";

struct ceilings {
    struct lift_device *device;
    struct lift_clocks *clocks;
    const struct lift_runtime *rt;
    struct lift_binary *binary; /* NULL: the driver's copy is the only ceiling */
    struct lift_buffer *arrays[ARRAYS];
    size_t bytes; /* of an array */
    bool failed[sizeof kernels / sizeof kernels[0]];
};

int ceilings_count(const struct ceilings *c)
{
    return !c ? 0 : c->binary ? sizeof kernels / sizeof kernels[0] : 1;
}

const char *ceilings_name(const struct ceilings *c, int which)
{
    return c->binary ? kernels[which].name : "the driver's copy";
}

double ceilings_bytes(const struct ceilings *c, int which)
{
    return (double)(c->binary ? kernels[which].arrays : 2) * (double)c->bytes;
}

static bool open_all(struct ceilings *c, bool driver, struct lift_error *failure)
{
    int64_t memory = lift_device_info(c->device)->global_bytes;

    c->bytes = COUNT * sizeof(float);
    if (!driver)
        c->binary = c->rt->build(c->device, source, "-O2", NULL, failure);
    else
        c->bytes = (size_t)(memory > 0 && copied_bytes > memory / copied_share
                                ? memory / copied_share
                                : copied_bytes);
    for (int i = 0; i < (driver ? 2 : ARRAYS) && (driver || c->binary); i++) {
        c->arrays[i] = c->rt->alloc(c->device, c->bytes, failure);
        if (!c->arrays[i])
            return false;
    }
    return driver || c->binary;
}

struct ceilings *ceilings_open(struct lift_device *device, struct lift_clocks *clocks,
                               bool driver, struct lift_error *failure)
{
    struct ceilings *c;

    if (driver && !device->runtime->copy)
        return NULL;
    c = calloc(1, sizeof *c);
    LIFT_ASSERT(c);
    *c = (struct ceilings){.device = device, .clocks = clocks, .rt = device->runtime};
    if (open_all(c, driver, failure))
        return c;
    ceilings_close(c);
    return NULL;
}

void ceilings_close(struct ceilings *c)
{
    if (!c)
        return;
    for (int i = 0; i < ARRAYS; i++)
        c->rt->release(c->device, c->arrays[i]);
    if (c->binary)
        c->rt->unload(c->device, c->binary);
    free(c);
}

/* Seconds of one of 'times' launches. */
static bool launch(const struct ceilings *c, int which, int times, double *seconds,
                   struct lift_error *failure)
{
    struct lift_arg args[] = {{.kind = LIFT_ARG_BUFFER, .buffer = c->arrays[0]},
                              {.kind = LIFT_ARG_BUFFER, .buffer = c->arrays[1]},
                              {.kind = LIFT_ARG_BUFFER, .buffer = c->arrays[2]},
                              {.kind = LIFT_ARG_F32, .f = 3},
                              {.kind = LIFT_ARG_I32, .i = COUNT}};
    struct lift_call call = {kernels[which].symbol, {1, {1, 1, 1}, {1, 1, 1}}, args, 5};
    bool good = true;

    for (int i = 0; i < times && good; i++)
        good = c->binary ? c->rt->launch(c->device, c->binary, &call, failure)
                         : c->rt->copy(c->device, c->arrays[1], c->arrays[0], c->bytes,
                                       failure);
    good = good && c->rt->finish(c->device, seconds, failure);
    *seconds /= times;
    return good;
}

bool ceilings_sample(struct ceilings *c, int which, struct timing_sample *sample,
                     struct lift_error *failure)
{
    struct lift_clock_state before, after;

    *sample = (struct timing_sample){.seconds = 0};
    if (c->failed[which])
        return false;
    c->failed[which] = !launch(c, which, 1, &sample->seconds, failure);
    lift_clocks_read(c->clocks, &before);
    c->failed[which] = c->failed[which] || !launch(c, which, c->binary ? 1 : COPIES,
                                                   &sample->seconds, failure);
    lift_clocks_read(c->clocks, &after);
    sample->trip = (struct lift_trip){before.round_trip, after.round_trip};
    return !c->failed[which] && sample->seconds > 0;
}
