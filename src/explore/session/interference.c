#include "explore/session/interference.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/stats.h"
#include "explore/session/session.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares above these make a session's results doubtful. On a quiet machine, other
 * processes take a few percent, and quartiles are a few percent apart. */
static const double most_others = 0.1, most_stolen = 0.05, most_held_back = 0.25,
                    most_drift = 1.15, most_spread = 0.25;

/* Fewer samples or core seconds allow no judgement: Linux counts in ticks of 10 ms. */
static const int least_samples = 20;
static const double least_core_seconds = 0.5, least_others = 0.2;

/* ---- counting */

void interference_add(struct interference *all, const struct lift_load_sum *load,
                      const struct lift_db_clock *clocks, int count)
{
    lift_load_add(&all->load, load);
    all->samples += count;
    for (int i = 0; i < count; i++)
        all->held_back += clocks[i].throttled > 0;
}

void interference_take_finalist(struct interference *all, const double *samples,
                                int count)
{
    LIFT_FREED double *sorted = lift_resize(NULL, (size_t)count + 1, sizeof *sorted);
    double median = lift_median(samples, count);

    if (count < 4 || (all->fastest > 0 && median >= all->fastest))
        return;
    memcpy(sorted, samples, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, lift_by_value);
    all->fastest = median;
    all->spread = (sorted[(3 * count - 1) / 4] - sorted[count / 4]) / median;
}

void interference_take_naive(struct interference *all, const struct trial_reply *end,
                             int steps)
{
    const int least = 3;
    double kept[TRIAL_SAMPLES];
    int count = trial_kept(end, kept);

    if (end->sample_count >= least)
        all->naive_first =
            lift_interval_scaled(lift_median_interval(kept, count, 0.95), 1.0 / steps);
}

/* A drift within the intervals of both times is none: some kernels vary on a quiet
 * machine as well. */
void interference_compare_naive(struct interference *all,
                                const struct lift_interval *last)
{
    const struct lift_interval *first = &all->naive_first;

    if (!(first->median > 0) || !(last->low > 0))
        return;
    all->naive_drift = lift_interval_ties(first, last) ? 1 : last->median / first->median;
}

/* ---- judging */

static double others(const struct interference *all)
{
    const struct lift_load_sum *load = &all->load;

    return load->core_seconds > 0 ? fmax(0, load->others / load->core_seconds) : 0;
}

static double stolen(const struct interference *all)
{
    const struct lift_load_sum *load = &all->load;

    return load->core_seconds > 0 ? load->stolen / load->core_seconds : 0;
}

static double held_back(const struct interference *all)
{
    return all->samples > 0 ? (double)all->held_back / all->samples : 0;
}

/* The factor of a drift in either direction; 1: none, or unknown. */
static double drift_factor(double drift)
{
    return drift > 0 ? fmax(drift, 1 / drift) : 1;
}

static void add_reason(struct lift_str *out, bool is, const char *format, double share)
{
    if (!is)
        return;
    lift_str_add(out, out->len ? "; " : "");
    lift_str_addf(out, format, 100 * share);
}

/* The drift of the best kernel is no reason: its time in the search has few samples, and
 * differs from the final benchmark by up to 40 % on a quiet machine. */
static void add_drift(struct lift_str *out, double drift)
{
    double factor = drift_factor(drift);

    if (factor <= most_drift)
        return;
    lift_str_addf(out, "%sthe naive kernel %s by %.0f %% during the session",
                  out->len ? "; " : "", drift > 1 ? "slowed down" : "sped up",
                  100 * (factor - 1));
}

/* The reasons for which the machine counts as busy. Reduced clocks of a GPU are none:
 * power limits them as long as the kernel runs, on a quiet machine also. */
static void add_reasons(const struct interference *all, struct lift_str *out)
{
    bool counted = all->load.core_seconds >= least_core_seconds,
         sampled = !all->apart && all->samples >= least_samples;

    add_reason(out,
               counted && all->load.others > least_others && others(all) > most_others,
               all->apart ? "other processes took %.0f %% of the device's time"
                          : "other processes took %.0f %% of the processor's time",
               others(all));
    add_reason(out, counted && stolen(all) > most_stolen,
               "other virtual machines took %.0f %% of the processor's time",
               stolen(all));
    add_reason(out, sampled && held_back(all) > most_held_back,
               "%.0f %% of the samples were disturbed", held_back(all));
    add_drift(out, all->naive_drift);
    add_reason(out, all->spread > most_spread,
               "samples of the best kernel differ by %.0f %%", all->spread);
}

bool interference_is_busy(const struct interference *all)
{
    LIFT_SCOPED(lift_str) reasons = {0};

    add_reasons(all, &reasons);
    return reasons.len > 0;
}

static bool is_known(const struct interference *all)
{
    return all->load.core_seconds >= least_core_seconds ||
           all->load.windows >= least_samples || all->naive_drift > 0 ||
           all->best_drift > 0 || all->fastest > 0;
}

void interference_words(const struct interference *all, struct lift_str *out)
{
    LIFT_SCOPED(lift_str) reasons = {0};

    if (!is_known(all))
        return;
    add_reasons(all, &reasons);
    lift_str_addf(out, "%s%s", reasons.len ? "busy: " : "quiet", lift_str_get(&reasons));
    if (all->apart && held_back(all) > most_held_back)
        lift_str_addf(out, "; clocks were reduced in %.0f %% of the samples",
                      100 * held_back(all));
}

/* ---- the database */

static json_t *known_or_null(bool known, double value)
{
    return known ? json_real(value) : json_null();
}

void interference_json(const struct interference *all, struct lift_str *out)
{
    LIFT_SCOPED(lift_str) words = {0};
    bool counted = all->load.core_seconds > 0;
    json_t *json;
    LIFT_FREED char *text = NULL;

    interference_words(all, &words);
    json = json_pack("{s:b, s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "busy", interference_is_busy(all), "words", lift_str_get(&words),
                     "samples", all->samples, "held_back", all->held_back, "windows",
                     all->load.windows, "waited", all->load.disturbed, "core_seconds",
                     known_or_null(counted, all->load.core_seconds), "others",
                     known_or_null(counted, others(all)), "stolen",
                     known_or_null(counted, stolen(all)), "naive_drift",
                     known_or_null(all->naive_drift > 0, all->naive_drift), "best_drift",
                     known_or_null(all->best_drift > 0, all->best_drift), "spread",
                     known_or_null(all->fastest > 0, all->spread));
    text = lift_json_print(json, JSON_COMPACT | JSON_REAL_PRECISION(4));
    lift_str_add(out, text ? text : "{}");
    json_decref(json);
}

bool device_session_put_interference(struct device_session *l)
{
    const struct recorder *r = &l->depths[0].recorder;
    LIFT_SCOPED(lift_str) text = {0};

    l->interference.apart = !l->device.info.is_cpu;
    if (!is_known(&l->interference))
        return true;
    interference_json(&l->interference, &text);
    return lift_db_put_event(
        r->db, r->session, r->device_id,
        &(struct lift_db_event){LIFT_DB_INTERFERENCE, lift_str_get(&text)});
}
