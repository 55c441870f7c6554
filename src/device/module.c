#include "device/module.h"
#include "device/device_t.h"
#include "device/process.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATH_SIZE = 40 };

static void name_of(int fd, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "/proc/self/fd/%d", fd);
}

static bool is_taken(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);

    if (handle)
        dlclose(handle);
    return handle != NULL;
}

/* The loader identifies modules by path, which here contains the descriptor's number. The
 * number of a module that could not be unloaded must not be reused, so this function
 * returns a descriptor with an unused path. */
static int fresh_number(int fd)
{
    char path[PATH_SIZE];
    int next = fd;

    for (name_of(fd, path); fd >= 0 && is_taken(path); fd = next, name_of(fd, path)) {
        next = fcntl(fd, F_DUPFD_CLOEXEC, fd + 1);
        close(fd);
    }
    return fd;
}

/* Pins the OpenMP library: its threads outlive its last user, so an unmap would crash. */
static void pin_openmp(void *handle)
{
    void *symbol = dlsym(handle, "omp_get_max_threads");
    Dl_info where;

    if (symbol && dladdr(symbol, &where) && where.dli_fname)
        dlopen(where.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/* Loading a module may change the thread's floating-point environment. This function
 * stores the module's environment and restores the caller's. */
static void *load(const char *path, struct device_module *out)
{
    fenv_t callers;
    void *handle;

    fegetenv(&callers);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    fegetenv(&out->arithmetic);
    out->has_arithmetic = memcmp(&callers, &out->arithmetic, sizeof callers) != 0;
    fesetenv(&callers);
    return handle;
}

bool device_module_load(const void *data, size_t size, struct device_module *out,
                        struct lift_error *error)
{
    int fd = memfd_create("lift-kernel", MFD_CLOEXEC);
    char path[PATH_SIZE];

    *out = (struct device_module){.fd = -1};
    if (fd >= 0)
        fd = fresh_number(fd);
    if (fd < 0 || !device_write_all(fd, data, size)) {
        lift_fail(error, LIFT_ERROR_DEVICE, "cannot keep a compiled module in memory: %s",
                  strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    name_of(fd, path);
    out->handle = load(path, out);
    if (!out->handle) {
        lift_fail(error, LIFT_ERROR_COMPILE, "cannot load the compiled module: %s",
                  dlerror());
        close(fd);
        return false;
    }
    out->fd = fd;
    pin_openmp(out->handle);
    return true;
}

void device_module_unload(struct device_module *module)
{
    if (module->handle) {
        dlclose(module->handle);
        close(module->fd);
    }
    *module = (struct device_module){.fd = -1};
}
