/* Loads optional libraries: first by name, then from the usual folders of toolkits. */
#include "base/fail.h"
#include "base/memory.h"
#include "device/gpu/gpu.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Replaces "$NAME" at the beginning by the variable's value. Returns false if the
 * variable is not set. */
static bool expand(const char *folder, struct lift_str *out)
{
    size_t len = strcspn(folder, "/");
    char *name;
    const char *value;

    lift_str_clear(out);
    if (folder[0] != '$') {
        lift_str_add(out, folder);
        return true;
    }
    name = lift_strndup(folder + 1, len - 1);
    value = getenv(name);
    free(name);
    if (value && *value)
        lift_str_addf(out, "%s%s", value, folder + len);
    return out->len > 0;
}

static void *open_in(const char *folder, const char *const *names)
{
    LIFT_SCOPED(lift_str) path = {0};
    void *handle = NULL;

    for (; *names && !handle && expand(folder, &path); names++) {
        lift_str_addf(&path, "/%s", *names);
        handle = dlopen(lift_str_get(&path), RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

static void *open_library(const struct gpu_library *library)
{
    void *handle = NULL;

    for (int i = 0; library->names[i] && !handle; i++)
        handle = dlopen(library->names[i], RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; library->folders[i] && !handle; i++)
        handle = open_in(library->folders[i], library->names);
    return handle;
}

/* Returns the last name, which has no version. */
static const char *last_of(const char *const *names)
{
    while (names[1])
        names++;
    return *names;
}

bool gpu_library_open(const struct gpu_library *library, void *table,
                      struct lift_str *why)
{
    void *handle = open_library(library);

    if (!handle)
        return LIFT_FAIL(why, "%s is not installed: no library '%s'", library->what,
                         last_of(library->names));
    for (const struct gpu_symbol *s = library->symbols; s->names[0] || s->names[1]; s++) {
        const char *name = s->names[library->of];
        void *found = name ? dlsym(handle, name) : NULL;

        if (name && !found && !s->optional)
            return LIFT_FAIL(why, "%s is too old: it has no '%s'", library->what, name);
        memcpy((char *)table + s->offset, &found, sizeof found);
    }
    return true;
}
