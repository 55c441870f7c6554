#include "device/gpu/gpu.h"
#include <stddef.h>

#define ROW(of, member, cuda, hip, optional)                                             \
    {                                                                                    \
        {cuda, hip}, offsetof(struct of, member), optional                               \
    }

#define SYMBOL(member, cuda, hip, ...) ROW(gpu_driver, member, cuda, hip, false),
#define NEWER(member, cuda, hip, ...) ROW(gpu_driver, member, cuda, hip, true),
const struct gpu_symbol gpu_driver_symbols[] = {
#include "device/gpu/gpu_driver.def"
    {{NULL}, 0, false},
};
#undef SYMBOL

#define SYMBOL(member, cuda, hip, ...) ROW(gpu_compiler, member, cuda, hip, false),
const struct gpu_symbol gpu_compiler_symbols[] = {
#include "device/gpu/gpu_compiler.def"
    {{NULL}, 0, false},
};
