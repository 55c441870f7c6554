/* Compiling needs the compiler's library and the device's architecture, not the device:
 * the first launch of a kernel loads the binary. The binary includes the compiler's log,
 * which may have registers and spills. */
#include "base/bug.h"
#include "base/locale.h"
#include "base/memory.h"
#include "device/device_t.h"
#include "device/gpu/gpu_device.h"
#include "device/process.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 64 };

static bool check_compiler(const struct gpu_device *g, struct lift_error *error, int code)
{
    return code == 0 || lift_fail(error, LIFT_ERROR_COMPILE, "%s: %s",
                                  g->kind->compiler.what, g->compiler.error_text(code));
}

/* Splits at blanks, in place. */
static int split(char *text, const char *options[MAX_OPTIONS])
{
    int count = 0;

    for (char *at = strtok(text, " "); at; at = strtok(NULL, " ")) {
        LIFT_ASSERT(count < MAX_OPTIONS);
        options[count++] = at;
    }
    return count;
}

static void read_log(const struct gpu_device *g, gpu_program program,
                     struct lift_str *out)
{
    size_t size = 0;
    char *text;

    if (g->compiler.log_size(program, &size) != 0 || size <= 1)
        return;
    text = lift_alloc(size + 1, 1);
    if (g->compiler.log(program, text) == 0)
        lift_str_add(out, text);
    free(text);
}

static bool read_code(const struct gpu_device *g, gpu_program program,
                      struct lift_str *out, struct lift_error *error)
{
    size_t size = 0;
    char *code;
    bool good;

    if (!check_compiler(g, error, g->compiler.code_size(program, &size)))
        return false;
    if (size == 0)
        return lift_fail(error, LIFT_ERROR_COMPILE, "%s makes no code for '%s'",
                         g->kind->compiler.what, lift_str_get(&g->arch));
    code = lift_resize(NULL, 1, size);
    good = check_compiler(g, error, g->compiler.code(program, code));
    if (good)
        lift_str_addn(out, code, size);
    free(code);
    return good;
}

static int compile(const struct gpu_device *g, gpu_program program, const char *options)
{
    LIFT_IN_C_LOCALE; /* NVRTC parses numbers by the locale */
    LIFT_SCOPED(lift_str) text = {0};
    const char *list[MAX_OPTIONS];

    g->kind->options(lift_str_get(&g->arch), &text);
    lift_str_add(&text, options);
    return g->compiler.compile(program, split(text.data, list), list);
}

/* Compiles in a temporary folder. If this process is killed, a later start of lift
 * removes the folder. */
static int compile_in_folder(const struct gpu_device *g, gpu_program program,
                             const char *options)
{
    const char *before = getenv("TMPDIR");
    LIFT_FREED char *kept = before ? lift_strdup(before) : NULL;
    struct device_folder folder;
    int code;

    if (!device_folder_create(&folder))
        return compile(g, program, options);
    setenv("TMPDIR", folder.path, 1);
    code = compile(g, program, options);
    if (kept)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    device_folder_remove(&folder);
    return code;
}

static bool build_program(const struct gpu_device *g, gpu_program program,
                          const char *options, struct lift_binary *out,
                          struct lift_error *error)
{
    int code = g->kind->leaves_files ? compile_in_folder(g, program, options)
                                     : compile(g, program, options);

    read_log(g, program, &out->log);
    if (check_compiler(g, error, code))
        return read_code(g, program, &out->code, error);
    if (error && out->log.len)
        lift_fail_more(error, ":\n%s", lift_str_get(&out->log));
    return false;
}

struct lift_binary *gpu_build(struct lift_device *device, const char *source,
                              const char *options, struct lift_str *log,
                              struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);
    struct lift_binary *binary;
    gpu_program program;
    bool good;

    if (!check_compiler(
            g, error,
            g->compiler.create(&program, source, g->kind->source_name, 0, NULL, NULL)))
        return NULL;
    binary = lift_alloc(1, sizeof *binary);
    good = build_program(g, program, options, binary, error);
    g->compiler.destroy(&program);
    if (log)
        lift_str_addn(log, lift_str_get(&binary->log), binary->log.len);
    if (good)
        return binary;
    gpu_unload(device, binary);
    return NULL;
}

/* The saved bytes are the log, a NUL, and the code. */
bool gpu_save(struct lift_device *device, struct lift_binary *binary,
              struct lift_str *out, struct lift_error *error)
{
    (void)device, (void)error;
    lift_str_addn(out, lift_str_get(&binary->log), binary->log.len + 1);
    lift_str_addn(out, binary->code.data, binary->code.len);
    return true;
}

static bool load_module(struct gpu_device *g, struct lift_binary *binary,
                        enum lift_error_code kind, struct lift_error *error)
{
    return gpu_enter(g, error) &&
           (binary->module ||
            gpu_check(g, error, kind, "ModuleLoadData",
                      g->driver.load(&binary->module, binary->code.data)));
}

struct lift_binary *gpu_load(struct lift_device *device, const void *data, size_t size,
                             struct lift_error *error)
{
    struct lift_binary *binary = lift_alloc(1, sizeof *binary);
    size_t log = strnlen(data, size);

    LIFT_ASSERT(log + 1 < size);
    lift_str_addn(&binary->log, data, log);
    lift_str_addn(&binary->code, (const char *)data + log + 1, size - log - 1);
    if (load_module(gpu_of(device), binary, LIFT_ERROR_COMPILE, error))
        return binary;
    gpu_unload(device, binary);
    return NULL;
}

void gpu_unload(struct lift_device *device, struct lift_binary *binary)
{
    struct gpu_function_entry *f, *next;

    if (!binary)
        return;
    for (f = binary->functions; f; f = next) {
        next = f->next;
        free(f->name);
        free(f);
    }
    if (binary->module)
        gpu_of(device)->driver.unload(binary->module);
    lift_str_fini(&binary->code);
    lift_str_fini(&binary->log);
    free(binary);
}

struct lift_resources gpu_resources(struct lift_device *device,
                                    struct lift_binary *binary, const char *kernel)
{
    struct lift_resources r = LIFT_RESOURCES_UNKNOWN;

    gpu_of(device)->kind->resources(&binary->code, lift_str_get(&binary->log), kernel,
                                    &r);
    return r;
}

gpu_function gpu_find_function(struct gpu_device *g, struct lift_binary *binary,
                               const char *name, struct lift_error *error)
{
    struct gpu_function_entry *f;
    gpu_function function;

    for (f = binary->functions; f; f = f->next)
        if (strcmp(f->name, name) == 0)
            return f->function;
    if (!load_module(g, binary, LIFT_ERROR_LAUNCH, error))
        return NULL;
    if (!gpu_check(g, error, LIFT_ERROR_LAUNCH, "ModuleGetFunction",
                   g->driver.function(&function, binary->module, name))) {
        if (error)
            lift_fail_more(error, " for kernel '%s'", name);
        return NULL;
    }
    f = lift_alloc(1, sizeof *f);
    *f = (struct gpu_function_entry){lift_strdup(name), function, binary->functions};
    binary->functions = f;
    return function;
}
