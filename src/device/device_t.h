/* Shared between the files of src/device. */
#ifndef DEVICE_DEVICE_T_H
#define DEVICE_DEVICE_T_H

#include "device/device.h"

extern const struct lift_runtime device_runtime_host;
extern const struct lift_runtime device_runtime_opencl;
extern const struct lift_runtime device_runtime_cuda;
extern const struct lift_runtime device_runtime_hip;

/* Bytes of one function's frame, at most; host.c gives threads four times as much. */
#define DEVICE_FRAME_BYTES 4194304

/* traits.c */
extern const struct lift_traits device_traits_host, device_traits_opencl,
    device_traits_opencl_processor, device_traits_cuda, device_traits_hip;

/* What the operating system says of the processor that runs this process. */
struct device_cpu {
    struct lift_str name, vendor,
        arch;         /* arch: machine and its widest vector extension */
    int cores;        /* that this process may use */
    int simd_width;   /* floats of a vector register */
    int64_t l2_bytes; /* a core's share; 256 KiB if unknown */
    int64_t memory_bytes;
};

void device_cpu_probe(struct device_cpu *cpu);
void device_cpu_fini(struct device_cpu *cpu);

/* The whole text of a file, /proc and /sys too; false if it cannot be read. */
bool device_read_text(const char *path, struct lift_str *out);

/* Registers, spilled bytes and the like of a kernel, from what NVIDIA's compiler prints
 * when asked to be verbose; -1 where the log does not say. */
void device_read_nvidia_log(const char *log, const char *kernel,
                            struct lift_resources *resources);

/* What a multiprocessor of NVIDIA's has room for, by its architecture ("sm_90"), or a
 * compute unit of AMD's ("gfx90a"). */
void device_nvidia_unit(struct lift_device_info *info);
void device_amd_unit(struct lift_device_info *info);

/* Checksums of a buffer of so many bytes: by the processor, or by kernels of the device
 * that has it. They are not alike. */
uint64_t device_digest_here(const void *data, size_t bytes);
bool device_digest_there(struct lift_device *device, struct lift_buffer *buffer,
                         size_t bytes, uint64_t *out, struct lift_error *error);
/* Whether all pieces of a copy are in buffers of so many bytes. */
bool device_pull_fits(const struct lift_pull *pull, size_t to_bytes, size_t from_bytes);

/* NULL is legal. */
void device_ops_destroy(struct lift_ops *ops);

#endif
