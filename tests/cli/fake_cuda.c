/* Stands in for CUDA's driver and compiler: two devices, whose memory is the process's
 * own, and kernels of which only the arguments count. One is a checksum of all that it
 * may read, from which it makes what it writes: results tell which launches were made, on
 * which buffers, and in which order. Work is done when it is enqueued, or when its graph
 * is launched. As a thread records, it may call nothing that waits or allocates.
 *
 * Calls about launches are written to the file $LIFT_FAKE_CUDA_LOG; the call that
 * $LIFT_FAKE_CUDA names fails. With OLD, the driver knows no graphs. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, OUT_OF_MEMORY = 2, NOT_FOUND = 500, REFUSED = 801 };
enum { UNSUPPORTED = 900, INVALIDATED = 901 }; /* of a stream that records */
enum { MOST_PARAMS = 128, MAP = 128, DEVICES = 2, GUARD = 4096 };

typedef uint64_t pointer;

struct memory {
    pointer at;
    size_t bytes;
    struct memory *next;
};

struct param {
    size_t bytes;
    bool is_pointer, is_input;
};

struct function {
    char name[256];
    struct param params[MOST_PARAMS];
    size_t words[MOST_PARAMS]; /* of memory, as it runs */
    int count;
    struct function *next;
};

struct module {
    char *source;
    struct function *functions;
};

/* A kernel and its arguments; or a copy, without a function. */
struct work {
    const struct function *function;
    unsigned char values[MOST_PARAMS][MAP];
    pointer to, from;
    size_t bytes;
    struct work *next;
};

struct graph {
    struct work *first, *last;
    int count;
};

struct stream {
    struct graph *graph; /* that it records; NULL: it does not */
    bool invalid;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct memory *memories;
static _Thread_local struct stream *recording;

static void say(const char *call, const char *of)
{
    const char *name = getenv("LIFT_FAKE_CUDA_LOG");
    FILE *f = name ? fopen(name, "a") : NULL;

    if (!f)
        return;
    fprintf(f, "%s %s\n", call, of);
    fclose(f);
}

static bool fails(const char *call)
{
    const char *name = getenv("LIFT_FAKE_CUDA");

    return name && strcmp(name, call) == 0;
}

/* Fails for calls that are illegal during stream capture. */
static int waits(void)
{
    if (!recording)
        return SUCCESS;
    recording->invalid = true;
    return UNSUPPORTED;
}

/* ---- the compiler: its code is the source */

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(char **program, const char *source, const char *name, int count,
                       const char *const *headers, const char *const *names);
int nvrtcCompileProgram(char *program, int count, const char *const *options);
int nvrtcDestroyProgram(char **program);
int nvrtcGetProgramLogSize(char *program, size_t *size);
int nvrtcGetProgramLog(char *program, char *log);
int nvrtcGetCUBINSize(char *program, size_t *size);
int nvrtcGetCUBIN(char *program, char *code);
const char *nvrtcGetErrorString(int code);

int nvrtcVersion(int *major, int *minor)
{
    *major = 12;
    *minor = 0;
    return SUCCESS;
}

int nvrtcCreateProgram(char **program, const char *source, const char *name, int count,
                       const char *const *headers, const char *const *names)
{
    (void)name, (void)count, (void)headers, (void)names;
    *program = strdup(source);
    return *program ? SUCCESS : OUT_OF_MEMORY;
}

int nvrtcCompileProgram(char *program, int count, const char *const *options)
{
    (void)program, (void)count, (void)options;
    return SUCCESS;
}

int nvrtcDestroyProgram(char **program)
{
    free(*program);
    return SUCCESS;
}

int nvrtcGetProgramLogSize(char *program, size_t *size)
{
    (void)program;
    *size = 1;
    return SUCCESS;
}

int nvrtcGetProgramLog(char *program, char *log)
{
    (void)program;
    *log = '\0';
    return SUCCESS;
}

int nvrtcGetCUBINSize(char *program, size_t *size)
{
    *size = strlen(program) + 1;
    return SUCCESS;
}

int nvrtcGetCUBIN(char *program, char *code)
{
    strcpy(code, program);
    return SUCCESS;
}

const char *nvrtcGetErrorString(int code)
{
    (void)code;
    return "an error";
}

/* ---- devices */

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int index);
int cuDeviceGetName(char *name, int len, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetPCIBusId(char *text, int len, int device);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuCtxEnablePeerAccess(void *there, unsigned flags);
int cuGetErrorName(int code, const char **name);
int cuGetErrorString(int code, const char **text);

static char contexts[DEVICES];

int cuInit(unsigned flags)
{
    return (int)flags;
}

int cuDriverGetVersion(int *version)
{
    *version = 12040;
    return SUCCESS;
}

int cuDeviceGetCount(int *count)
{
    *count = DEVICES;
    return SUCCESS;
}

int cuDeviceGet(int *device, int index)
{
    *device = index;
    return SUCCESS;
}

int cuDeviceGetName(char *name, int len, int device)
{
    (void)device;
    strncpy(name, "Stand-in", (size_t)len);
    return SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int values[100] = {
        [1] = 1024,    [2] = 1024,  [3] = 1024,  [4] = 64,
        [5] = 1 << 30, [6] = 65535, [7] = 65535, [8] = 49152,
        [10] = 32,     [16] = 132,  [75] = 9,    [97] = 227 << 10};

    (void)device;
    *value = attribute < 100 ? values[attribute] : 0;
    return SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = (size_t)1 << 36;
    return SUCCESS;
}

int cuDeviceGetPCIBusId(char *text, int len, int device)
{
    snprintf(text, (size_t)len, "0000:c%d:00.0", device);
    return SUCCESS;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = &contexts[device];
    return SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return SUCCESS;
}

int cuCtxSetCurrent(void *context)
{
    return context ? SUCCESS : NOT_FOUND;
}

int cuCtxSynchronize(void)
{
    return waits();
}

int cuCtxEnablePeerAccess(void *there, unsigned flags)
{
    (void)there;
    return (int)flags;
}

int cuGetErrorName(int code, const char **name)
{
    *name = code == UNSUPPORTED   ? "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"
            : code == INVALIDATED ? "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"
            : code == REFUSED     ? "CUDA_ERROR_NOT_SUPPORTED"
                                  : "CUDA_ERROR_OTHER";
    return SUCCESS;
}

int cuGetErrorString(int code, const char **text)
{
    (void)code;
    *text = "of the stand-in";
    return SUCCESS;
}

/* ---- memory */

int cuMemAlloc_v2(pointer *at, size_t bytes);
int cuMemFree_v2(pointer at);
int cuMemsetD8_v2(pointer to, unsigned char byte, size_t bytes);
int cuMemcpyHtoD_v2(pointer to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, pointer from, size_t bytes);

int cuMemAlloc_v2(pointer *at, size_t bytes)
{
    struct memory *m = malloc(sizeof *m);
    void *data = aligned_alloc(256, (bytes + 255) / 256 * 256);

    if (waits() || !m || !data) {
        free(m);
        free(data);
        return waits() ? waits() : OUT_OF_MEMORY;
    }
    *m = (struct memory){(uintptr_t)data, bytes, NULL};
    *at = m->at;
    pthread_mutex_lock(&mutex);
    m->next = memories;
    memories = m;
    pthread_mutex_unlock(&mutex);
    return SUCCESS;
}

int cuMemFree_v2(pointer at)
{
    struct memory **link = &memories, *m;

    if (waits())
        return UNSUPPORTED;
    pthread_mutex_lock(&mutex);
    while (*link && (*link)->at != at)
        link = &(*link)->next;
    m = *link;
    if (m)
        *link = m->next;
    pthread_mutex_unlock(&mutex);
    if (m)
        free((void *)(uintptr_t)at);
    free(m);
    return m ? SUCCESS : NOT_FOUND;
}

int cuMemsetD8_v2(pointer to, unsigned char byte, size_t bytes)
{
    memset((void *)(uintptr_t)to, byte, bytes);
    return waits();
}

int cuMemcpyHtoD_v2(pointer to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return waits();
}

int cuMemcpyDtoH_v2(void *to, pointer from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return waits();
}

/* ---- kernels */

int cuModuleLoadData(void **module, const void *image);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuFuncSetAttribute(void *function, int attribute, int value);

int cuModuleLoadData(void **module, const void *image)
{
    struct module *m = calloc(1, sizeof *m);

    m->source = strdup(image);
    *module = m;
    return waits();
}

int cuModuleUnload(void *module)
{
    struct module *m = module;

    for (struct function *f = m->functions, *next; f; f = next) {
        next = f->next;
        free(f);
    }
    free(m->source);
    free(m);
    return SUCCESS;
}

/* "const float *restrict in", of so many characters. */
static struct param read_param(const char *text, size_t length)
{
    struct param p = {4, memchr(text, '*', length) != NULL, false};
    char word[256];

    snprintf(word, sizeof word, "%.*s", (int)length, text);
    p.is_input = strstr(word, "const") && p.is_pointer;
    if (p.is_pointer || strstr(word, "double") || strstr(word, "long"))
        p.bytes = 8;
    if (strstr(word, "lift_map"))
        p.bytes = MAP;
    return p;
}

static void read_params(struct function *f, const char *at)
{
    while (*at && *at != ')' && f->count < MOST_PARAMS) {
        size_t length = strcspn(at, ",)");

        f->params[f->count++] = read_param(at, length);
        at += length + (at[length] == ',');
    }
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    struct module *m = module;
    struct function *f;
    char text[300];
    const char *at;

    snprintf(text, sizeof text, " %s(", name);
    at = strstr(m->source, text);
    if (!at && strncmp(name, "copy_u", 6) == 0) /* src/device/kernels/groups.inc */
        at = " copy_u32(T *to, const T *from, const i64 *d)";
    if (!at)
        return NOT_FOUND;
    f = calloc(1, sizeof *f);
    snprintf(f->name, sizeof f->name, "%s", name);
    read_params(f, strchr(at, '(') + 1);
    f->next = m->functions;
    m->functions = f;
    *function = f;
    return SUCCESS;
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return SUCCESS;
}

/* Words from there to the guard band behind the buffer. */
static size_t words_from(pointer at)
{
    size_t bytes = 0;

    pthread_mutex_lock(&mutex);
    for (const struct memory *m = memories; m; m = m->next)
        if (at >= m->at && at < m->at + m->bytes - GUARD)
            bytes = m->at + m->bytes - GUARD - at;
    pthread_mutex_unlock(&mutex);
    return bytes / sizeof(uint32_t);
}

static void *memory_of(const struct work *w, int param)
{
    pointer at;

    memcpy(&at, w->values[param], sizeof at);
    return (void *)(uintptr_t)at;
}

static uint64_t mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 29;
}

/* Checksum of the words of all inputs; without inputs, of the written arrays. */
static uint64_t sum_at(const struct work *w, size_t i, bool inputs)
{
    const struct function *f = w->function;
    uint64_t sum = (unsigned char)f->name[strlen(f->name) - 1];

    for (int k = 0; k < f->count; k++) {
        const uint32_t *from = memory_of(w, k);

        if (f->params[k].is_pointer && f->params[k].is_input == inputs)
            sum = mix(sum, from[i % f->words[k]]);
    }
    return sum;
}

/* Numbers from 0 to 1, the first result after the others: it may be an input, too. */
static void run_kernel(const struct work *w)
{
    struct work own = *w;
    struct function f = *w->function;
    bool inputs = false;

    own.function = &f;
    for (int k = 0; k < f.count; k++) {
        inputs |= f.params[k].is_input;
        f.words[k] = f.params[k].is_pointer ? words_from((uintptr_t)memory_of(w, k)) : 0;
    }
    for (int k = f.count - 1; k >= 0; k--) {
        float *to = memory_of(w, k);

        for (size_t i = 0; !f.params[k].is_input && i < f.words[k]; i++)
            to[i] = (float)(mix(sum_at(&own, i, inputs), (uint64_t)k) >> 40) / 0x1p24f;
    }
}

/* A row of a box, of those that the numbers of a launch say: src/device/kernels/units.inc
 */
static int64_t row_at(const int64_t *d, int64_t row, int box)
{
    int64_t at = d[11 + 7 * box];

    for (int k = (int)d[4] - 1; k >= 0; k--) {
        at += row % d[5 + k] * d[12 + 7 * box + k];
        row /= d[5 + k];
    }
    return at;
}

static void run_copy(const struct work *w)
{
    const int64_t *d = memory_of(w, 2);
    int64_t width = atoi(w->function->name + strlen("copy_u")) / 8;

    for (int64_t row = 0; row < d[0] / d[1]; row++)
        memcpy((char *)memory_of(w, 0) + row_at(d, row, 0) * width,
               (const char *)memory_of(w, 1) + row_at(d, row, 1) * width,
               (size_t)(d[3] * width));
}

static void run_work(const struct work *w)
{
    if (w->function && strncmp(w->function->name, "copy_u", 6) == 0)
        run_copy(w);
    else if (w->function)
        run_kernel(w);
    else
        memcpy((void *)(uintptr_t)w->to, (const void *)(uintptr_t)w->from, w->bytes);
}

/* ---- streams */

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z,
                   unsigned local_bytes, void *stream, void **args, void **extra);
int cuMemcpyDtoDAsync_v2(pointer to, pointer from, size_t bytes, void *stream);
int cuMemcpyPeerAsync(pointer to, void *here, pointer from, void *there, size_t bytes,
                      void *stream);
int cuEventCreate(void **event, unsigned flags);
int cuEventDestroy_v2(void *event);
int cuEventRecord(void *event, void *stream);
int cuEventSynchronize(void *event);
int cuEventElapsedTime(float *ms, void *from, void *to);
int cuCtxGetStreamPriorityRange(int *least, int *most);
int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority);
int cuStreamDestroy_v2(void *stream);
int cuStreamWaitEvent(void *stream, void *event, unsigned flags);

static int enqueue(struct stream *s, const struct work *w)
{
    struct graph *g = s ? s->graph : NULL;
    struct work *copy;

    if (!g) {
        run_work(w);
        return SUCCESS;
    }
    copy = malloc(sizeof *copy);
    *copy = *w;
    copy->next = NULL;
    if (g->last)
        g->last->next = copy;
    else
        g->first = copy;
    g->last = copy;
    g->count++;
    return SUCCESS;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z,
                   unsigned local_bytes, void *stream, void **args, void **extra)
{
    const struct function *f = function;
    struct stream *s = stream;
    struct work w = {.function = f};

    if (!grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z || extra ||
        local_bytes > 227 << 10 || fails("cuLaunchKernel"))
        return NOT_FOUND;
    for (int i = 0; i < f->count; i++)
        memcpy(w.values[i], args[i], f->params[i].bytes);
    say(s && s->graph ? "record" : "launch", f->name);
    return enqueue(s, &w);
}

int cuMemcpyDtoDAsync_v2(pointer to, pointer from, size_t bytes, void *stream)
{
    return enqueue(stream, &(struct work){.to = to, .from = from, .bytes = bytes});
}

int cuMemcpyPeerAsync(pointer to, void *here, pointer from, void *there, size_t bytes,
                      void *stream)
{
    (void)here, (void)there;
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

int cuEventCreate(void **event, unsigned flags)
{
    *event = malloc(1);
    return (int)flags;
}

int cuEventDestroy_v2(void *event)
{
    free(event);
    return SUCCESS;
}

int cuEventRecord(void *event, void *stream)
{
    (void)stream;
    return event ? SUCCESS : NOT_FOUND;
}

int cuEventSynchronize(void *event)
{
    return event ? waits() : NOT_FOUND;
}

int cuEventElapsedTime(float *ms, void *from, void *to)
{
    *ms = 2;
    return from != to ? SUCCESS : NOT_FOUND;
}

int cuCtxGetStreamPriorityRange(int *least, int *most)
{
    *least = 0;
    *most = -5;
    return SUCCESS;
}

int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    *stream = calloc(1, sizeof(struct stream));
    return flags == 1 && priority <= 0 ? SUCCESS : NOT_FOUND;
}

int cuStreamDestroy_v2(void *stream)
{
    free(stream);
    return SUCCESS;
}

int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    (void)stream;
    return event ? (int)flags : NOT_FOUND;
}

/* ---- graphs */

#ifndef OLD
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuGraphInstantiateWithFlags(void **executable, void *graph, uint64_t flags);
int cuGraphLaunch(void *executable, void *stream);
int cuGraphDestroy(void *graph);
int cuGraphExecDestroy(void *executable);

/* The default stream cannot. */
int cuStreamBeginCapture_v2(void *stream, int mode)
{
    struct stream *s = stream;

    if (!s || s->graph || recording || mode != 1)
        return UNSUPPORTED;
    if (fails("cuStreamBeginCapture"))
        return REFUSED;
    *s = (struct stream){.graph = calloc(1, sizeof *s->graph)};
    recording = s;
    say("begin", "graph");
    return SUCCESS;
}

int cuStreamEndCapture(void *stream, void **graph)
{
    struct stream *s = stream;
    bool good = s == recording && !s->invalid && !fails("cuStreamEndCapture");

    recording = NULL;
    *graph = NULL;
    if (good)
        *graph = s->graph;
    else
        cuGraphDestroy(s->graph);
    s->graph = NULL;
    say("end", good ? "graph" : "nothing");
    return good ? SUCCESS : INVALIDATED;
}

int cuGraphInstantiateWithFlags(void **executable, void *graph, uint64_t flags)
{
    const struct graph *from = graph;
    struct graph *g = calloc(1, sizeof *g);
    struct stream s = {.graph = g};

    if (flags || waits() || fails("cuGraphInstantiateWithFlags")) {
        free(g);
        return REFUSED;
    }
    for (const struct work *w = from->first; w; w = w->next)
        enqueue(&s, w);
    *executable = g;
    return SUCCESS;
}

int cuGraphLaunch(void *executable, void *stream)
{
    const struct graph *g = executable;
    char count[32];

    if (stream || fails("cuGraphLaunch"))
        return REFUSED;
    snprintf(count, sizeof count, "%d", g->count);
    say("graph", count);
    for (const struct work *w = g->first; w; w = w->next)
        run_work(w);
    return SUCCESS;
}

int cuGraphDestroy(void *graph)
{
    struct graph *g = graph;

    for (struct work *w = g->first, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    free(g);
    return SUCCESS;
}

int cuGraphExecDestroy(void *executable)
{
    say("drop", "graph");
    return cuGraphDestroy(executable);
}
#endif
