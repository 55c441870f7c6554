/* Rank 0 collects the results of the ranks of its job. */
#include "base/memory.h"
#include "base/seconds.h"
#include "cli/db/cmd_db.h"
#include "cli/explore/interrupt.h"
#include "cli/explore/job.h"
#include <dirent.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A rank without a process counts as dead only if its file was unchanged for this
 * time: machines with separate process numbers may share a name. */
static const double gone_seconds = 10;

/* ---- waiting */

struct watch {
    double touched; /* last time stamp of the rank's file */
    double heard;   /* when the time stamp changed, by lift_seconds */
    bool over;
};

static void look(const char *path, double silence, struct watch *w, struct cli_rank *rank)
{
    struct cli_rank_state state;
    double now = lift_seconds(), most = silence;

    cli_rank_state_read(path, &state);
    if (state.touched != w->touched) {
        w->touched = state.touched;
        w->heard = now;
    }
    if (state.is == CLI_RANK_GONE && gone_seconds < most)
        most = gone_seconds;
    w->over = state.is == CLI_RANK_ENDED || now - w->heard >= most;
    if (state.is == CLI_RANK_ENDED && state.status == CLI_DONE)
        rank->end = CLI_RANK_DONE;
    else
        rank->end = state.is == CLI_RANK_ENDED ? CLI_RANK_FAILED : CLI_RANK_DEAD;
    rank->status = state.status;
    rank->gone = state.is == CLI_RANK_GONE;
}

void cli_ranks_wait(const char *base, double silence, struct cli_rank *ranks, int count)
{
    static const struct timespec nap = {0, 200000000};
    LIFT_FREED struct watch *watches = lift_alloc((size_t)count, sizeof *watches);
    LIFT_SCOPED(lift_str) path = {0};
    bool waits = count > 1;

    for (int i = 0; i < count; i++)
        watches[i].heard = lift_seconds();
    while (waits && cli_interrupted < 2) {
        waits = false;
        for (int i = 1; i < count; i++) {
            lift_str_clear(&path);
            cli_rank_state_path(base, i, &path);
            if (!watches[i].over)
                look(lift_str_get(&path), silence, &watches[i], &ranks[i]);
            waits |= !watches[i].over;
        }
        if (waits)
            nanosleep(&nap, NULL);
    }
}

/* ---- merging */

static void remove_rank(const char *base, int rank)
{
    LIFT_SCOPED(lift_str) path = {0}, state = {0};

    lift_explore_rank_db(base, rank, &path);
    cli_rank_state_path(base, rank, &state);
    cli_db_remove(lift_str_get(&path));
    unlink(lift_str_get(&state));
}

/* Opens the database for writing, which closes sessions of dead processes. */
static void close_session(const char *path)
{
    LIFT_SCOPED(lift_error) error = {0};

    lift_db_close(lift_db_open(path, LIFT_DB_WRITE, &error));
}

static void merge_rank(struct lift_db *to, const char *base, int number, bool says,
                       struct cli_rank *rank)
{
    LIFT_SCOPED(lift_str) path = {0};
    struct lift_db_gain gain = {0};

    lift_explore_rank_db(base, number, &path);
    rank->merged = true;
    if (access(lift_str_get(&path), F_OK) != 0)
        return; /* the rank failed before creating a database */
    if (rank->gone)
        close_session(lift_str_get(&path));
    rank->merged = cli_db_merge_file(to, base, lift_str_get(&path), says, &gain) == 0;
    rank->trials = gain.trials;
}

/* The rank of a file next to the database; -1: the file belongs to no rank. */
static int rank_of(const char *base, const char *file)
{
    static const char end[] = ".db";
    LIFT_FREED char *copy = lift_strdup(base);
    LIFT_SCOPED(lift_str) begin = {0};
    char *rest;
    long rank;

    lift_str_addf(&begin, "%s.rank", basename(copy));
    if (strncmp(file, lift_str_get(&begin), begin.len) != 0)
        return -1;
    rank = strtol(file + begin.len, &rest, 10);
    return rest > file + begin.len && !strcmp(rest, end) && rank >= 0 &&
                   rank <= LIFT_JOB_MOST
               ? (int)rank
               : -1;
}

/* Merges a database that an earlier, larger job left. Files of running ranks stay. */
static void merge_left(struct lift_db *to, const char *base, int number, bool says)
{
    LIFT_SCOPED(lift_str) path = {0};
    struct cli_rank rank = {.end = CLI_RANK_DONE};
    struct cli_rank_state state;

    cli_rank_state_path(base, number, &path);
    cli_rank_state_read(lift_str_get(&path), &state);
    rank.gone = state.is == CLI_RANK_GONE;
    merge_rank(to, base, number, says, &rank);
    if (rank.merged && (rank.gone || state.is == CLI_RANK_ENDED))
        remove_rank(base, number);
}

static void merge_others(struct lift_db *to, const char *base, int count, bool says)
{
    LIFT_FREED char *copy = lift_strdup(base);
    DIR *folder = opendir(dirname(copy));
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)))
        if (rank_of(base, entry->d_name) >= count)
            merge_left(to, base, rank_of(base, entry->d_name), says);
    if (folder)
        closedir(folder);
}

/* Reports the errors of a rank; false if there is one. */
static bool tell(const char *base, int number, const struct cli_rank *rank)
{
    LIFT_SCOPED(lift_str) path = {0};

    lift_explore_rank_db(base, number, &path);
    if (rank->end == CLI_RANK_DEAD && rank->merged)
        cli_fail(CLI_FAILED,
                 "rank %d is dead, or gives no sign of life; %lld trials that it left in "
                 "'%s' were merged",
                 number, (long long)rank->trials, lift_str_get(&path));
    else if (rank->end == CLI_RANK_DEAD)
        cli_fail(CLI_FAILED, "rank %d is dead, or gives no sign of life", number);
    else if (rank->end == CLI_RANK_FAILED && number > 0)
        cli_fail(CLI_FAILED, "rank %d ended with status %d", number, rank->status);
    return rank->end == CLI_RANK_DONE && rank->merged;
}

int cli_ranks_merge(const char *base, struct cli_rank *ranks, int count, bool keep,
                    bool says)
{
    bool made, good = true;
    struct lift_db *to = cli_db_create(base, &made);

    if (!to)
        return CLI_FAILED;
    for (int i = 0; i < count; i++)
        merge_rank(to, base, i, says, &ranks[i]);
    if (!keep)
        merge_others(to, base, count, says);
    lift_db_close(to);
    for (int i = 0; i < count; i++) {
        good &= tell(base, i, &ranks[i]);
        if (!keep && ranks[i].merged && ranks[i].end != CLI_RANK_DEAD)
            remove_rank(base, i);
    }
    return good ? CLI_DONE : CLI_FAILED;
}

/* ---- output */

void cli_ranks_print(const struct cli_rank *ranks, int count)
{
    int64_t sum = 0, least = ranks[0].trials, most = least;

    for (int i = 0; i < count; i++) {
        sum += ranks[i].trials;
        least = ranks[i].trials < least ? ranks[i].trials : least;
        most = ranks[i].trials > most ? ranks[i].trials : most;
    }
    printf("ranks         %d, %lld trials, %lld to %lld each\n", count, (long long)sum,
           (long long)least, (long long)most);
}

json_t *cli_ranks_json(const struct cli_rank *ranks, int count)
{
    static const char *const ends[] = {"done", "failed", "dead"};
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:i, s:s, s:I, s:b}", "rank", i, "end",
                                              ends[ranks[i].end], "trials",
                                              (json_int_t)ranks[i].trials, "merged",
                                              ranks[i].merged));
    return list;
}
