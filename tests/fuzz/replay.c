/* Runs a fuzzer on the inputs of a folder, without libFuzzer: 'fuzz_NAME FOLDER'. A
 * failing input ends the process. A timer interrupts system calls, as libFuzzer's timer
 * does. */
#include "base/bug.h"
#include "fuzz_world.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void interrupt(int signal)
{
    (void)signal;
}

/* Without SA_RESTART. */
static void start_timer(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    struct itimerval often = {{.tv_usec = 2000}, {.tv_usec = 2000}};

    LIFT_ASSERT(sigaction(SIGALRM, &action, NULL) == 0 &&
                setitimer(ITIMER_REAL, &often, NULL) == 0);
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    int count = 0;

    if (!folder)
        LIFT_BUG("expected a folder of inputs");
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    start_timer();
    while ((entry = readdir(folder))) {
        char path[1024];
        size_t len;
        char *data;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        printf("# %s\n", path);
        fflush(stdout);
        data = fuzz_read(path, &len);
        LLVMFuzzerTestOneInput((const uint8_t *)data, len);
        free(data);
        printf("ok %d - %s\n", ++count, entry->d_name);
    }
    closedir(folder);
    printf("1..%d\n", count);
    return count == 0;
}
