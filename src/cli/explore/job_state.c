/* The state of a rank, in a file that the other ranks read. */
#include "base/file.h"
#include "cli/cli.h"
#include "cli/explore/job.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOST = 256 };

void cli_rank_state_path(const char *base, int rank, struct lift_str *out)
{
    lift_str_addf(out, "%s.rank%d.state", base, rank);
}

static void this_host(char out[HOST])
{
    if (gethostname(out, HOST))
        out[0] = '\0';
    out[HOST - 1] = '\0';
}

/* Processes of other machines count as living, since nothing is known of them. */
static bool is_gone(const char *host, int64_t pid)
{
    char own[HOST];

    this_host(own);
    return !strcmp(host, own) && pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH;
}

void cli_rank_state_read(const char *path, struct cli_rank_state *out)
{
    LIFT_SCOPED(lift_str) text = {0}, why = {0};
    char host[HOST];
    struct stat st;
    long long pid;

    *out = (struct cli_rank_state){.is = CLI_RANK_UNKNOWN};
    if (stat(path, &st) || !lift_file_read(path, 2 * HOST, &text, &why))
        return;
    out->touched = (double)st.st_mtim.tv_sec + 1e-9 * (double)st.st_mtim.tv_nsec;
    if (sscanf(lift_str_get(&text), "ended %d", &out->status) == 1) {
        out->is = CLI_RANK_ENDED;
    } else if (sscanf(lift_str_get(&text), "running %255s %lld", host, &pid) == 2) {
        out->pid = pid;
        out->is = is_gone(host, pid) ? CLI_RANK_GONE : CLI_RANK_RUNNING;
    }
}

bool cli_rank_running(const char *path)
{
    LIFT_SCOPED(lift_str) text = {0};
    char host[HOST];

    this_host(host);
    lift_str_addf(&text, "running %s %lld\n", *host ? host : "-", (long long)getpid());
    return cli_write(path, lift_str_get(&text), text.len);
}

bool cli_rank_ended(const char *path, int status)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_str_addf(&text, "ended %d\n", status);
    return cli_write(path, lift_str_get(&text), text.len);
}
