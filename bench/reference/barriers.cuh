/* Copies by the hardware, each stage of which has a memory barrier that counts bytes.
 * Tests that run this text on the host bring their own. */
#if defined(__CUDA_ARCH__)
__shared__ unsigned long long filled[STAGES];

__device__ __forceinline__ unsigned address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

__device__ __forceinline__ void prepare(int t)
{
    if (t == 0) {
        for (int s = 0; s < STAGES; s++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(
                address(&filled[s])));
        asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async;");
    }
    __syncthreads();
}

/* What was read of the stage before the last barrier of the block is fenced, too: else the
 * copies may overtake loads that are under way. */
__device__ __forceinline__ void expect(int stage, unsigned bytes)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     address(&filled[stage])),
                 "r"(bytes)
                 : "memory");
}

/* A row, from memory to memory. */
__device__ __forceinline__ void bulk(void *to, const void *from, unsigned bytes, int stage)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(address(to)),
                 "l"(from), "r"(bytes), "r"(address(&filled[stage]))
                 : "memory");
}

/* A grid, as the hardware knows it, and the size of the boxes that are copied from it. */
struct __align__(64) tensor {
    char opaque[128];
};

/* The box that begins there. */
__device__ __forceinline__ void box(void *to, const tensor *from, int x, int y, int z,
                                    int stage)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::"
                 "complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(address(to)),
                 "l"(from), "r"(x), "r"(y), "r"(z), "r"(address(&filled[stage]))
                 : "memory");
}

__device__ __forceinline__ void await(int stage, unsigned phase)
{
    asm volatile("{\n\t"
                 ".reg .pred there;\n\t"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 there, [%0], %1;\n\t"
                 "@there bra done;\n\t"
                 "bra again;\n\t"
                 "done: }" ::"r"(address(&filled[stage])),
                 "r"(phase)
                 : "memory");
}
#endif
