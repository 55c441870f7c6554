#include "codegen/text/dialect.h"

static const struct lift_loop_level of_threads[] = {
    {LIFT_MAP_SEQ},
    {LIFT_MAP_UNROLL},
    {LIFT_MAP_PAR, LIFT_AROUND_PAR, .excludes = LIFT_AROUND_SIMD},
    {LIFT_MAP_TASK, LIFT_AROUND_PAR, .excludes = LIFT_AROUND_SIMD},
    {LIFT_MAP_SIMD, LIFT_AROUND_SIMD},
    {LIFT_MAP_VEC, LIFT_AROUND_SIMD},
    {LIFT_OP_COUNT},
};

static const struct lift_loop_level of_groups[] = {
    {LIFT_MAP_SEQ},
    {LIFT_MAP_UNROLL},
    {LIFT_MAP_GLB, LIFT_AROUND_GLB, .excludes = LIFT_AROUND_WRG | LIFT_AROUND_LCL},
    {LIFT_MAP_WRG, LIFT_AROUND_WRG, .excludes = LIFT_AROUND_GLB | LIFT_AROUND_LCL},
    {LIFT_MAP_LCL, LIFT_AROUND_LCL, .excludes = LIFT_AROUND_GLB,
     .within = LIFT_AROUND_WRG},
    {LIFT_OP_COUNT},
};

/* Entries that CUDA and HIP share. */
#define CUDA_AND_HIP                                                                     \
    .headers = "#ifndef INFINITY\n"                                                      \
               "#define INFINITY __int_as_float(0x7f800000)\n"                           \
               "#define NAN __int_as_float(0x7fffffff)\n"                                \
               "#endif\n",                                                               \
    .function = "extern \"C\" __global__ ", .input = "const ", .output = "",             \
    .restrict_word = "__restrict__ ",                                                    \
    .group_size = "__launch_bounds__(%zu * %zu * %zu%s) ", .levels = of_groups,          \
    .barrier = "__syncthreads();", .group = {"blockIdx.x", "blockIdx.y", "blockIdx.z"},  \
    .item = {"threadIdx.x", "threadIdx.y", "threadIdx.z"}, .local_at_top = true,         \
    .suffix_f32 = true, .helper = "static __device__ inline ", .global = ""

const struct dialect cg_dialects[] = {
    [LIFT_DIALECT_OPENMP] =
        {
            .headers = "#include <math.h>\n#include <stdbool.h>\n",
            .function = "",
            .input = "const ",
            .output = "",
            .restrict_word = "restrict ",
            .levels = of_threads,
            .barrier = "",
            .local_array = "__attribute__((aligned(64))) ",
            .suffix_f32 = true,
            .folds_zero = true,
            .lane_functions = true,
            .helper = "static inline ",
            .call_entry = true,
            .storage = CG_THREADS_F16_TO,
        },
    [LIFT_DIALECT_OPENCL] =
        {
            .headers = "",
            .function = "__kernel ",
            .input = "__global const ",
            .output = "__global ",
            .restrict_word = "restrict ",
            .group_size = "__attribute__((reqd_work_group_size(%zu, %zu, %zu))) ",
            .levels = of_groups,
            .barrier = "barrier(CLK_LOCAL_MEM_FENCE);",
            .item_loops = true,
            .work_item = {"get_global_id(0)", "get_global_id(1)", "get_global_id(2)"},
            .group = {"get_group_id(0)", "get_group_id(1)", "get_group_id(2)"},
            .item = {"get_local_id(0)", "get_local_id(1)", "get_local_id(2)"},
            .local_array = "__local ",
            .local_space = "__local ",
            .local_at_top = true,
            .helper = "",
            .vectors = VECTORS_OPENCL,
            .global = "__global ",
            .nontemporal_store = "__builtin_nontemporal_store(",
            .nontemporal_load = "__builtin_nontemporal_load(",
            .storage = CG_OPENCL_F16_TO,
        },
    [LIFT_DIALECT_CUDA] = {CUDA_AND_HIP, .async_copies = true, .barrier_parts = true,
                           .beside = {"__shfl_down_sync(0xffffffffu, ",
                                      "__shfl_up_sync(0xffffffffu, ", ")"},
                           .any_of_row = {"__any_sync(0xffffffffu, ", ")"},
                           .local_array = "__shared__ __align__(128) ",
                           .static_local = 48 * 1024, .vectors = VECTORS_CUDA,
                           .minmax = "#define LIFT_MIN(a, b) min((int)(a), (int)(b))\n"
                                     "#define LIFT_MAX(a, b) max((int)(a), (int)(b))\n",
                           .nontemporal_store = "lift_store_once(",
                           .nontemporal_load = "lift_load_once(",
                           .storage = CG_CUDA_F16_TO},
    /* HIP kernels may declare all local memory. The compiler is clang, which has vector
     * types. */
    [LIFT_DIALECT_HIP] = {CUDA_AND_HIP, .wave_units = 4,
                          .beside = {"__shfl_down(", "__shfl_up(", ", 32)"},
                          .any_of_row = {"__any(", ")"},
                          .local_array = "__shared__ __attribute__((aligned(128))) ",
                          .vectors = VECTORS_GCC,
                          .nontemporal_store = "__builtin_nontemporal_store(",
                          .nontemporal_load = "__builtin_nontemporal_load(",
                          .storage = CG_HIP_F16_TO},
};

bool lift_dialect_has_groups(enum lift_dialect dialect)
{
    return *cg_dialects[dialect].barrier;
}

bool lift_dialect_copies_asynchronously(enum lift_dialect dialect)
{
    return cg_dialects[dialect].async_copies;
}

const struct lift_loop_level *lift_dialect_level(enum lift_dialect dialect,
                                                 enum lift_op op)
{
    for (const struct lift_loop_level *l = cg_dialects[dialect].levels;
         l->op != LIFT_OP_COUNT; l++)
        if (l->op == op)
            return l;
    return NULL;
}

unsigned lift_level_bit(const struct lift_loop_level *level, lift_expr map)
{
    return (level->bits & -level->bits) << lift_map_dim(map);
}

const char *lift_level_misplaced(const struct lift_loop_level *level, lift_expr map,
                                 unsigned around)
{
    if (around & (level->excludes | lift_level_bit(level, map)))
        return "inside a level that excludes it";
    if (level->within && !(around & level->within))
        return "outside 'mapWrg'";
    return NULL;
}

int64_t cg_local_start(int64_t used)
{
    return (used + CG_LOCAL_ALIGN - 1) / CG_LOCAL_ALIGN * CG_LOCAL_ALIGN;
}
