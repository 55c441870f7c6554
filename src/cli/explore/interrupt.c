/* Ctrl-C during an exploration. */
#include "cli/explore/interrupt.h"
#include <unistd.h>

enum { STOP_SECONDS = 2 };

volatile sig_atomic_t cli_interrupted;

/* Ends the process if the exploration has not stopped and cleaned up soon after the
 * second signal. The workers die with the process. */
static void give_up(int signal)
{
    (void)signal;
    _exit(128 + SIGINT);
}

static void interrupt(int signal)
{
    static const char first[] =
        "\nlift: finishing the current trial; Ctrl-C again stops immediately\n";
    static const char second[] = "\nlift: stopping\n";
    ssize_t ignored;

    (void)signal;
    if (cli_interrupted == 0) {
        ignored = write(STDERR_FILENO, first, sizeof first - 1);
    } else {
        ignored = write(STDERR_FILENO, second, sizeof second - 1);
        alarm(STOP_SECONDS);
    }
    (void)ignored;
    cli_interrupted = cli_interrupted ? 2 : 1;
}

void cli_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    struct sigaction end = {.sa_handler = give_up};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGALRM, &end, NULL);
}
