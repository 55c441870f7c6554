/* Builds the program on its standard input on one of PoCL's devices, for PoCL's cache:
 *   builder OPTIONS DEVICE
 * DEVICE is a number. Exit status 0 if it did (apart.c). */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MOST = 16, CHUNK = 65536 };

static cl_device_id find_device(cl_uint number)
{
    cl_platform_id platforms[MOST];
    cl_device_id devices[MOST];
    cl_uint platform_count = 0, count = 0;

    clGetPlatformIDs(MOST, platforms, &platform_count);
    for (cl_uint i = 0; i < platform_count && i < MOST; i++) {
        char name[256] = "";

        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, "Portable Computing Language") &&
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MOST, devices, &count) ==
                CL_SUCCESS &&
            number < count)
            return devices[number];
    }
    return NULL;
}

static char *read_source(void)
{
    char *text = NULL;
    size_t len = 0, got;

    do {
        char *more = realloc(text, len + CHUNK + 1);

        if (!more)
            abort();
        text = more;
        got = fread(text + len, 1, CHUNK, stdin);
        len += got;
    } while (got > 0);
    text[len] = '\0';
    return text;
}

/* With its kernels, which PoCL compiles for the binary. */
static cl_int build(cl_device_id device, const char *source, const char *options)
{
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    cl_int code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    size_t size = 0;

    if (code == CL_SUCCESS)
        code =
            clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    return code;
}

/* What ends the caller ends this. Nothing is given back: the process ends. meson has the
 * C library fill all memory that is taken and given back (MALLOC_PERTURB_), which is half
 * of the time of LLVM and is not of use here. */
int main(int argc, char **argv)
{
    cl_device_id device;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    mallopt(M_PERTURB, 0);
    unsetenv("MALLOC_PERTURB_");
    if (argc != 3)
        return EXIT_FAILURE;
    device = find_device((cl_uint)strtoul(argv[2], NULL, 10));
    _exit(!device || build(device, read_source(), argv[1]) != CL_SUCCESS);
}
