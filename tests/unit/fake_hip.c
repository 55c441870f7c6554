/* A stand-in for AMD's HIP runtime: one device in the process's memory, which runs only
 * the kernel 'known' (src/device/health.c). It does not compile. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, OUT_OF_MEMORY = 2, INVALID_IMAGE = 200, NOT_FOUND = 500 };

/* The attributes by number, as ROCm has them from 5.0 on. */
enum {
    BLOCK_X = 26,
    BLOCK_Y,
    BLOCK_Z,
    GRID_X,
    GRID_Y,
    GRID_Z,
    GROUP = 56,
    UNITS = 63,
    LOCAL = 74,
    WARP = 87
};

int hipInit(unsigned flags);
int hipDriverGetVersion(int *version);
int hipGetDeviceCount(int *count);
int hipDeviceGet(int *device, int index);
int hipDeviceGetName(char *name, int len, int device);
int hipDeviceGetAttribute(int *value, int attribute, int device);
int hipDeviceTotalMem(size_t *bytes, int device);
int hipDeviceGetPCIBusId(char *text, int len, int device);
int hipDevicePrimaryCtxRetain(void **context, int device);
int hipDevicePrimaryCtxRelease(int device);
int hipCtxSetCurrent(void *context);
int hipDeviceSynchronize(void);
int hipModuleLoadData(void **module, const void *image);
int hipModuleUnload(void *module);
int hipModuleGetFunction(void **function, void *module, const char *name);
int hipMalloc(void **pointer, size_t bytes);
int hipFree(void *pointer);
int hipMemsetD8(void *to, unsigned char byte, size_t bytes);
int hipMemcpyHtoD(void *to, const void *from, size_t bytes);
int hipMemcpyDtoH(void *to, const void *from, size_t bytes);
int hipMemcpyDtoDAsync(void *to, void *from, size_t bytes, void *stream);
int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned local_bytes, void *stream,
                          void **args, void **extra);
int hipEventCreateWithFlags(void **event, unsigned flags);
int hipEventDestroy(void *event);
int hipEventRecord(void *event, void *stream);
int hipEventSynchronize(void *event);
int hipEventElapsedTime(float *ms, void *from, void *to);
int hipGetDeviceProperties(void *properties, int device);
const char *hipGetErrorName(int code);
const char *hipGetErrorString(int code);

static const char known[] = "known";

/* A failure that a test wants; SUCCESS: none. */
static int wanted_failure(void)
{
    const char *code = getenv("FAKE_HIP_CODE");

    return code ? atoi(code) : SUCCESS;
}

int hipInit(unsigned flags)
{
    return (int)flags;
}

int hipDriverGetVersion(int *version)
{
    *version = 60342134;
    return SUCCESS;
}

int hipGetDeviceCount(int *count)
{
    *count = 1;
    return SUCCESS;
}

int hipDeviceGet(int *device, int index)
{
    *device = index;
    return SUCCESS;
}

int hipDeviceGetName(char *name, int len, int device)
{
    (void)device;
    strncpy(name, "Stand-in", (size_t)len);
    return SUCCESS;
}

int hipDeviceGetAttribute(int *value, int attribute, int device)
{
    static const struct {
        int attribute, value;
    } values[] = {{BLOCK_X, 1024}, {BLOCK_Y, 1024}, {BLOCK_Z, 1024}, {GRID_X, 65536},
                  {GRID_Y, 65536}, {GRID_Z, 65536}, {GROUP, 1024},   {UNITS, 104},
                  {LOCAL, 65536},  {WARP, 64}};

    (void)device;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (values[i].attribute == attribute) {
            *value = values[i].value;
            return SUCCESS;
        }
    return NOT_FOUND;
}

int hipDeviceTotalMem(size_t *bytes, int device)
{
    (void)device;
    *bytes = (size_t)1 << 36;
    return SUCCESS;
}

int hipDeviceGetPCIBusId(char *text, int len, int device)
{
    (void)device;
    strncpy(text, "0000:c1:00.0", (size_t)len);
    return SUCCESS;
}

/* The name, some numbers, and the architecture somewhere behind them. */
int hipGetDeviceProperties(void *properties, int device)
{
    (void)device;
    strcpy(properties, "gfx Stand-in");
    memset((char *)properties + 256, 0x7f, 100);
    strcpy((char *)properties + 396, "gfx90a:sramecc+:xnack-");
    return SUCCESS;
}

int hipDevicePrimaryCtxRetain(void **context, int device)
{
    (void)device;
    *context = (void *)known;
    return SUCCESS;
}

int hipDevicePrimaryCtxRelease(int device)
{
    return device;
}

int hipCtxSetCurrent(void *context)
{
    return context == known ? SUCCESS : NOT_FOUND;
}

int hipDeviceSynchronize(void)
{
    return SUCCESS;
}

int hipModuleLoadData(void **module, const void *image)
{
    *module = (void *)known;
    if (wanted_failure())
        return wanted_failure();
    return memcmp(image, "\177ELF", 4) == 0 ? SUCCESS : INVALID_IMAGE;
}

int hipModuleUnload(void *module)
{
    return module == known ? SUCCESS : NOT_FOUND;
}

int hipModuleGetFunction(void **function, void *module, const char *name)
{
    *function = module;
    return strcmp(name, known) == 0 ? SUCCESS : NOT_FOUND;
}

int hipMalloc(void **pointer, size_t bytes)
{
    if (wanted_failure())
        return wanted_failure();
    *pointer = bytes < (size_t)1 << 30 ? malloc(bytes) : NULL;
    return *pointer ? SUCCESS : OUT_OF_MEMORY;
}

int hipFree(void *pointer)
{
    free(pointer);
    return SUCCESS;
}

int hipMemsetD8(void *to, unsigned char byte, size_t bytes)
{
    memset(to, byte, bytes);
    return SUCCESS;
}

int hipMemcpyHtoD(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return SUCCESS;
}

int hipMemcpyDtoH(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return SUCCESS;
}

/* The stream of a test is the text "stream"; its first letter becomes upper case on use.
 */
static int use_stream(char *stream)
{
    if (!stream)
        return SUCCESS;
    if (strcmp(stream + 1, "tream") != 0)
        return NOT_FOUND;
    *stream = 'S';
    return SUCCESS;
}

int hipMemcpyDtoDAsync(void *to, void *from, size_t bytes, void *stream)
{
    memcpy(to, from, bytes);
    return use_stream(stream);
}

int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned local_bytes, void *stream,
                          void **args, void **extra)
{
    float *y = *(float **)args[0];
    const float *x = *(const float **)args[1];
    int n = *(int *)args[2];

    if (wanted_failure())
        return wanted_failure();
    if (function != known || grid_y * grid_z * block_y * block_z != 1 || local_bytes ||
        stream || extra)
        return NOT_FOUND;
    for (int i = 0; i < n && (unsigned)i < grid_x * block_x; i++)
        y[i] = 3 * x[i] + (float)i;
    return SUCCESS;
}

int hipEventCreateWithFlags(void **event, unsigned flags)
{
    *event = malloc(1);
    return (int)flags;
}

int hipEventDestroy(void *event)
{
    free(event);
    return SUCCESS;
}

int hipEventRecord(void *event, void *stream)
{
    return event ? use_stream(stream) : NOT_FOUND;
}

int hipEventSynchronize(void *event)
{
    return event ? SUCCESS : NOT_FOUND;
}

int hipEventElapsedTime(float *ms, void *from, void *to)
{
    *ms = 2;
    return from != to ? SUCCESS : NOT_FOUND;
}

const char *hipGetErrorName(int code)
{
    return code == NOT_FOUND ? "hipErrorNotFound" : "hipErrorOther";
}

const char *hipGetErrorString(int code)
{
    return code == NOT_FOUND ? "named symbol not found" : "something else";
}
