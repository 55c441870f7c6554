/* PoCL with its compiler in a separate process: under a sanitizer's malloc, PoCL and LLVM
 * take half as long again, and the tests do not check them. The OpenCL loader finds this
 * driver. In a process with a sanitizer, each program is first built by another process
 * without one, and PoCL's cache (POCL_CACHE_DIR) keeps the binary. A failed build is
 * repeated here, for its messages. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* POCL and BUILDER, files, come from small.sh. */
enum { MOST_DEVICES = 16, DIGITS = 12 };

/* The first member of every object of PoCL. */
struct object {
    cl_icd_dispatch *dispatch;
};

static cl_api_clBuildProgram build_here;

/* ---- programs are built once */

static unsigned long long hash(unsigned long long hash, const char *text)
{
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
    return (hash ^ 0xff) * 0x100000001b3ull;
}

/* The marker file of a build, named after the inputs of PoCL's own cache key. */
static bool name_mark(char mark[PATH_MAX], const char *source, const char *options,
                      const char *device)
{
    const char *folder = getenv("POCL_CACHE_DIR");
    unsigned long long h = hash(0xcbf29ce484222325ull, source);

    h = hash(hash(h, options), device);
    h = hash(hash(h, getenv("POCL_EXTRA_BUILD_FLAGS")),
             getenv("POCL_WORK_GROUP_SPECIALIZATION"));
    if (!folder)
        return false;
    snprintf(mark, PATH_MAX, "%s/apart-%016llx-%zu", folder, h, strlen(source));
    return true;
}

/* ---- the other process */

static int file_with(const char *source)
{
    int fd = memfd_create("kernel", MFD_CLOEXEC);
    size_t len = strlen(source);

    if (fd >= 0 && write(fd, source, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Silent, in the caller's process group, which ends with the caller. */
static bool run_builder(int source, const char *options, char *device)
{
    char *argv[] = {(char *)BUILDER, (char *)options, device, NULL};
    posix_spawn_file_actions_t files;
    int status = -1;
    pid_t child;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, source, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&child, BUILDER, &files, NULL, argv, environ) == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    posix_spawn_file_actions_destroy(&files);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void build_apart(const char *source, const char *options, char *device)
{
    char mark[PATH_MAX];
    int fd;

    if (!name_mark(mark, source, options, device) || access(mark, F_OK) == 0)
        return;
    fd = file_with(source);
    if (fd < 0)
        return;
    if (run_builder(fd, options, device)) {
        int made = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

        if (made >= 0)
            close(made);
    }
    close(fd);
}

/* ---- the replaced function of the driver */

/* The number of the device on its platform; -1: not found. */
static int number_of(cl_device_id device)
{
    const cl_icd_dispatch *call = ((struct object *)device)->dispatch;
    cl_device_id all[MOST_DEVICES];
    cl_platform_id platform;
    cl_uint count = 0;

    if (call->clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform,
                              NULL) != CL_SUCCESS ||
        call->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, all, &count) !=
            CL_SUCCESS)
        return -1;
    for (cl_uint i = 0; i < count && i < MOST_DEVICES; i++)
        if (all[i] == device)
            return (int)i;
    return -1;
}

static char *source_of(cl_program program)
{
    const cl_icd_dispatch *call = ((struct object *)program)->dispatch;
    size_t size = 0;
    char *source;

    if (call->clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size) !=
            CL_SUCCESS ||
        size <= 1)
        return NULL;
    source = calloc(size + 1, 1);
    if (source)
        call->clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, source, NULL);
    return source;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count,
                                const cl_device_id *devices, const char *options,
                                void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    char *source = count == 1 ? source_of(program) : NULL;
    char device[DIGITS];

    if (source) {
        snprintf(device, sizeof device, "%d", number_of(devices[0]));
        build_apart(source, options ? options : "", device);
        free(source);
    }
    return build_here(program, count, devices, options, notify, data);
}

/* The table of functions, which all objects share, is PoCL's own. */
static void take_over(cl_platform_id platform)
{
    cl_icd_dispatch *table = ((struct object *)platform)->dispatch;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *start = (char *)((size_t)&table->clBuildProgram / page * page);

    if (build_here || mprotect(start, 2 * page, PROT_READ | PROT_WRITE) != 0)
        return;
    build_here = table->clBuildProgram;
    table->clBuildProgram = build;
}

typedef cl_int CL_API_CALL get_platforms(cl_uint, cl_platform_id *, cl_uint *);
typedef void *CL_API_CALL get_function(const char *);

/* Exports only the function that returns the others. */
static void *of_pocl(const char *name)
{
    static get_function *get;
    void *pocl = get ? NULL : dlopen(POCL, RTLD_NOW | RTLD_LOCAL);

    if (pocl)
        get = (get_function *)dlsym(pocl, "clGetExtensionFunctionAddress");
    return get ? get(name) : NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint most,
                                                       cl_platform_id *platforms,
                                                       cl_uint *count)
{
    get_platforms *real = (get_platforms *)of_pocl("clIcdGetPlatformIDsKHR");
    cl_int code = real ? real(most, platforms, count) : CL_INVALID_PLATFORM;

    if (code == CL_SUCCESS && most > 0 && platforms && dlsym(RTLD_DEFAULT, "__asan_init"))
        take_over(platforms[0]);
    return code;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)clIcdGetPlatformIDsKHR;
    return of_pocl(name);
}
