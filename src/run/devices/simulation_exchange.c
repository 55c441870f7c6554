/* How the parts of a simulation exchange planes. */
#include "base/memory.h"
#include "run/devices/nccl.h"
#include "run/devices/overlap.h"
#include "run/ranks/simulation_ranks.h"
#include <string.h>

/* ---- words */

/* -1: it is none of them; the list ends with NULL. */
static int find_word(const char *const *words, const char *word)
{
    int i = 0;

    while (words[i] && strcmp(words[i], word) != 0)
        i++;
    return words[i] ? i : -1;
}

bool sim_exchange_parse(const char *word, enum sim_exchange *exchange)
{
    static const char *const words[] = {
        [SIM_EXCHANGE_AUTO] = "auto", [SIM_EXCHANGE_PEER] = "peer",
        [SIM_EXCHANGE_HOST] = "host", [SIM_EXCHANGE_MPI] = "mpi",
        [SIM_EXCHANGE_NCCL] = "nccl", NULL};
    int found = find_word(words, word);

    *exchange = found < 0 ? SIM_EXCHANGE_AUTO : (enum sim_exchange)found;
    return found >= 0;
}

bool sim_overlap_parse(const char *word, enum sim_overlap *overlap)
{
    static const char *const words[] = {[SIM_OVERLAP_AUTO] = "auto",
                                        [SIM_OVERLAP_YES] = "yes",
                                        [SIM_OVERLAP_NO] = "no",
                                        NULL};
    int found = find_word(words, word);

    *overlap = found < 0 ? SIM_OVERLAP_AUTO : (enum sim_overlap)found;
    return found >= 0;
}

/* ---- NCCL */

/* Before anything is opened. */
static bool are_of_cuda(const struct parts *parts)
{
    bool good = true;

    for (int i = 0; i < parts->count; i++) {
        const struct lift_runtime *rt = lift_runtime_named(parts->part[i].device);

        good &= rt && rt->stream;
    }
    return good;
}

static bool are_host(const struct parts *parts)
{
    bool good = true;

    for (int i = 0; i < parts->count; i++)
        good &= !strcmp(parts->part[i].device, "host");
    return good;
}

static bool may_use_nccl(struct sim *s, struct lift_str *why)
{
    struct parts *parts = s->parts;

    parts->nccl = are_of_cuda(parts) || s->options.exchange == SIM_EXCHANGE_NCCL
                      ? nccl_load(why)
                      : NULL;
    if (parts->nccl && !are_of_cuda(parts) &&
        !(are_host(parts) && nccl_takes_host(parts->nccl)))
        lift_str_add(why, "not all devices are GPUs of CUDA");
    return parts->nccl && why->len == 0;
}

/* What ranks tell one another of their devices. */
struct member {
    struct lift_hash place;
    bool may;
};

static struct member member_of(const struct sim *s, int rank)
{
    struct member out;

    memcpy(&out, team_word(&s->team, rank), sizeof out);
    return out;
}

/* Of GPUs; NCCL takes each once. */
static bool differ(const struct sim *s)
{
    bool good = true;

    for (int i = 0; i < s->team.to.size; i++)
        for (int k = 0; k < i; k++)
            good &= !lift_hash_equal(member_of(s, i).place, member_of(s, k).place);
    return good;
}

/* All ranks have it, or none takes it: the first one that has not says why. */
static bool all_have_nccl(struct sim *s, bool *all)
{
    struct member mine = {.place = s->place};
    LIFT_SCOPED(lift_str) why = {0};
    bool asked = s->options.exchange == SIM_EXCHANGE_NCCL;

    *all = mine.may = may_use_nccl(s, &why);
    if (asked && !*all)
        return sim_fail(s, SIM_USAGE, "--exchange nccl: %s", lift_str_get(&why));
    if (!sim_tell(s, &mine, sizeof mine))
        return false;
    for (int i = 0; i < s->team.to.size; i++)
        *all &= member_of(s, i).may;
    if (!*all || !are_of_cuda(s->parts) || differ(s))
        return true;
    *all = false;
    return !asked || sim_fail(s, SIM_USAGE,
                              "--exchange nccl: two ranks have the same GPU, which NCCL "
                              "refuses");
}

/* ---- before there are plans */

/* Rows of the parts beside lie apart in memory, and are no messages from where they are.
 */
static bool have_rows(const struct parts *parts)
{
    return parts->along[1] > 1;
}

static bool is_sensible(struct sim *s)
{
    if (s->options.exchange == SIM_EXCHANGE_NCCL && have_rows(s->parts))
        return sim_fail(s, SIM_USAGE,
                        "--exchange nccl: rows of a grid that is cut along two "
                        "dimensions lie apart in memory (host, peer or mpi)");
    if (s->options.exchange == SIM_EXCHANGE_PEER && s->ranks)
        return sim_fail(s, SIM_USAGE,
                        "--exchange peer: devices of several ranks have no copies from "
                        "one to the other (nccl does that)");
    return s->options.exchange != SIM_EXCHANGE_MPI || s->ranks ||
           sim_fail(s, SIM_USAGE, "--exchange mpi needs several ranks (mpirun, srun)");
}

/* Where it cannot be, that is an error if it was asked for, and else said. */
static bool no_overlap(struct sim *s, struct lift_str *why)
{
    bool good = s->options.overlap != SIM_OVERLAP_YES;

    overlap_drop(s->parts);
    lift_str_clear(&s->parts->sequential);
    if (good)
        lift_str_add(&s->parts->sequential, lift_str_get(why));
    else
        sim_fail(s, SIM_USAGE, "--overlap yes: %s", lift_str_get(why));
    lift_str_fini(why);
    return good;
}

static const char no_host[] = "planes go through the host";

static bool plan_overlap(struct sim *s)
{
    struct lift_str why = {0};

    if (s->options.overlap == SIM_OVERLAP_NO)
        return true;
    if (s->parts->way == PARTS_HOST)
        lift_str_add(&why, no_host);
    return (why.len == 0 &&
            overlap_plan(s->parts, s->options.overlap == SIM_OVERLAP_YES, &why)) ||
           no_overlap(s, &why);
}

bool sim_choose_exchange(struct sim *s)
{
    enum sim_exchange asked = s->options.exchange;
    bool nccl = asked == SIM_EXCHANGE_NCCL ||
                (asked == SIM_EXCHANGE_AUTO && s->ranks && !have_rows(s->parts));

    if (!is_sensible(s) || (nccl && !all_have_nccl(s, &nccl)))
        return false;
    s->parts->way = nccl                         ? PARTS_NCCL
                    : s->ranks                   ? PARTS_MESSAGE
                    : asked == SIM_EXCHANGE_HOST ? PARTS_HOST
                                                 : PARTS_PEER;
    return plan_overlap(s);
}

/* ---- with plans of the parts */

static const char not_alike[] =
    "kernels of the parts have planes otherwise in memory than those of their neighbours";

static bool find_near(struct sim *s)
{
    struct plan_layout mine, other;

    if (!s->ranks) {
        s->parts->near = parts_are_near(s->parts);
        return true;
    }
    mine = plan_layout_of(s->parts->own->plan);
    if (!sim_tell(s, &mine, sizeof mine))
        return false;
    s->parts->near = true;
    for (int i = 0; i < s->team.to.size; i++) {
        memcpy(&other, team_word(&s->team, i), sizeof other);
        s->parts->near &= lift_hash_equal(other.places, mine.places);
    }
    return true;
}

/* Why planes do not go from part to part without this process. */
static const char *why_apart(const struct parts *parts)
{
    const struct lift_runtime *first = lift_runtime_named(parts->part->device);

    for (int i = 0; i < parts->count; i++)
        if (lift_runtime_named(parts->part[i].device) != first)
            return "they are devices of several kinds";
    return first && !first->pull ? "devices of their kind have no such copies"
                                 : not_alike;
}

/* What needs planes that lie alike, without them. */
static bool fall_back(struct sim *s)
{
    struct lift_str why = {0};
    enum sim_exchange asked = s->options.exchange;
    const char *reason = why_apart(s->parts);
    bool nccl = s->parts->way == PARTS_NCCL;

    if (asked == SIM_EXCHANGE_PEER || asked == SIM_EXCHANGE_NCCL)
        return sim_fail(s, SIM_USAGE, "--exchange %s: %s",
                        asked == SIM_EXCHANGE_PEER ? "peer" : "nccl", reason);
    s->parts->way = s->ranks ? PARTS_MESSAGE : PARTS_HOST;
    lift_str_addf(&s->parts->detour, "%s: %s", nccl ? "by NCCL" : "from device to device",
                  reason);
    if (!s->parts->overlaps || s->ranks)
        return true;
    lift_str_add(&why, no_host);
    return no_overlap(s, &why);
}

/* One process names the group of all. */
static bool name_group(struct sim *s)
{
    struct parts *parts = s->parts;

    parts->id = lift_alloc(1, sizeof *parts->id);
    if (s->team.to.rank == 0 &&
        !nccl_make_id(parts->nccl, parts->id, &s->result.error.text))
        return sim_fail_as(s, SIM_FAILED, NULL);
    if (!sim_tell(s, parts->id, sizeof *parts->id))
        return false;
    memcpy(parts->id, team_word(&s->team, 0), sizeof *parts->id);
    return true;
}

/* All processes, or none: the first one that cannot says why. */
static bool agree_on_windows(struct sim *s, bool good, struct lift_str *why)
{
    char mine[TEAM_WORD] = "";

    if (!good)
        strncpy(mine, lift_str_get(why), sizeof mine - 1);
    lift_str_clear(why);
    good = sim_tell(s, mine, sizeof mine);
    for (int i = 0; good && why->len == 0 && i < s->team.to.size; i++)
        lift_str_add(why, team_word(&s->team, i));
    if (good && why->len)
        return no_overlap(s, why);
    lift_str_fini(why);
    return good;
}

void sim_add_times(struct sim *s)
{
    const struct parts *parts = s->parts;
    struct sim_times *out;

    plan_graphs_describe(parts ? parts->own->plan : s->plan, &s->result.launches);
    if (!parts || !parts->overlaps)
        return;
    out = LIFT_NEW_ARRAY(s->arena, struct sim_times, parts->own_count);
    s->result.times = out;
    for (int i = 0; i < parts->own_count; i++) {
        const struct overlap_times *t = &parts->own[i].overlap->times;

        if (parts->own[i].overlap->timed)
            out[s->result.time_count++] = (struct sim_times){
                parts->own[i].device, t->edges, t->began, t->taken, t->inner};
    }
}

bool sim_settle_exchange(struct sim *s)
{
    struct parts *parts = s->parts;
    struct lift_str why = {0};

    if (!find_near(s) || (!parts->near && parts->way != PARTS_HOST &&
                          parts->way != PARTS_MESSAGE && !fall_back(s)))
        return false;
    parts->direct = parts->way == PARTS_MESSAGE && parts->near && !have_rows(parts) &&
                    s->options.exchange != SIM_EXCHANGE_HOST &&
                    parts->team->device_memory && are_of_cuda(parts);
    if (parts->overlaps && !agree_on_windows(s, sim_make_windows(s, &why), &why))
        return false;
    return parts->way != PARTS_NCCL || name_group(s);
}
