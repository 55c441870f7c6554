/* C functions compiled for the interpreter. Functions that are compiled together form
 * one shared object. A process loads the shared object when the process first calls
 * one of the functions. The shared object has each function under a name of lift's
 * own, as in kernels. An entry that takes and returns doubles calls the function:
 * doubles hold every f32, f64 and i32. */
#include "tuner/functions.h"
#include "base/bug.h"
#include "base/locale.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "device/compiler.h"
#include "device/module.h"
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* Strict arithmetic, and no implicit declarations. */
static const char flags[] =
    "-O2 -ffp-contract=off -Werror=implicit-function-declaration -Werror=implicit-int "
    "-Werror=return-type -Wl,-z,defs";

enum { NAME_SIZE = 32 };

typedef void entry(const double *args, double *result);

/* A group of functions that were compiled together. */
struct unit {
    struct lift_str bytes; /* the shared object */
    struct device_module module;
};

struct function {
    const char *text;
    struct lift_user_types head;
    struct unit *unit;
    entry *call; /* NULL: not loaded in this process yet */
};

struct lift_functions {
    struct function *items; /* all are compiled */
    struct unit **units;
    int count, cap, unit_count;
    volatile int *caught; /* shared: one more than the number of the current function */
    double seconds;       /* limit of a call, where calls are guarded; otherwise 0 */
    double alarm_set;     /* by lift_seconds: when the alarm was last set */
};

/* 'caught' of the guarded functions, for the signal handler. */
static volatile int *guarded;

struct lift_functions *lift_functions_create(void)
{
    struct lift_functions *fs = lift_alloc(1, sizeof *fs);

    fs->caught = lift_shared_alloc(sizeof *fs->caught);
    LIFT_ASSERT(fs->caught);
    return fs;
}

void lift_functions_destroy(struct lift_functions *fs)
{
    if (!fs)
        return;
    for (int i = 0; i < fs->unit_count; i++) {
        device_module_unload(&fs->units[i]->module);
        lift_str_fini(&fs->units[i]->bytes);
        free(fs->units[i]);
    }
    if (guarded == fs->caught) {
        signal(SIGALRM, SIG_DFL);
        guarded = NULL;
    }
    lift_shared_free((void *)fs->caught, sizeof *fs->caught);
    free(fs->units);
    free(fs->items);
    free(fs);
}

static int find(const struct lift_functions *fs, const char *text)
{
    int i = 0;

    while (i < fs->count && fs->items[i].text != text &&
           strcmp(fs->items[i].text, text) != 0)
        i++;
    return i;
}

/* ---- compiling */

static int line_of(const char *text, const char *at)
{
    int line = 1;

    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static const char *line_start(const char *text, const char *at)
{
    while (at > text && at[-1] != '\n')
        at--;
    return at;
}

static const char *own_prefix(int number, char out[NAME_SIZE])
{
    snprintf(out, NAME_SIZE, "lift_fn%d_", number);
    return out;
}

/* Appends the function such that compiler messages have its name and its places in
 * the text. */
static void add_function(const struct function *f, int number, struct lift_str *out)
{
    const struct lift_user_types *h = &f->head;
    const char *rest = h->name + h->name_length;
    char prefix[NAME_SIZE];

    lift_str_addf(out, "static %.*s%s%.*s\n", (int)(h->name - f->text), f->text,
                  own_prefix(number, prefix), h->name_length, h->name);
    lift_str_addf(out, "#line %d \"%.*s\"\n%*s%s\n", line_of(f->text, rest),
                  h->name_length, h->name, (int)(rest - line_start(f->text, rest)), "",
                  rest);
}

static void add_entry(const struct function *f, int number, struct lift_str *out)
{
    const struct lift_user_types *h = &f->head;
    char prefix[NAME_SIZE];

    lift_str_addf(out, "#line 1 \"lift\"\nvoid lift_call%d(const double *a, double *r)\n",
                  number);
    lift_str_addf(out, "{\n    *r = %s%.*s(", own_prefix(number, prefix), h->name_length,
                  h->name);
    for (int i = 0; i < h->count; i++)
        lift_str_addf(out, "%s(%s)a[%d]", i ? ", " : "",
                      lift_scalar_name((enum lift_scalar)h->params[i]), i);
    lift_str_add(out, ");\n}\n");
}

/* Writes the functions from number 'first' on, and their entries. */
static void write_unit(const struct lift_functions *fs, int first, struct lift_str *out)
{
    lift_str_add(out, "#include <math.h>\n#include <stdbool.h>\n"
                      "typedef float f32;\ntypedef double f64;\ntypedef int i32;\n");
    for (int i = first; i < fs->count; i++) {
        add_function(&fs->items[i], i, out);
        add_entry(&fs->items[i], i, out);
    }
}

/* Returns the compiler's message about an error in the function of this name, with
 * line and column; NULL if there is none. */
static const char *find_place(const char *words, const struct lift_user_types *h,
                              int *line, int *column)
{
    for (const char *at = words; at; at = strchr(at, '\n')) {
        const char *end;
        int used = 0;

        at += *at == '\n';
        end = at + strcspn(at, "\n");
        if (strncmp(at, h->name, (size_t)h->name_length) != 0 ||
            sscanf(at + h->name_length, ":%d:%d: %n", line, column, &used) != 2 || !used)
            continue;
        at += h->name_length + used;
        if (strstr(at, "error") && strstr(at, "error") < end)
            return at + strcspn(at, ":") + 1 + strspn(at + strcspn(at, ":") + 1, " ");
    }
    return NULL;
}

/* Appends compiler output without the prefixes that lift adds to names. */
static void add_words(const char *words, size_t len, int number, struct lift_str *out)
{
    char prefix[NAME_SIZE];
    size_t skip = strlen(own_prefix(number, prefix));

    for (size_t i = 0; i < len;)
        if (len - i >= skip && memcmp(words + i, prefix, skip) == 0)
            i += skip;
        else
            lift_str_addc(out, words[i++]);
}

/* Describes the compile error of a function. A linker message is quoted without the
 * names of its files. */
static void blame(const struct function *f, int number, const char *words,
                  struct lift_function_fault *fault)
{
    int line = 1, column = 0;
    const char *message = find_place(words, &f->head, &line, &column), *at = f->text;

    fault->text = f->text;
    fault->offset = -1;
    lift_str_addf(&fault->why,
                  "the C function '%.*s' does not compile: ", f->head.name_length,
                  f->head.name);
    message = message ? message : strstr(words, "undefined reference to ");
    if (!message) {
        add_words(words, strlen(words), number, &fault->why);
        return;
    }
    add_words(message, strcspn(message, "\n"), number, &fault->why);
    for (; line > 1 && strchr(at, '\n'); line--)
        at = strchr(at, '\n') + 1;
    if (column > 0 && column - 1 <= (int)strcspn(at, "\n"))
        fault->offset = (int)(at - f->text) + column - 1;
}

static bool build(const struct lift_functions *fs, int first, struct lift_str *bytes,
                  struct lift_error *error)
{
    struct device_compiler compiler;
    LIFT_SCOPED(lift_str) source = {0};
    bool good = device_compiler_find(&compiler, &error->text);

    if (!good) {
        error->code = LIFT_ERROR_DEVICE;
        return false;
    }
    write_unit(fs, first, &source);
    good = device_compiler_build(
        &compiler, &(struct device_text){lift_str_get(&source), flags, NULL}, bytes,
        error);
    device_compiler_fini(&compiler);
    return good;
}

/* Compiles the functions from number 'first' on. */
static bool build_unit(struct lift_functions *fs, int first, struct lift_error *error)
{
    struct unit *u = lift_alloc(1, sizeof *u);

    u->module.fd = -1;
    if (!build(fs, first, &u->bytes, error)) {
        lift_str_fini(&u->bytes);
        free(u);
        return false;
    }
    fs->units = lift_resize(fs->units, (size_t)fs->unit_count + 1, sizeof *fs->units);
    fs->units[fs->unit_count++] = u;
    for (int i = first; i < fs->count; i++)
        fs->items[i].unit = u;
    return true;
}

static void push(struct lift_functions *fs, const char *text)
{
    bool known;

    LIFT_ROOM(fs->items, fs->count, fs->cap);
    fs->items[fs->count] = (struct function){.text = text};
    known = lift_user_types(text, &fs->items[fs->count].head);
    LIFT_ASSERT(known);
    fs->count++;
}

/* Compiles the functions one by one, until the compiler rejects one. */
static bool compile_each(struct lift_functions *fs, const char *const *texts, int count,
                         struct lift_function_fault *fault)
{
    for (int i = 0; i < count; i++) {
        LIFT_SCOPED(lift_error) error = {0};
        int first = fs->count;

        if (find(fs, texts[i]) < fs->count)
            continue;
        push(fs, texts[i]);
        if (build_unit(fs, first, &error))
            continue;
        if (error.code == LIFT_ERROR_DEVICE)
            lift_str_add(&fault->why, lift_str_get(&error.text));
        else
            blame(&fs->items[first], first, lift_str_get(&error.text), fault);
        fs->count = first;
        return false;
    }
    return true;
}

/* Compiles all functions together, which takes hardly longer than compiling one. */
bool lift_functions_compile(struct lift_functions *fs, const char *const *texts,
                            int count, struct lift_function_fault *fault)
{
    LIFT_SCOPED(lift_error) error = {0};
    int first = fs->count;

    *fault = (struct lift_function_fault){.offset = -1};
    for (int i = 0; i < count; i++)
        if (find(fs, texts[i]) == fs->count)
            push(fs, texts[i]);
    if (fs->count == first || build_unit(fs, first, &error))
        return true;
    fs->count = first;
    return compile_each(fs, texts, count, fault);
}

/* ---- calling */

static bool load(struct function *f, int number)
{
    LIFT_SCOPED(lift_error) error = {0};
    char name[NAME_SIZE];
    struct unit *u = f->unit;

    if (!u->module.handle &&
        !device_module_load(u->bytes.data, u->bytes.len, &u->module, &error)) {
        return false;
    }
    snprintf(name, sizeof name, "lift_call%d", number);
    f->call = (entry *)dlsym(u->module.handle, name);
    return f->call != NULL;
}

static double seconds_of_a_call(void)
{
    const char *text = getenv("LIFT_RUN_SECONDS");
    double seconds = text ? lift_strtod(text, NULL) : 0;

    return seconds > 0 ? seconds : 10;
}

static void on_alarm(int signum)
{
    if (*guarded == 0)
        return;
    signal(signum, SIG_DFL);
    raise(signum);
}

void lift_functions_guard(struct lift_functions *fs)
{
    guarded = fs->caught;
    fs->seconds = seconds_of_a_call();
    signal(SIGALRM, on_alarm);
}

/* Sets the alarm rarely, since setting takes longer than most calls. The alarm ends a
 * call that has taken between one and two times the limit. */
static void set_alarm(struct lift_functions *fs)
{
    struct itimerval limit = {.it_value = {.tv_sec = (time_t)(2 * fs->seconds)}};
    double now = lift_seconds();

    if (now - fs->alarm_set < fs->seconds)
        return;
    limit.it_value.tv_usec =
        (suseconds_t)((2 * fs->seconds - floor(2 * fs->seconds)) * 1e6) + 1;
    setitimer(ITIMER_REAL, &limit, NULL);
    fs->alarm_set = now;
}

static void call(struct lift_functions *fs, int number, const double *args,
                 double *result)
{
    if (fs->seconds > 0)
        set_alarm(fs);
    *fs->caught = number + 1;
    fs->items[number].call(args, result);
    *fs->caught = 0;
}

bool lift_functions_call(void *user, const char *text, lift_type result,
                         const struct lift_value *args, int count, struct lift_value *out)
{
    struct lift_functions *fs = user;
    struct lift_function_fault fault;
    int number = find(fs, text);
    double numbers[LIFT_MAX_ARGS], value = 0;

    if (number == fs->count && !lift_functions_compile(fs, &text, 1, &fault)) {
        lift_str_fini(&fault.why);
        return false;
    }
    if (!fs->items[number].call && !load(&fs->items[number], number))
        return false;
    for (int i = 0; i < count; i++)
        numbers[i] = args[i].kind == LIFT_VALUE_FLOAT ? args[i].u.number
                                                      : (double)args[i].u.integer;
    call(fs, number, numbers, &value);
    *out = lift_type_is_float(result) ? lift_value_float(value)
                                      : lift_value_int((int64_t)value);
    return true;
}

const char *lift_functions_caught(const struct lift_functions *fs)
{
    int number = *fs->caught;

    return number > 0 && number <= fs->count ? fs->items[number - 1].text : NULL;
}

void lift_functions_explain(const struct lift_functions *fs,
                            struct lift_worker_result result, struct lift_str *why)
{
    const char *text = lift_functions_caught(fs);
    struct lift_user_types head;

    if (text && lift_user_types(text, &head))
        lift_str_addf(why, "the C function '%.*s' ", head.name_length, head.name);
    else
        lift_str_add(why, "the process that evaluates C functions ");
    if (result.end == LIFT_WORKER_TIMEOUT ||
        (result.end == LIFT_WORKER_CRASHED && result.code == SIGALRM))
        lift_str_addf(why, "did not return within %g s", seconds_of_a_call());
    else if (result.end == LIFT_WORKER_EXITED && result.code < 0)
        lift_str_add(why, "cannot be called: no process could be started for it");
    else if (result.end == LIFT_WORKER_EXITED)
        lift_str_addf(why, "ended its process (exit status %d)", result.code);
    else
        lift_str_addf(why, "%s (signal %d, %s)",
                      result.code == SIGFPE ? "divided by zero" : "crashed", result.code,
                      strsignal(result.code));
}
