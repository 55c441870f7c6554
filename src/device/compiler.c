#include "device/compiler.h"
#include "base/fail.h"
#include "base/locale.h"
#include "base/memory.h"
#include "device/device_t.h"
#include "device/findings.h"
#include "device/process.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double default_seconds = 60;

#define DIGITS(number) #number
#define FLAG(name, number) (name DIGITS(number))
#define FRAME_LIMIT FLAG("-Wframe-larger-than=", DEVICE_FRAME_BYTES)

static const char *const fixed_flags[] = {"-O3",        "-fopenmp",  "-fPIC", "-shared",
                                          "-std=gnu17", FRAME_LIMIT, "-x",    "c"};
enum { FIXED_FLAGS = sizeof fixed_flags / sizeof fixed_flags[0] };

/* A list of words that ends with NULL. */
struct words {
    char **at;
    int count, cap;
};

static void words_add(struct words *words, const char *text, size_t len)
{
    if (words->count + 2 > words->cap) {
        words->cap = words->cap * 2 + 16;
        words->at = lift_resize(words->at, (size_t)words->cap, sizeof *words->at);
    }
    words->at[words->count] = lift_strndup(text, len);
    words->at[++words->count] = NULL;
}

static void words_split(struct words *words, const char *text)
{
    static const char blanks[] = " \t\n";

    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t len = strcspn(text, blanks);

        words_add(words, text, len);
        text += len;
    }
}

static void words_fini(char **at)
{
    for (char **word = at; word && *word; word++)
        free(*word);
    free(at);
}

/* Finds the file of a program. Returns false if there is none. */
static bool find_file(const char *program, struct lift_str *file)
{
    const char *path = getenv("PATH");
    bool found = strchr(program, '/') != NULL;

    if (found)
        lift_str_add(file, program);
    for (path = path ? path : "/usr/bin:/bin"; *path && !found;) {
        size_t len = strcspn(path, ":");

        lift_str_clear(file);
        lift_str_addf(file, "%.*s/%s", (int)len, len ? path : ".", program);
        found = access(lift_str_get(file), X_OK) == 0;
        path += len + (path[len] == ':');
    }
    return found && access(lift_str_get(file), X_OK) == 0;
}

static bool is_on_path(const char *program)
{
    LIFT_SCOPED(lift_str) file = {0};

    return find_file(program, &file);
}

/* Returns the user's compiler command; NULL: the user chose none. */
static const char *wanted_command(void)
{
    static const char *const variables[] = {"LIFT_CC", "CC"};

    for (int i = 0; i < 2; i++) {
        const char *value = getenv(variables[i]);

        if (value && value[strspn(value, " \t")])
            return value;
    }
    return NULL;
}

static const char *choose_command(struct lift_str *why)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *wanted = wanted_command();

    if (wanted)
        return wanted;
    for (int i = 0; i < 3; i++)
        if (is_on_path(usual[i]))
            return usual[i];
    lift_str_add(why, "no C compiler: none of cc, gcc, clang is on PATH; set LIFT_CC");
    return NULL;
}

static double time_limit(void)
{
    const char *text = getenv("LIFT_CC_SECONDS");
    double seconds = text ? lift_strtod(text, NULL) : 0;

    return seconds > 0 ? seconds : default_seconds;
}

bool device_compiler_find(struct device_compiler *compiler, struct lift_str *why)
{
    const char *command = choose_command(why);

    *compiler = (struct device_compiler){0};
    return command && device_compiler_find_cross(compiler, command, "-march=native", why);
}

bool device_compiler_find_cross(struct device_compiler *compiler, const char *command,
                                const char *machine, struct lift_str *why)
{
    struct words words = {0};

    *compiler = (struct device_compiler){.machine = machine, .seconds = time_limit()};
    words_split(&words, command);
    compiler->words = words.at;
    compiler->count = words.count;
    if (is_on_path(words.at[0]))
        return true;
    lift_str_addf(why, "no C compiler: cannot find '%s'", words.at[0]);
    device_compiler_fini(compiler);
    return false;
}

void device_compiler_fini(struct device_compiler *compiler)
{
    words_fini(compiler->words);
    lift_str_fini(&compiler->version);
    *compiler = (struct device_compiler){0};
}

/* Describes a failed run of the compiler in 'why'. Returns false if the run succeeded. */
static bool explain_end(const struct device_compiler *compiler,
                        struct device_run_result result, struct lift_str *why)
{
    const char *name = compiler->words[0];

    switch (result.end) {
    case DEVICE_RUN_EXITED:
        if (result.code == 0)
            return false;
        lift_str_addf(why, "'%s' failed with exit status %d", name, result.code);
        break;
    case DEVICE_RUN_KILLED:
        lift_str_addf(why, "'%s' was ended by signal %d", name, result.code);
        break;
    case DEVICE_RUN_TIMEOUT:
        lift_str_addf(why, "'%s' was ended after the time limit of %g s", name,
                      compiler->seconds);
        break;
    case DEVICE_RUN_FAILED:
        lift_str_addf(why, "cannot run '%s': %s", name, strerror(result.code));
        break;
    }
    return true;
}

/* Joins the command and the question in one line; 'file' receives the program's path. */
static void ask(const struct device_compiler *compiler, const char *what,
                struct lift_str *question, struct lift_str *file)
{
    for (int i = 0; i < compiler->count; i++)
        lift_str_addf(question, "%s ", compiler->words[i]);
    lift_str_add(question, what);
    find_file(compiler->words[0], file);
}

static bool ask_version(struct device_compiler *compiler, struct lift_str *why)
{
    struct words words = {0};
    LIFT_SCOPED(lift_str) output = {0};
    struct device_run_result result;
    bool bad;

    for (int i = 0; i < compiler->count; i++)
        words_add(&words, compiler->words[i], strlen(compiler->words[i]));
    words_split(&words, "--version");
    result = device_run(words.at, NULL, compiler->seconds, &output);
    bad = explain_end(compiler, result, why);
    if (!bad)
        lift_str_addn(&compiler->version, lift_str_get(&output),
                      strcspn(lift_str_get(&output), "\n"));
    words_fini(words.at);
    return !bad;
}

bool device_compiler_probe(struct device_compiler *compiler, struct lift_str *why)
{
    LIFT_SCOPED(lift_str) question = {0}, file = {0};
    bool good = true;

    ask(compiler, "--version", &question, &file);
    if (!device_findings_get(lift_str_get(&question), lift_str_get(&file),
                             &compiler->version)) {
        good = ask_version(compiler, why);
        if (good)
            device_findings_keep(lift_str_get(&question), lift_str_get(&file),
                                 lift_str_get(&compiler->version));
    }
    compiler->kind =
        strstr(lift_str_get(&compiler->version), "clang") ? LIFT_CLANG : LIFT_GCC;
    return good;
}

static bool write_source(const char *path, const char *source)
{
    FILE *file = fopen(path, "we");
    bool good;

    if (!file)
        return false;
    good = fputs(source, file) >= 0;
    return fclose(file) == 0 && good;
}

/* ---- another compiler */

/* The program exits with 0 if the pragma makes threads: a compiler may ignore the pragma,
 * and the OpenMP library may be absent. */
static const char threads_source[] =
    "#include <omp.h>\n"
    "int main(void)\n"
    "{\n"
    "    int threads = 0;\n"
    "#pragma omp parallel num_threads(2) reduction(+ : threads)\n"
    "    threads += 1;\n"
    "    return threads != 2 && omp_get_thread_limit() > 1;\n"
    "}\n";

static bool runs_well(const struct device_compiler *compiler, struct words *words,
                      const struct device_folder *folder)
{
    LIFT_SCOPED(lift_str) output = {0};
    struct device_run_result r =
        device_run(words->at, folder, compiler->seconds, &output);

    words_fini(words->at);
    return r.end == DEVICE_RUN_EXITED && r.code == 0;
}

static bool compile_threads(const struct device_compiler *compiler)
{
    struct words compile = {0}, run = {0};
    struct device_folder folder;
    bool good;

    if (!device_folder_create(&folder))
        return false;
    for (int i = 0; i < compiler->count; i++)
        words_add(&compile, compiler->words[i], strlen(compiler->words[i]));
    words_split(&compile, "-fopenmp -x c -o");
    words_add(&compile, folder.module, strlen(folder.module));
    words_add(&compile, folder.source, strlen(folder.source));
    good = write_source(folder.source, threads_source);
    good = runs_well(compiler, &compile, &folder) && good;
    words_add(&run, folder.module, strlen(folder.module));
    good = runs_well(compiler, &run, &folder) && good;
    device_folder_remove(&folder);
    return good;
}

static bool makes_threads(const struct device_compiler *compiler)
{
    LIFT_SCOPED(lift_str) question = {0}, file = {0}, answer = {0};
    bool good;

    ask(compiler, "-fopenmp", &question, &file);
    if (device_findings_get(lift_str_get(&question), lift_str_get(&file), &answer))
        return true;
    good = compile_threads(compiler);
    if (good)
        device_findings_keep(lift_str_get(&question), lift_str_get(&file), "yes");
    return good;
}

bool device_compiler_find_other(const struct device_compiler *first,
                                struct device_compiler *other)
{
    const char *command =
        lift_compiler_name(first->kind == LIFT_GCC ? LIFT_CLANG : LIFT_GCC);
    LIFT_SCOPED(lift_str) why = {0};
    bool good = false;

    *other = (struct device_compiler){0};
    if (!wanted_command())
        good = device_compiler_find_cross(other, command, first->machine, &why) &&
               device_compiler_probe(other, &why) && other->kind != first->kind &&
               makes_threads(other);
    if (!good)
        device_compiler_fini(other);
    return good;
}

/* ---- names */

static const char *const names[LIFT_COMPILERS] = {"cc", "gcc", "clang"};
static const char named[] = "compiler=";

const char *lift_compiler_name(enum lift_compiler compiler)
{
    return names[compiler];
}

enum lift_compiler lift_compiler_named(const char *options, const char **rest)
{
    const char *at = options + strlen(named);
    size_t len;

    *rest = options;
    if (strncmp(options, named, strlen(named)) != 0)
        return LIFT_COMPILER_ANY;
    len = strcspn(at, " ");
    for (int i = LIFT_GCC; i < LIFT_COMPILERS; i++)
        if (strlen(names[i]) == len && strncmp(at, names[i], len) == 0) {
            *rest = at + len + strspn(at + len, " ");
            return (enum lift_compiler)i;
        }
    return LIFT_COMPILER_ANY;
}

void device_compiler_describe(const struct device_compiler *compiler,
                              struct lift_str *out)
{
    static const char *const variables[] = {
        "PATH",          "CPATH",           "C_INCLUDE_PATH", "LIBRARY_PATH",
        "COMPILER_PATH", "GCC_EXEC_PREFIX", "LIFT_TEST_LEVEL"};
    LIFT_SCOPED(lift_str) file = {0};
    struct stat now;

    ask(compiler, compiler->machine, out, &file);
    lift_str_addf(out, "\n%s %s", lift_str_get(&compiler->version), lift_str_get(&file));
    if (stat(lift_str_get(&file), &now) == 0)
        lift_str_addf(out, " %llu %lld %lld.%09ld", (unsigned long long)now.st_ino,
                      (long long)now.st_size, (long long)now.st_mtim.tv_sec,
                      now.st_mtim.tv_nsec);
    for (int i = 0; i < FIXED_FLAGS; i++)
        lift_str_addf(out, " %s", fixed_flags[i]);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        lift_str_addf(out, "\n%s=%s", variables[i],
                      getenv(variables[i]) ? getenv(variables[i]) : "");
    lift_str_addc(out, '\n');
}

/* ---- compiling */

static struct device_run_result run_compiler(const struct device_compiler *compiler,
                                             const struct device_folder *folder,
                                             const char *options, struct lift_str *output)
{
    struct words words = {0};
    struct device_run_result result;

    for (int i = 0; i < compiler->count; i++)
        words_add(&words, compiler->words[i], strlen(compiler->words[i]));
    for (int i = 0; i < FIXED_FLAGS; i++)
        words_add(&words, fixed_flags[i], strlen(fixed_flags[i]));
    words_split(&words, compiler->machine);
    words_split(&words, options);
    words_add(&words, folder->source, strlen(folder->source));
    words_add(&words, "-o", 2);
    words_add(&words, folder->module, strlen(folder->module));
    words_add(&words, "-lm", 3);
    result = device_run(words.at, folder, compiler->seconds, output);
    words_fini(words.at);
    return result;
}

/* Compiles into folder->module; 'output' gets the compiler's messages. */
static bool compile(const struct device_compiler *compiler, struct device_folder *folder,
                    const char *source, const char *options, struct lift_str *output)
{
    LIFT_SCOPED(lift_str) why = {0};
    bool bad;

    if (!write_source(folder->source, source))
        return LIFT_FAIL(output, "cannot write '%s': %s", folder->source,
                         strerror(errno));
    bad = explain_end(compiler, run_compiler(compiler, folder, options, output), &why);
    if (bad && output->len)
        lift_str_add(&why, ":\n");
    if (bad) {
        lift_str_addn(&why, lift_str_get(output), output->len);
        lift_str_clear(output);
        lift_str_addn(output, why.data, why.len);
    }
    return !bad;
}

/* Clang without its OpenMP library fails on any source: distinguishes this failure from a
 * wrong source. */
static void explain_openmp(const struct device_compiler *compiler,
                           struct lift_str *output)
{
    struct device_folder folder;
    LIFT_SCOPED(lift_str) ignored = {0};

    if (!strstr(lift_str_get(output), "omp") || !device_folder_create(&folder))
        return;
    if (!compile(compiler, &folder, "#include <omp.h>\nint lift_probe;\n", "", &ignored))
        lift_str_addf(
            output,
            "\n'%s' cannot compile for OpenMP here: -fopenmp fails on any source "
            "(clang needs libomp)",
            compiler->words[0]);
    device_folder_remove(&folder);
}

/* Returns the compiler's message, without the file name, about too little memory or about
 * a stack frame too large for a thread; otherwise NULL. The kernel kills a compiler, or a
 * program that the compiler runs, when memory runs out. */
static char *find_too_much(const char *output)
{
    static const char *const words[] = {
        "frame-larger-than",        "out of memory",
        "virtual memory exhausted", "bad_alloc",
        "File size limit exceeded", "was ended by signal 9",
        "Killed signal terminated", "unable to execute command: Killed"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at = strstr(output, words[i]), *end = at, *colon;

        if (!at)
            continue;
        while (at > output && at[-1] != '\n')
            at--;
        end += strcspn(end, "\n");
        colon = strstr(at, "warning: ");
        at = colon && colon < end ? colon + strlen("warning: ") : at;
        return lift_strndup(at, (size_t)(end - at));
    }
    return NULL;
}

static bool build_in(const struct device_compiler *compiler, struct device_folder *folder,
                     const struct device_text *text, struct lift_str *module,
                     struct lift_error *error)
{
    LIFT_SCOPED(lift_str) output = {0};
    bool good = compile(compiler, folder, text->source, text->options, &output);

    LIFT_FREED char *much = find_too_much(lift_str_get(&output));

    if (much) {
        good = lift_fail(error, LIFT_ERROR_RESOURCE, "the compiler says: %s", much);
    } else if (!good) {
        explain_openmp(compiler, &output);
        lift_fail(error, LIFT_ERROR_COMPILE, "%s", lift_str_get(&output));
    } else if (!device_read_text(folder->module, module)) {
        good = lift_fail(error, LIFT_ERROR_COMPILE, "cannot read '%s': %s",
                         folder->module, strerror(errno));
    }
    if (text->log)
        lift_str_addn(text->log, lift_str_get(&output), output.len);
    return good;
}

bool device_compiler_build(const struct device_compiler *compiler,
                           const struct device_text *text, struct lift_str *module,
                           struct lift_error *error)
{
    struct device_folder folder;
    bool good;

    if (!device_folder_create(&folder))
        return lift_fail(error, LIFT_ERROR_DEVICE, "cannot create a temporary folder: %s",
                         strerror(errno));
    good = build_in(compiler, &folder, text, module, error);
    device_folder_remove(&folder);
    return good;
}
