/* Command lines: options and values by chance, for each command. The line is parsed in a
 * process that ends before the command begins its work: with a status of lift, never by a
 * signal. */
#include "base/bug.h"
#include "base/memory.h"
#include "base/str.h"
#include "cli/cli.h"
#include "fuzz_world.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 12, OPTIONS = 200 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) void __real___sanitizer_cov_8bit_counters_init(uint8_t *begin,
                                                                     uint8_t *end);
void __wrap___sanitizer_cov_8bit_counters_init(uint8_t *begin, uint8_t *end);
int __real_cli_parse(const struct cli_argp *argp, int argc, char **argv, void *input);
int __wrap_cli_parse(const struct cli_argp *argp, int argc, char **argv, void *input);
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
    return "exitcode=99:detect_leaks=0";
}

const char *__ubsan_default_options(void)
{
    return "halt_on_error=1:exitcode=99";
}

static uint8_t *counters, *counters_end; /* of the coverage; NULL without libFuzzer */

void __wrap___sanitizer_cov_8bit_counters_init(uint8_t *begin, uint8_t *end)
{
    counters = begin;
    counters_end = end;
    __real___sanitizer_cov_8bit_counters_init(begin, end);
}

/* The fuzzer learns from the child's counters: whole pages of the counters become shared
 * memory. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
              begin = ((uintptr_t)counters + page - 1) & ~(page - 1),
              end = (uintptr_t)counters_end & ~(page - 1);
    LIFT_FREED void *counts = NULL;

    (void)argc;
    (void)argv;
    if (!counters)
        return 0;
    LIFT_ASSERT(begin < end);
    counts = malloc(end - begin);
    LIFT_ASSERT(counts);
    memcpy(counts, (void *)begin, end - begin);
    LIFT_ASSERT(mmap((void *)begin, end - begin, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == (void *)begin);
    memcpy((void *)begin, counts, end - begin);
    return 0;
}

/* Nothing of the command is done. */
int __wrap_cli_parse(const struct cli_argp *argp, int argc, char **argv, void *input)
{
    int bad = __real_cli_parse(argp, argc, argv, input);

    _exit(bad ? CLI_USAGE : CLI_DONE);
}

static const struct cli_command *const commands[] = {
    &cli_explore, &cli_devices, &cli_best,  &cli_run,   &cli_show,  &cli_report,
    &cli_check,   &cli_fmt,     &cli_split, &cli_rules, &cli_derive};

struct names {
    const char *name[OPTIONS];
    int count;
};

static void note(void *user, const struct argp_option *option)
{
    struct names *n = user;

    if (option->name && n->count < OPTIONS)
        n->name[n->count++] = option->name;
}

/* A word: an option of the command, with a value or without, or any text. */
static char *word(struct fuzz_input *in, const struct names *names,
                  struct lift_arena *arena)
{
    static const char *const values[] = {
        "1",    "-1",   "0",        "1e400", "9223372036854775808", "nan", "a=1,b=2",
        "1..8", "host", "\xff\xfe", ""};
    uint8_t kind = fuzz_byte(in);
    const char *name = names->name[fuzz_byte(in) % names->count];
    size_t len;

    switch (kind % 5) {
    case 0:
        return lift_arena_printf(arena, "--%s", name);
    case 1:
        return lift_arena_printf(arena, "--%s=%s", name,
                                 values[kind / 5 % (sizeof values / sizeof *values)]);
    case 2:
        return lift_arena_printf(arena, "--%s=%s", name, fuzz_text(in, &len));
    case 3:
        return lift_arena_printf(arena, "-%s", fuzz_text(in, &len));
    default:
        return lift_arena_strdup(arena, fuzz_text(in, &len));
    }
}

/* Before the handlers of the fuzzer, for which an end is a mistake. */
static void leave(int status, void *user)
{
    (void)user;
    _exit(status);
}

static _Noreturn void child(const struct cli_command *command, int argc, char **argv)
{
    int nowhere = open("/dev/null", O_RDWR);

    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    argp_err_exit_status = CLI_USAGE;
    alarm(60);
    on_exit(leave, NULL);
    _exit(command->run(argc, argv));
}

/* libFuzzer's timer interrupts each wait, and restarts none. */
static int wait_for(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) != pid)
        LIFT_ASSERT(errno == EINTR);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct fuzz_input in = {data, size};
    const struct cli_command *command =
        commands[fuzz_byte(&in) % (sizeof commands / sizeof *commands)];
    struct names names = {.count = 0};
    char *argv[WORDS + 2] = {lift_arena_strdup(arena, command->name)};
    int argc = 1, status;
    pid_t pid;

    cli_each_option(command->argp, note, &names);
    while (argc <= WORDS && in.size > 0)
        argv[argc++] = word(&in, &names, arena);
    pid = fork();
    LIFT_ASSERT(pid >= 0);
    if (pid == 0)
        child(command, argc, argv);
    status = wait_for(pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > CLI_USAGE) {
        struct lift_str line = {0};

        for (int i = 0; i < argc; i++)
            lift_str_addf(&line, " '%s'", argv[i]);
        LIFT_BUG("status %#x of lift%s", (unsigned)status, lift_str_get(&line));
    }
    return 0;
}
