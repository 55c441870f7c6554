#include "report/document.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "explore/estimate.h"
#include "explore/explore_footprint.h"
#include "lift/version.h"
#include "report/commands.h"
#include "report/depths.h"
#include "report/gain.h"
#include "report/parameters.h"
#include "report/schedule.h"
#include "report/short.h"
#include "rules/rule.h"
#include <string.h>
#include <time.h>

enum {
    TOP = 10,           /* kernels listed for a problem on a device */
    MOST_SOURCE = 65536 /* maximum bytes of a displayed source */
};

static json_t *find_row(const json_t *document, const char *table, struct lift_hash id)
{
    char hex[LIFT_HASH_HEX];
    const json_t *rows = json_object_get(document, table);
    json_t *row;
    size_t i;

    lift_hash_hex(id, hex);
    json_array_foreach(rows, i, row)
    {
        const char *other = json_string_value(json_object_get(row, "id"));

        if (other && !strcmp(other, hex))
            return row;
    }
    return NULL;
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));

    return text ? text : "";
}

/* Makes a JSON string from text that may be invalid UTF-8, such as a command line. */
static json_t *shown(const char *text)
{
    LIFT_SCOPED(lift_str) clean = {0};

    lift_utf8_add(&clean, text, strlen(text));
    return json_string(lift_str_get(&clean));
}

static json_t *known(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

/* Floating-point operations of a grid point, counted as in 'lift check'. The program
 * is the text in a problem's row. 0: this version cannot read the program. */
static double operations_of(struct lift_arena *arena, const json_t *problem)
{
    const char *text = text_of(problem, "text");
    struct lift_source source = {text_of(problem, "program"), text, strlen(text)};
    LIFT_FREED char *sizes = lift_json_print(json_object_get(problem, "sizes"), 0);
    struct lift_size_setting *settings;
    int count = report_sizes_of(arena, sizes, &settings);
    struct lift_program_options options = {.sizes = settings, .size_count = count};
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    LIFT_SCOPED(lift_error) errors = {0};
    LIFT_SCOPED(lift_str) why = {0};
    const struct lift_program *program =
        lift_program_load(ir, &source, &options, &errors);
    json_int_t steps = json_integer_value(json_object_get(problem, "steps"));
    struct lift_footprints found;

    return program && lift_footprints_find(ir, program, &found, &why)
               ? found.ops.flops / (double)(steps > 1 ? steps : 1)
               : 0;
}

/* ---- the best kernels */

struct reader {
    struct lift_db *db;
    struct lift_arena *arena;
    const char *path;
    struct report_families *families;
    json_t *document, *best, *kernels, *derivations;
    bool good;
};

struct steps {
    json_t *steps, *macros;
};

static bool add_step(void *user, const struct lift_db_step *step)
{
    struct steps *out = user;
    LIFT_SCOPED(lift_str) now = {0};
    const char *rule;

    for (int i = 0; i < step->macro_count; i++)
        if (step->macros[i].first == step->step)
            json_array_append_new(
                out->macros,
                json_pack("[s, s, i, i]", lift_name_now(step->macros[i].macro, &now),
                          step->macros[i].position, step->macros[i].first,
                          step->macros[i].steps));
    rule = lift_name_now(step->rule, &now);
    json_array_append_new(
        out->steps, *step->args ? json_pack("[s, s, s]", rule, step->position, step->args)
                                : json_pack("[s, s]", rule, step->position));
    return true;
}

static void add_derivation(struct reader *r, struct lift_hash expr)
{
    LIFT_SCOPED(lift_str) how = {0};
    char hex[LIFT_HASH_HEX];
    struct steps steps;

    if (json_object_get(r->derivations, lift_hash_hex(expr, hex)))
        return;
    steps = (struct steps){json_array(), json_array()};
    r->good &= report_how_short(r->db, expr, " \xc2\xb7 ", &how) &&
               lift_db_derivation(r->db, expr, add_step, &steps);
    json_object_set_new(r->derivations, hex,
                        json_pack("{s:s, s:o, s:o}", "how", lift_str_get(&how), "steps",
                                  steps.steps, "macros", steps.macros));
}

static bool complete_kernel(void *kernel, const struct lift_db_kernel_row *row)
{
    char expr[LIFT_HASH_HEX], session[LIFT_HASH_HEX];

    json_object_update_new(kernel, json_pack("{s:s, s:s, s:b, s:o}", "expr",
                                             lift_hash_hex(row->expr, expr), "session",
                                             lift_hash_hex(row->session, session),
                                             "verified", row->verified, "tunables",
                                             report_tunables_json(row->tunables)));
    report_add_resources(kernel, row);
    return false;
}

/* Adds the kernels that the summary of an exploration lists. Returns the best
 * kernel's time, with its interval in the final benchmark if there is one. */
static struct lift_interval add_kernels(struct reader *r, const struct lift_db_best *best)
{
    struct lift_interval seconds = {.median = best->seconds};
    LIFT_SCOPED(report_top) top = {.most = TOP};
    char problem[LIFT_HASH_HEX], device[LIFT_HASH_HEX], trial[LIFT_HASH_HEX];
    int place = 0;

    lift_hash_hex(best->trial, trial);
    lift_hash_hex(best->problem, problem);
    lift_hash_hex(best->device_id, device);
    r->good &= report_top_load(&top, r->db, best->problem, best->device_id);
    for (int i = 0; i < top.count; i++) {
        const struct report_top_row *row = &top.rows[i];
        json_auto_t *kernel = json_pack("{s:s, s:s, s:s, s:f, s:b}", "problem", problem,
                                        "device", device, "trial", row->trial, "seconds",
                                        row->seconds, "confirmed", row->confirmed);

        r->good &= lift_db_kernel(r->db, row->trial, complete_kernel, kernel);
        if (!json_is_true(json_object_get(kernel, "verified")) || !(row->seconds > 0))
            continue;
        json_object_del(kernel, "verified");
        json_object_set_new(kernel, "place", json_integer(++place));
        json_array_append(r->kernels, kernel);
        add_derivation(r, row->expr);
        if (!strcmp(row->trial, trial))
            seconds = (struct lift_interval){row->seconds, row->low, row->high, 0};
    }
    return seconds;
}

/* Adds whether a best kernel was timed on a busy machine; null: unknown. */
static void add_machine(struct reader *r, const struct lift_db_best *best, json_t *row)
{
    json_auto_t *interference = NULL;
    json_t *busy;

    r->good &= lift_db_interference(r->db, best->trial, best->device_id, &interference);
    busy = json_object_get(interference, "busy");
    json_object_set(row, "busy", busy ? busy : json_null());
}

/* Adds the schedule of a best kernel to its row: words, options, nearest family. */
static void add_schedule(struct reader *r, const struct lift_db_best *best, json_t *row)
{
    LIFT_SCOPED(lift_str) options = {0}, today = {0}, words = {0};
    const struct lift_family *family;
    int changes = 0;
    bool has;

    r->good &= lift_db_configuration_of(r->db, best->expr, &options, &has);
    family = r->good && has
                 ? report_family_of(r->families, lift_str_get(&options), &changes)
                 : NULL;
    report_options_today(r->families, lift_str_get(&options), &today);
    json_object_set_new(row, "options", has ? shown(lift_str_get(&today)) : json_null());
    json_object_set_new(row, "family", family ? json_string(family->name) : json_null());
    json_object_set_new(row, "changes", json_integer(changes));
    if (has)
        report_schedule(report_families_rules(r->families), lift_str_get(&options),
                        best->tunables, &words);
    json_object_set_new(row, "schedule", has ? shown(lift_str_get(&words)) : json_null());
}

/* Finds the naive kernel of single steps, times the steps of a launch. Without its time,
 * finds the naive kernel of the problem itself. */
static bool find_naive(struct reader *r, const struct lift_db_best *best,
                       struct report_naive *out)
{
    const json_t *row = find_row(r->document, "problems", best->problem);
    struct lift_hash single;
    bool found = false;

    if (lift_hash_parse(text_of(row, "single"), &single))
        r->good &=
            report_naive_find(r->families, r->db, single, best->device_id, out, &found);
    if (found) {
        out->seconds *= best->steps;
        out->low *= best->steps;
        out->high *= best->steps;
        return true;
    }
    r->good &= report_naive_find(r->families, r->db, best->problem, best->device_id, out,
                                 &found);
    return found;
}

/* Adds the naive kernel, and the best kernel's speedup over the naive kernel, with
 * 'seconds' for the best. */
static void add_naive(struct reader *r, const struct lift_db_best *best,
                      const struct lift_interval *seconds, json_t *row)
{
    struct report_naive naive;
    struct lift_interval slow, gain;
    bool found = find_naive(r, best, &naive);

    slow = (struct lift_interval){naive.seconds, naive.low, naive.high, 0};
    json_object_set_new(
        row, "naive",
        found ? json_pack("{s:s, s:f, s:f, s:f, s:b, s:b}", "trial", naive.trial,
                          "seconds", naive.seconds, "low", naive.low, "high", naive.high,
                          "confirmed", naive.confirmed, "spread", report_is_spread(&slow))
              : json_null());
    gain = report_gain(seconds, &slow);
    json_object_update_new(
        row, json_pack("{s:o, s:o, s:o, s:o, s:o}", "low", known(seconds->low), "high",
                       known(seconds->high), "gain", known(gain.median), "gain_low",
                       known(gain.low), "gain_high", known(gain.high)));
}

/* Adds the stored source. Exports and 'lift db prune' remove sources. */
static void add_source(struct reader *r, const char *trial, json_t *row)
{
    LIFT_SCOPED(lift_str) source = {0};
    bool has = lift_db_text(r->db, LIFT_DB_TEXT_SOURCE, trial, &source);

    json_object_set_new(row, "source",
                        has && source.len > 0 && source.len <= MOST_SOURCE
                            ? shown(lift_str_get(&source))
                            : json_null());
}

static bool add_best(void *user, const struct lift_db_best *row)
{
    struct reader *r = user;
    const json_t *device = find_row(r->document, "devices", row->device_id);
    LIFT_SCOPED(lift_str) command = {0};
    struct report_named program;
    struct lift_interval seconds;
    json_t *best;
    char problem[LIFT_HASH_HEX], device_id[LIFT_HASH_HEX], trial[LIFT_HASH_HEX],
        expr[LIFT_HASH_HEX];

    if (!find_row(r->document, "problems", row->problem) || !device ||
        !(row->seconds > 0))
        return true;
    r->good &= report_named(r->db, r->arena, row->problem, &program);
    if (!r->good)
        return false;
    report_emit_command(&program, r->path, text_of(device, "argument"), row->sizes,
                        &command);
    best = json_pack(
        "{s:s, s:s, s:s, s:s, s:f, s:f, s:o, s:o, s:s, s:b, s:o}", "problem",
        lift_hash_hex(row->problem, problem), "device",
        lift_hash_hex(row->device_id, device_id), "trial",
        lift_hash_hex(row->trial, trial), "expr", lift_hash_hex(row->expr, expr),
        "seconds", row->seconds, "gpts", row->gpts, "gbs", known(row->gbs), "copy_share",
        known(row->copy_share), "copy_level", row->in_cache ? "cache" : "memory",
        "confirmed", row->confirmed, "command", shown(lift_str_get(&command)));
    json_array_append_new(r->best, best);
    add_machine(r, row, best);
    add_schedule(r, row, best);
    add_source(r, trial, best);
    seconds = add_kernels(r, row);
    add_naive(r, row, &seconds, best);
    r->good &= report_add_parameters(r->families, r->db, row->problem, row->device_id,
                                     json_object_get(r->document, "families"),
                                     json_object_get(r->document, "importance"));
    return r->good;
}

/* ---- the document */

static json_t *sizes_json(const struct report_wanted *wanted)
{
    json_t *sizes = json_object();

    for (int i = 0; i < wanted->size_count; i++)
        json_object_set_new(sizes, wanted->sizes[i].name,
                            json_integer(wanted->sizes[i].value));
    return sizes;
}

/* Adds the reason why a report is empty. */
static bool add_nothing(json_t *document, struct lift_db *db, const char *path,
                        const struct report_wanted *wanted)
{
    LIFT_SCOPED(lift_str) why = {0};

    if (json_array_size(json_object_get(document, "problems")))
        return true;
    lift_str_add(&why,
                 "No trials of these programs, sizes, precisions and devices are in "
                 "the database");
    if (!report_say_others(db, REPORT_ROWS_EXPLORED, wanted, &why))
        return false;
    lift_str_addf(&why, ": 'lift explore FILE.lift --db %s' makes some.", path);
    json_object_set_new(document, "nothing", shown(lift_str_get(&why)));
    return true;
}

/* Adds the ceilings of rooflines. */
static void add_ceilings(json_t *device)
{
    const char *arch = text_of(device, "arch");
    int units = (int)json_integer_value(json_object_get(device, "compute_units"));
    double mhz = json_number_value(json_object_get(device, "mhz"));
    struct explore_ceilings f32 = explore_ceilings(arch, units, "f32", mhz),
                            f64 = explore_ceilings(arch, units, "f64", mhz);

    json_object_update_new(
        device, json_pack("{s:o, s:o, s:o}", "f32_gflops", known(f32.gflops),
                          "f64_gflops", known(f64.gflops), "l2_gbs", known(f32.l2_gbs)));
}

json_t *report_document(struct lift_db *db, const char *path,
                        const struct report_wanted *wanted, struct lift_arena *arena)
{
    struct reader r = {db, arena, path, .good = true};
    struct lift_db_filter filter = wanted->filter;
    json_auto_t *wanted_sizes = sizes_json(wanted);
    LIFT_FREED char *sizes = lift_json_print(wanted_sizes, 0);
    time_t now = time(NULL);
    char made[32];
    json_t *row;
    size_t i;

    filter.sizes = sizes;
    r.document = lift_db_report(db, &filter);
    if (!r.document)
        return NULL;
    strftime(made, sizeof made, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    json_object_update_new(r.document, json_pack("{s:s, s:s, s:o}", "lift", LIFT_VERSION,
                                                 "made", made, "database", shown(path)));
    report_join_depths(json_object_get(r.document, "problems"));
    json_array_foreach(json_object_get(r.document, "problems"), i, row)
    {
        json_object_set_new(row, "ops", known(operations_of(arena, row)));
        json_object_del(row, "text");
    }
    json_array_foreach(json_object_get(r.document, "devices"), i, row) add_ceilings(row);
    json_object_update_new(r.document, json_pack("{s:[], s:[], s:[]}", "families",
                                                 "importance", "measured"));
    json_object_set_new(r.document, "best", r.best = json_array());
    json_object_set_new(r.document, "kernels", r.kernels = json_array());
    json_object_set_new(r.document, "derivations", r.derivations = json_object());
    filter.sizes = NULL;
    r.families = report_families_open();
    r.good = lift_db_best(db, &filter, add_best, &r) && r.good &&
             add_nothing(r.document, db, path, wanted);
    report_families_close(r.families);
    if (r.good)
        return r.document;
    json_decref(r.document);
    return NULL;
}

/* ---- output */

void report_print(const json_t *document, struct lift_str *out)
{
    LIFT_FREED char *text = lift_json_print(document, JSON_COMPACT | JSON_ENSURE_ASCII |
                                                          JSON_REAL_PRECISION(9));

    for (const char *c = text; c && *c; c++)
        if (strchr("<>&\177", *c))
            lift_str_addf(out, "\\u%04x", (unsigned)*c);
        else
            lift_str_addc(out, *c);
}

void report_page(const json_t *document, struct lift_str *out)
{
    lift_str_add(out, report_texts[REPORT_BEGIN]);
    report_print(document, out);
    lift_str_add(out, report_texts[REPORT_END]);
}
