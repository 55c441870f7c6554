#include "base/sized.h"
#include "lift/version.h"
#include <string.h>

static bool is_known(const struct lift_sized *kind, size_t size)
{
    for (int i = 0; i < LIFT_SIZED_VERSIONS; i++)
        if (size && kind->sizes[i] == size)
            return true;
    return false;
}

bool lift_sized_take(const struct lift_sized *kind, const void *given, size_t size,
                     void *out, struct lift_error *error)
{
    size_t own = kind->sizes[0];

    memset(out, 0, own);
    if (!given)
        return true;
    if (size < own && !is_known(kind, size))
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "no version of lift has a struct %s of %zu bytes: pass "
                         "sizeof(struct %s), %zu bytes in lift " LIFT_VERSION,
                         kind->name, size, kind->name, own);
    for (size_t i = own; i < size; i++)
        if (((const unsigned char *)given)[i])
            return lift_fail(
                error, LIFT_ERROR_ARGUMENT,
                "struct %s has %zu bytes and sets a member beyond the %zu bytes of "
                "lift " LIFT_VERSION ": the program needs a later version of the library",
                kind->name, size, own);
    memcpy(out, given, size < own ? size : own);
    return true;
}
