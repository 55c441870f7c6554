/* A valid database with bits flipped, in its header and at random places.
 * Every command that reads a database must end, by an answer or an error:
 *   flip_db [COUNT [SEED]]
 * The same arguments flip the same bits. Prints TAP; exit status 1 if a command crashed
 * or did not end. */
#include "base/bug.h"
#include "base/memory.h"
#include "base/rng.h"
#include "fuzz_world.h"
#include "patience.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEADER = 100, PAGE = 4096, SIGN_OF_VERSION = 60 * 8 + 7 };

static void flip(char *bytes, size_t at, unsigned bit, struct lift_str *what)
{
    bytes[at] = (char)(bytes[at] ^ 1 << bit);
    lift_str_addf(what, " byte %zu bit %u", at, bit);
}

/* Half of the files have one bit of the header flipped: all of them, after some time. The
 * others have up to three bits flipped, more often in the header of a page. */
static void damage(char *bytes, size_t len, int number, struct lift_rng *rng,
                   struct lift_str *what)
{
    unsigned bit = (unsigned)(SIGN_OF_VERSION + number / 2 * 37) % (HEADER * 8);

    if (number % 2 == 0)
        flip(bytes, bit / 8, bit % 8, what);
    else
        for (uint64_t k = 1 + lift_rng_below(rng, 3); k > 0; k--) {
            size_t at = (size_t)lift_rng_below(rng, len);

            if (lift_rng_below(rng, 2))
                at = at / PAGE * PAGE + at % 64;
            flip(bytes, at, (unsigned)lift_rng_below(rng, 8), what);
        }
}

/* A command that loops takes processor time, one that waits does not: other processes may
 * keep a machine busy. */
static void limit_time(void)
{
    struct rlimit most = {(rlim_t)patient(60), (rlim_t)patient(60)};

    LIFT_ASSERT(setrlimit(RLIMIT_CPU, &most) == 0);
    alarm((unsigned)patient(240));
}

/* Runs the commands in a child process, which writes its messages to 'log'. */
static int run_commands(const char *path, const char *log)
{
    int status;
    pid_t child = fork();

    LIFT_ASSERT(child >= 0);
    if (!child) {
        int out = open("/dev/null", O_WRONLY | O_CLOEXEC),
            err = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        LIFT_ASSERT(dup2(out, 1) == 1 && dup2(err, 2) == 2);
        limit_time();
        fuzz_commands(path, 0x3fff);
        fuzz_merge(path);
        fuzz_mend(path);
        fuzz_commands(path, 0x401);
        _exit(0);
    }
    LIFT_ASSERT(waitpid(child, &status, 0) == child);
    return status;
}

static bool is_good(const char *path, int number, const char *what)
{
    const char *log = fuzz_path("log");
    int status = run_commands(path, log);
    size_t len;
    char *text;

    if (!status)
        return true;
    text = fuzz_read(log, &len);
    printf("# variant %d,%s: %s %d\n", number, what,
           WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    for (size_t i = 0; i < len; i++) {
        if (!i || text[i - 1] == '\n')
            fputs("# ", stdout);
        putchar(text[i]);
    }
    free(text);
    return false;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 24, bad = 0;
    struct lift_rng rng;
    size_t len;
    char *base;

    lift_rng_seed(&rng, argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    fuzz_make_base();
    base = fuzz_read(fuzz_path("base.db"), &len);
    for (int i = 0; i < count; i++) {
        const char *path = fuzz_path("x.db");
        LIFT_SCOPED(lift_str) what = {0};
        LIFT_FREED char *bytes = lift_alloc(len, 1);

        memcpy(bytes, base, len);
        damage(bytes, len, i, &rng, &what);
        fuzz_write(path, bytes, len);
        bad += !is_good(path, i, lift_str_get(&what));
        fuzz_forget(path);
    }
    free(base);
    printf("%s 1 - every command ends for %d damaged databases\n1..1\n",
           bad ? "not ok" : "ok", count);
    return bad > 0;
}
