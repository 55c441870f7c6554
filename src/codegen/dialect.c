#include "dialect.h"

const struct dialect cg_dialects[] = {
    [LIFT_DIALECT_OPENMP] =
        {
            .headers = "#include <math.h>\n#include <stdbool.h>\n",
            .function = "void ",
            .input = "const ",
            .output = "",
            .restrict_word = "restrict ",
            .barrier = "",
            .ids = {"", "", ""},
            .local_array = "__attribute__((aligned(64))) ",
            .suffix_f32 = true,
            .helper = "static inline ",
            .call_entry = true,
        },
    [LIFT_DIALECT_OPENCL] =
        {
            .headers = "",
            .function = "__kernel void ",
            .input = "__global const ",
            .output = "__global ",
            .restrict_word = "restrict ",
            .group_size = "__attribute__((reqd_work_group_size(%zu, %zu, %zu)))\n",
            .barrier = "barrier(CLK_LOCAL_MEM_FENCE);",
            .ids = {"get_global_id(%d)", "get_group_id(%d)", "get_local_id(%d)"},
            .local_array = "__local ",
            .local_at_top = true,
            .helper = "",
            .opencl_vectors = true,
            .global = "__global ",
        },
};
