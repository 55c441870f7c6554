/* Asynchronous copies of vectors and of boxes of planes, and barriers that count their
 * bytes. */
#pragma once
#include "measure.cuh"
#ifndef ON_HOST
#define SHARED extern __shared__ __align__(128) unsigned char shared_memory[]

DI unsigned address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

DI void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(to)), "l"(from)
                 : "memory");
}

DI void copies_done()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

/* A box of a plane, zeros outside, which counts as bytes on a barrier. */
DI void box(void *to, const CUtensorMap *map, int x, int y, int z, void *bar)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::"
                 "complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(address(bar))
                 : "memory");
}

DI void bar_init(void *bar, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)),
                 "r"(arrivals)
                 : "memory");
}

DI void bar_inits_done()
{
    asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;" ::: "memory");
}

/* What was read before is ordered with the copies that follow: else they may overtake
 * loads that are under way. */
DI void reads_done()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

DI void bar_expect(void *bar, int bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)),
        "r"(bytes)
        : "memory");
}

DI void bar_arrive(void *bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(bar))
                 : "memory");
}

DI void bar_wait(void *bar, unsigned parity)
{
    asm volatile("{ .reg .pred P;\n"
                 "L1: mbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1;\n"
                 "@P bra D1; bra L1; D1: }" ::"r"(address(bar)),
                 "r"(parity)
                 : "memory");
}

DI void early(const float *p)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

/* Boxes of one plane. */
static CUtensorMap map_of(const float *grid, int nx, int ny, int nz, int bx, int by)
{
    typedef CUresult (*encode)(
        CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
        const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
        CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    const cuuint64_t sizes[] = {(cuuint64_t)nx, (cuuint64_t)ny, (cuuint64_t)nz},
                     strides[] = {4ull * nx, 4ull * nx * ny};
    const cuuint32_t box[] = {(cuuint32_t)bx, (cuuint32_t)by, 1}, ones[] = {1, 1, 1};
    cudaDriverEntryPointQueryResult found;
    CUtensorMap map;
    void *f = NULL;

    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000,
                                           cudaEnableDefault, &found));
    if (((encode)f)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, (void *)grid, sizes,
                    strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE,
                    CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
        printf("no map of a grid\n");
        exit(1);
    }
    return map;
}
#endif
