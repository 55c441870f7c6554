/* Bytes as a .npy file: each is rejected with a reason, or its header is written and read
 * again to the same. */
#include "base/bug.h"
#include "run/npy.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The elements are zeros here. */
static void read_again(const struct npy *npy)
{
    struct lift_str file = {0}, why = {0};
    struct npy again;
    char *whole;

    npy_write(npy, &file);
    whole = calloc(1, file.len + npy->bytes);
    LIFT_ASSERT(whole);
    memcpy(whole, file.data, file.len);
    if (!npy_read(whole, file.len + npy->bytes, &again, &why))
        LIFT_BUG("written and not read: %s", lift_str_get(&why));
    LIFT_ASSERT(again.scalar == npy->scalar && again.dims == npy->dims &&
                again.bytes == npy->bytes);
    LIFT_ASSERT(
        !memcmp(again.length, npy->length, sizeof *npy->length * (size_t)npy->dims));
    free(whole);
    lift_str_fini(&file);
    lift_str_fini(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *file = malloc(size + (size == 0)); /* the sanitizer sees its end */
    struct lift_str why = {0};
    struct npy npy;

    LIFT_ASSERT(file);
    if (size)
        memcpy(file, data, size);
    if (npy_read(file, size, &npy, &why)) {
        int64_t bytes = lift_scalar_bytes(npy.scalar);

        for (int i = 0; i < npy.dims; i++)
            bytes *= npy.length[i];
        LIFT_ASSERT(npy.dims <= NPY_DIMS && npy.begin + npy.bytes == size &&
                    bytes == (int64_t)npy.bytes);
        read_again(&npy);
    } else {
        LIFT_ASSERT(why.len > 0);
    }
    lift_str_fini(&why);
    free(file);
    return 0;
}
