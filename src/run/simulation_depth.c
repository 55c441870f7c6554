/* Chooses temporal blocking for a simulation on several devices. */
#include "ir/sizes.h"
#include "run/chosen.h"
#include "run/ranks/simulation_ranks.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

/* Finds the speeds of kernels for a part with the ghost planes of single steps. */
static bool find(struct sim *s, const struct part *part, struct lift_db *db,
                 struct depth_speeds *out)
{
    LIFT_SCOPED(lift_explore_device) probed = {.texts = NULL};
    struct parts_range range = parts_range_of(part, NULL);
    struct lift_source source = parts_source(s->parts);
    struct depth_ids ids = {.source = &source};
    LIFT_SCOPED(lift_str) sizes = {0};
    const struct lift_size_setting *settings;
    struct explore_problem *problem = NULL;
    enum lift_chosen_how how;
    int count;
    bool good;

    parts_sizes(s->parts, &range, &sizes);
    good = lift_explore_device(part->device, false, &probed, &s->result.error.text) &&
           lift_sizes_parse(s->arena, lift_str_get(&sizes), &settings, &count,
                            &s->result.error);
    if (good)
        problem = explore_problem_load(&source, settings, count, &s->result.error);
    good = problem &&
           (depth_find(
                &(struct chooser){.problem = problem, .device = &probed.info, .db = db},
                &ids, out, &how) ||
            lift_fail(&s->result.error, LIFT_ERROR_DATABASE, "%s", lift_db_error(db)));
    explore_problem_destroy(problem);
    lift_source_free(&source);
    return good || sim_fail_as(s, SIM_FAILED, NULL);
}

/* Takes the slower kernels of two parts, at each number of steps. */
static void take_slower(struct depth_speeds *all, const struct depth_speeds *part)
{
    for (int n = 1; n <= LIFT_MAX_STEPS; n++)
        all->gpts[n] = fmin(all->gpts[n], part->gpts[n]);
}

static bool find_own(struct sim *s, struct depth_speeds *out)
{
    const char *path = s->options.database;
    struct lift_db *db;
    bool good = true;

    if (!path || access(path, F_OK) != 0)
        return true;
    db = lift_db_open(path, LIFT_DB_READ, &s->result.error);
    if (!db)
        return sim_fail_as(s, SIM_FAILED, NULL);
    for (int i = 0; good && i < s->parts->own_count; i++) {
        struct depth_speeds speeds = {{0}};

        good = find(s, &s->parts->own[i], db, i ? &speeds : out);
        if (good && i)
            take_slower(out, &speeds);
    }
    lift_db_close(db);
    return good;
}

bool sim_deepen(struct sim *s)
{
    struct depth_speeds speeds = {{0}}, other;
    struct depth_run runs[SIM_RUNS];
    int deep;

    if (s->parts->base > 1 || s->options.overlap == LIFT_OVERLAP_YES)
        return true;
    if (!find_own(s, &speeds) || !sim_tell(s, &speeds, sizeof speeds))
        return false;
    for (int i = 0; i < s->team.to.size; i++) {
        memcpy(&other, team_word(&s->team, i), sizeof other);
        take_slower(&speeds, &other);
    }
    parts_weigh_depths(s->parts, &speeds);
    depth_keep(&speeds, runs, sim_list_runs(s, runs));
    deep = depth_fastest(&speeds);
    for (int n = 2; n <= LIFT_MAX_STEPS; n++)
        if (n != deep)
            speeds.gpts[n] = 0;
    if (deep > 1)
        parts_deepen(s->parts, deep, &speeds);
    return true;
}
