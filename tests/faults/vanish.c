/* Preloaded before the OpenCL loader: a device that disappears permanently after
 * $VANISH_AFTER launches of one process. The file $VANISH_FILE tells the other processes.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_gone(void)
{
    return access(getenv("VANISH_FILE"), F_OK) == 0;
}

static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                              const size_t *offset, const size_t *global,
                              const size_t *local, cl_uint waits, const cl_event *wait,
                              cl_event *event)
{
    static int launches;
    cl_int (*launch)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                     const size_t *, cl_uint, const cl_event *, cl_event *);
    void *found = real("clEnqueueNDRangeKernel");

    if (++launches == atoi(getenv("VANISH_AFTER")))
        close(open(getenv("VANISH_FILE"), O_CREAT | O_WRONLY, 0600));
    if (is_gone())
        return CL_DEVICE_NOT_AVAILABLE;
    memcpy(&launch, &found, sizeof launch);
    return launch(queue, kernel, dims, offset, global, local, waits, wait, event);
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                                     void *),
                           void *user, cl_int *code)
{
    cl_context (*create)(const cl_context_properties *, cl_uint, const cl_device_id *,
                         void(CL_CALLBACK *)(const char *, const void *, size_t, void *),
                         void *, cl_int *);
    void *found = real("clCreateContext");

    if (is_gone()) {
        *code = CL_DEVICE_NOT_AVAILABLE;
        return NULL;
    }
    memcpy(&create, &found, sizeof create);
    return create(properties, count, devices, notify, user, code);
}
