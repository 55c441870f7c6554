/* Shared between the files of src/device. */
#ifndef DEVICE_DEVICE_T_H
#define DEVICE_DEVICE_T_H

#include "device/device.h"

extern const struct lift_runtime device_runtime_host;
extern const struct lift_runtime device_runtime_opencl;
extern const struct lift_runtime device_runtime_cuda;
extern const struct lift_runtime device_runtime_hip;

/* Bytes of a function's stack frame, at most; host.c gives threads four times this size.
 */
#define DEVICE_FRAME_BYTES 4194304

/* traits.c */
extern const struct lift_traits device_traits_host, device_traits_opencl,
    device_traits_opencl_processor, device_traits_cuda, device_traits_hip;

/* The processor that runs this process, as reported by the operating system. */
struct device_cpu {
    struct lift_str name, vendor,
        arch;         /* arch: machine and its widest vector extension */
    int cores;        /* usable by this process */
    int simd_width;   /* floats of a vector register */
    int64_t l2_bytes; /* a core's share; 256 KiB if unknown */
    int64_t memory_bytes;
};

void device_cpu_probe(struct device_cpu *cpu);
void device_cpu_fini(struct device_cpu *cpu);

/* Appends the whole text of a file, also of /proc and /sys. Returns false if the file
 * cannot be read. */
bool device_read_text(const char *path, struct lift_str *out);

/* Reads registers, spilled bytes and other resources of a kernel from the verbose log of
 * NVIDIA's compiler; -1 for values that the log lacks. */
void device_read_nvidia_log(const char *log, const char *kernel,
                            struct lift_resources *resources);

/* Set the resources of an NVIDIA multiprocessor, by the architecture ("sm_90"), and of an
 * AMD compute unit ("gfx90a"). */
void device_nvidia_unit(struct lift_device_info *info);
void device_amd_unit(struct lift_device_info *info);

/* Checksums of a buffer, by the processor and by kernels of the buffer's device. The two
 * algorithms give different values. */
uint64_t device_digest_here(const void *data, size_t bytes);
bool device_digest_there(struct lift_device *device, struct lift_buffer *buffer,
                         size_t bytes, uint64_t *out, struct lift_error *error);
/* Returns true if all pieces of a copy are within buffers of these sizes. */
bool device_pull_fits(const struct lift_pull *pull, size_t to_bytes, size_t from_bytes);

/* NULL is legal. */
void device_ops_destroy(struct lift_ops *ops);

#endif
