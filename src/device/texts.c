#include "device/texts.h"
#include "base/bug.h"
#include <string.h>

const char *device_text(const char *name)
{
    for (const struct device_texts *t = device_texts; t->name; t++)
        if (strcmp(t->name, name) == 0)
            return t->text;
    LIFT_BUG("no text '%s'", name);
}

const char *device_prelude(enum lift_dialect dialect)
{
    static const char *const names[] = {[LIFT_DIALECT_OPENMP] = "openmp_prelude.inc",
                                        [LIFT_DIALECT_OPENCL] = "opencl_prelude.inc",
                                        [LIFT_DIALECT_CUDA] = "cuda_prelude.inc",
                                        [LIFT_DIALECT_HIP] = "cuda_prelude.inc"};

    return device_text(names[dialect]);
}
