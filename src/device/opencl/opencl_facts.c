#include "device/device_t.h"
#include "device/opencl/opencl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64 };

/* Queries of the extensions cl_nv_device_attribute_query and
 * cl_amd_device_attribute_query. */
enum {
    NV_COMPUTE_CAPABILITY_MAJOR = 0x4000,
    NV_COMPUTE_CAPABILITY_MINOR = 0x4001,
    NV_WARP_SIZE = 0x4003,
    AMD_WAVEFRONT_WIDTH = 0x4043,
};

cl_device_id opencl_find(int index, int *count, struct lift_str *why)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint platform_count = 0;
    cl_device_id found = NULL;
    cl_int code = clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count);

    *count = 0;
    if (code != CL_SUCCESS)
        platform_count = 0;
    for (cl_uint p = 0; p < platform_count && p < MAX_PLATFORMS; p++) {
        cl_device_id devices[MAX_DEVICES];
        cl_uint device_count = 0;

        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices,
                           &device_count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < device_count && d < MAX_DEVICES; d++)
            if ((*count)++ == index)
                found = devices[d];
    }
    if (why && *count == 0 && platform_count == 0)
        lift_str_addf(why,
                      "no OpenCL platform is installed: clGetPlatformIDs says %s (%d)",
                      code == CL_SUCCESS ? "none" : opencl_error_name(code), (int)code);
    else if (why && *count == 0)
        lift_str_add(why, "the installed OpenCL platforms have no device");
    return found;
}

static void get_text(cl_device_id device, cl_device_info what, struct lift_str *out)
{
    size_t size = 0;
    char *text;

    if (clGetDeviceInfo(device, what, 0, NULL, &size) != CL_SUCCESS || size == 0)
        return;
    text = calloc(size + 1, 1);
    if (text && clGetDeviceInfo(device, what, size, text, NULL) == CL_SUCCESS)
        lift_str_add(out, text + strspn(text, " "));
    free(text);
}

static cl_uint get_uint(cl_device_id device, cl_device_info what)
{
    cl_uint value = 0;

    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS ? value
                                                                                   : 0;
}

static int64_t get_long(cl_device_id device, cl_device_info what)
{
    cl_ulong value = 0;

    if (clGetDeviceInfo(device, what, sizeof value, &value, NULL) != CL_SUCCESS)
        return 0;
    return (int64_t)value;
}

/* Finds the architecture by vendor extensions: standard OpenCL only has the device's
 * name. */
static void probe_arch(cl_device_id device, struct opencl_facts *facts)
{
    LIFT_SCOPED(lift_str) extensions = {0};
    const char *list;

    get_text(device, CL_DEVICE_EXTENSIONS, &extensions);
    list = lift_str_get(&extensions);
    facts->info.simd_width = (int)get_uint(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    if (strstr(list, "cl_nv_device_attribute_query")) {
        facts->nvidia = true;
        lift_str_addf(&facts->arch, "sm_%u%u",
                      get_uint(device, NV_COMPUTE_CAPABILITY_MAJOR),
                      get_uint(device, NV_COMPUTE_CAPABILITY_MINOR));
        facts->info.simd_width = (int)get_uint(device, NV_WARP_SIZE);
    } else {
        lift_str_add(&facts->arch, lift_str_get(&facts->name));
    }
    if (strstr(list, "cl_amd_device_attribute_query"))
        facts->info.simd_width = (int)get_uint(device, AMD_WAVEFRONT_WIDTH);
}

/* A query of the extension cl_khr_pci_bus_info. */
enum { KHR_PCI_BUS_INFO = 0x410F };

static void probe_place(cl_device_id device, struct lift_device_info *info)
{
    cl_uint at[4]; /* domain, bus, device, function */

    if (clGetDeviceInfo(device, KHR_PCI_BUS_INFO, sizeof at, at, NULL) == CL_SUCCESS)
        snprintf(info->pci, sizeof info->pci, "%04x:%02x:%02x.%x", at[0] & 0xffff,
                 at[1] & 0xff, at[2] & 0xff, at[3] & 0xf);
}

/* Drivers for CPUs compile a kernel late, when the size of its groups is known. */
static bool is_cpu(cl_device_id device)
{
    cl_device_type type = 0;

    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return type & CL_DEVICE_TYPE_CPU;
}

static void probe_limits(cl_device_id device, struct lift_device_info *info)
{
    size_t group = 0, dims[16] = {0};

    clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof dims, dims, NULL);
    info->max_group_size = (int)group;
    for (int d = 0; d < 3; d++)
        info->max_group_dims[d] = (int)dims[d];
    info->compute_units = (int)get_uint(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->is_cpu = info->compiles_late = is_cpu(device);
    info->local_bytes = get_long(device, CL_DEVICE_LOCAL_MEM_SIZE);
    info->global_bytes = get_long(device, CL_DEVICE_GLOBAL_MEM_SIZE);
}

void opencl_facts_probe(cl_device_id device, struct opencl_facts *facts)
{
    *facts = (struct opencl_facts){0};
    get_text(device, CL_DEVICE_NAME, &facts->name);
    get_text(device, CL_DEVICE_VENDOR, &facts->vendor);
    get_text(device, CL_DRIVER_VERSION, &facts->driver);
    get_text(device, CL_DEVICE_VERSION, &facts->compiler);
    probe_arch(device, facts);
    probe_limits(device, &facts->info);
    probe_place(device, &facts->info);
    facts->info.dialect = LIFT_DIALECT_OPENCL;
    facts->info.runtime = device_runtime_opencl.name;
    facts->info.name = lift_str_get(&facts->name);
    facts->info.vendor = lift_str_get(&facts->vendor);
    facts->info.driver = lift_str_get(&facts->driver);
    facts->info.arch = lift_str_get(&facts->arch);
    facts->info.compiler = lift_str_get(&facts->compiler);
    device_nvidia_unit(&facts->info);
}

void opencl_facts_fini(struct opencl_facts *facts)
{
    lift_str_fini(&facts->name);
    lift_str_fini(&facts->vendor);
    lift_str_fini(&facts->driver);
    lift_str_fini(&facts->arch);
    lift_str_fini(&facts->compiler);
}
