/* The exchange method of parts: chosen before the plans are made, settled with the plans.
 */
#include "base/memory.h"
#include "run/devices/nccl.h"
#include "run/devices/overlap.h"
#include "run/ranks/team.h"
#include <string.h>
#include <unistd.h>

/* ---- NCCL */

/* Reads the names of devices only, since no device is open yet. */
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

static bool may_use_nccl(struct parts *parts, struct lift_str *why)
{
    parts->nccl = are_of_cuda(parts) || parts->options.exchange == LIFT_EXCHANGE_NCCL
                      ? nccl_load(why)
                      : NULL;
    if (parts->nccl && !are_of_cuda(parts) &&
        !(are_host(parts) && nccl_takes_host(parts->nccl)))
        lift_str_add(why, "not all devices are GPUs of CUDA");
    return parts->nccl && why->len == 0;
}

/* NCCL is used only if all processes can use NCCL. */
static bool all_have_nccl(struct parts *parts, bool *all, struct lift_error *error)
{
    LIFT_SCOPED(lift_str) why = {0};
    bool mine = may_use_nccl(parts, &why);

    if (parts->options.exchange == LIFT_EXCHANGE_NCCL && !mine)
        return lift_fail(error, LIFT_ERROR_ARGUMENT, "--exchange nccl: %s",
                         lift_str_get(&why));
    if (!team_meet(parts->team, 0, &mine, sizeof mine, error))
        return false;
    *all = true;
    for (int i = 0; i < parts->team->to.size; i++)
        *all &= *(const bool *)team_word(parts->team, i);
    return true;
}

/* ---- before the plans are made */

/* Exchanged rows are not contiguous in memory, so their messages need copies. */
static bool have_rows(const struct parts *parts)
{
    return parts->along[1] > 1;
}

static bool is_sensible(const struct parts *parts, struct lift_error *error)
{
    enum lift_exchange asked = parts->options.exchange;

    if (asked == LIFT_EXCHANGE_NCCL && have_rows(parts))
        return lift_fail(
            error, LIFT_ERROR_ARGUMENT,
            "--exchange nccl: rows of a grid that is cut along two dimensions are not "
            "contiguous in memory (use host, peer or mpi)");
    if (asked == LIFT_EXCHANGE_PEER && parts_are_shared(parts))
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "--exchange peer: devices of different ranks cannot copy "
                         "directly (use nccl)");
    return asked != LIFT_EXCHANGE_MESSAGES || parts_are_shared(parts) ||
           lift_fail(error, LIFT_ERROR_ARGUMENT,
                     "--exchange mpi needs several ranks (mpirun, srun)");
}

/* Drops the overlap; this is an error if the caller requires the overlap. */
static bool no_overlap(struct parts *parts, const char *why, struct lift_error *error)
{
    overlap_drop(parts);
    lift_str_clear(&parts->sequential);
    lift_str_add(&parts->sequential, why);
    return parts->options.overlap != LIFT_OVERLAP_YES ||
           lift_fail(error, LIFT_ERROR_ARGUMENT, "--overlap yes: %s", why);
}

static const char no_host[] = "planes go through the host";

static bool plan_overlap(struct parts *parts, struct lift_error *error)
{
    enum lift_overlap asked = parts->options.overlap;
    LIFT_SCOPED(lift_str) why = {0};

    if (asked == LIFT_OVERLAP_NO)
        return true;
    if (parts->way == PARTS_HOST)
        lift_str_add(&why, no_host);
    return (why.len == 0 && overlap_plan(parts, asked == LIFT_OVERLAP_YES, &why)) ||
           no_overlap(parts, lift_str_get(&why), error);
}

bool parts_choose_exchange(struct parts *parts, struct lift_error *error)
{
    enum lift_exchange asked = parts->options.exchange;
    bool nccl =
        asked == LIFT_EXCHANGE_NCCL ||
        (asked == LIFT_EXCHANGE_AUTO && parts_are_shared(parts) && !have_rows(parts));

    if (!is_sensible(parts, error) || (nccl && !all_have_nccl(parts, &nccl, error)))
        return false;
    parts->way = nccl                          ? PARTS_NCCL
                 : parts_are_shared(parts)     ? PARTS_MESSAGE
                 : asked == LIFT_EXCHANGE_HOST ? PARTS_HOST
                                               : PARTS_PEER;
    return plan_overlap(parts, error);
}

/* ---- with plans of the parts */

/* The message of each process about its plans. */
struct member {
    struct lift_hash places; /* of the memory layout */
    struct lift_hash device; /* unique among the devices of all nodes */
};

static struct member own_member(const struct parts *parts)
{
    const struct lift_plan *plan = parts->own->plan;
    char node[256] = "";

    gethostname(node, sizeof node - 1);
    return (struct member){
        plan_layout_of(plan).places,
        lift_hash_combine(lift_hash_text(node),
                          lift_hash_text(lift_device_info(plan->device)->pci))};
}

static struct member member_of(const struct parts *parts, int rank)
{
    struct member out;

    memcpy(&out, team_word(parts->team, rank), sizeof out);
    return out;
}

/* Returns the reason why devices of this process cannot copy planes directly. */
static const char *why_apart(const struct parts *parts)
{
    const struct lift_runtime *first = lift_runtime_named(parts->part->device);

    for (int i = 0; i < parts->count; i++)
        if (lift_runtime_named(parts->part[i].device) != first)
            return "they are devices of several kinds";
    return first && !first->pull
               ? "these devices cannot copy directly"
               : "kernels of neighbouring parts use different memory layouts";
}

/* Sets 'near' if memory layouts are equal. '*why' gets the reason against direct copies:
 * layouts differ, or two ranks of NCCL have the same GPU. */
static bool find_near(struct parts *parts, const char **why, struct lift_error *error)
{
    struct member mine = own_member(parts);

    if (!team_meet(parts->team, 0, &mine, sizeof mine, error))
        return false;
    parts->near = parts_are_shared(parts) || parts_are_near(parts, parts->base);
    for (int i = 0; i < parts->team->to.size; i++)
        parts->near &= lift_hash_equal(member_of(parts, i).places, mine.places);
    *why = parts->near ? NULL : why_apart(parts);
    for (int i = 0;
         parts->way == PARTS_NCCL && are_of_cuda(parts) && i < parts->team->to.size; i++)
        for (int k = 0; k < i; k++)
            if (lift_hash_equal(member_of(parts, i).device, member_of(parts, k).device))
                *why = "two ranks have the same GPU, which NCCL rejects";
    return true;
}

/* Changes to an exchange method that works with different layouts. */
static bool fall_back(struct parts *parts, const char *reason, struct lift_error *error)
{
    enum lift_exchange asked = parts->options.exchange;
    bool nccl = parts->way == PARTS_NCCL;

    if (asked == LIFT_EXCHANGE_PEER || asked == LIFT_EXCHANGE_NCCL)
        return lift_fail(error, LIFT_ERROR_ARGUMENT, "--exchange %s: %s",
                         asked == LIFT_EXCHANGE_PEER ? "peer" : "nccl", reason);
    parts->way = parts_are_shared(parts) ? PARTS_MESSAGE : PARTS_HOST;
    lift_str_addf(&parts->detour, "%s: %s", nccl ? "by NCCL" : "from device to device",
                  reason);
    return !parts->overlaps || parts_are_shared(parts) ||
           no_overlap(parts, no_host, error);
}

/* Rank 0 makes the NCCL identifier of the group and sends it to all ranks. */
static bool name_group(struct parts *parts, struct lift_error *error)
{
    LIFT_SCOPED(lift_str) why = {0};

    parts->id = lift_alloc(1, sizeof *parts->id);
    if (parts->team->to.rank == 0 && !nccl_make_id(parts->nccl, parts->id, &why))
        return lift_fail(error, LIFT_ERROR_RUN, "%s", lift_str_get(&why));
    if (!team_meet(parts->team, 0, parts->id, sizeof *parts->id, error))
        return false;
    memcpy(parts->id, team_word(parts->team, 0), sizeof *parts->id);
    return true;
}

/* Windows are used only if all processes have windows. Otherwise the first process
 * without windows gives the reason. */
static bool agree_on_windows(struct parts *parts, struct lift_planner *planner,
                             struct lift_error *error)
{
    LIFT_SCOPED(lift_str) why = {0};
    char mine[TEAM_WORD] = "";

    if (!parts_make_windows(parts, planner, &why))
        strncpy(mine, lift_str_get(&why), sizeof mine - 1);
    if (!team_meet(parts->team, 0, mine, sizeof mine, error))
        return false;
    lift_str_clear(&why);
    for (int i = 0; why.len == 0 && i < parts->team->to.size; i++)
        lift_str_add(&why, team_word(parts->team, i));
    return why.len == 0 || no_overlap(parts, lift_str_get(&why), error);
}

bool parts_settle_exchange(struct parts *parts, struct lift_planner *planner,
                           struct lift_error *error)
{
    const char *why;

    if (!find_near(parts, &why, error) ||
        (why && parts->way != PARTS_HOST && parts->way != PARTS_MESSAGE &&
         !fall_back(parts, why, error)))
        return false;
    parts->direct = parts->way == PARTS_MESSAGE && parts->near && !have_rows(parts) &&
                    parts->options.exchange != LIFT_EXCHANGE_HOST &&
                    parts->team->device_memory && are_of_cuda(parts);
    return (!parts->overlaps || agree_on_windows(parts, planner, error)) &&
           (parts->way != PARTS_NCCL || name_group(parts, error));
}
