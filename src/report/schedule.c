/* Tables of words for schedules: options of decisions, and tunables by the size that
 * they set. */
#include "report/schedule.h"
#include "base/json.h"
#include "base/memory.h"
#include "ir/tunable.h"
#include "report/short.h"
#include "rules/decision.h"
#include <stdio.h>
#include <string.h>

/* ---- options */

/* '%' stands for the option, with its words separated. A row without an option is for
 * all other options of its decision. Empty words: the tunables describe the option. */
static const struct {
    const char *decision, *option, *words;
} option_words[] = {
    {"steps", NULL, "% time steps a launch"},
    {"intermediates", "stored", "intermediates stored"},
    {"injection", "fused", "fused injection"},
    {"division", "combined", "one division for several"},
    {"boundary", "copied", "boundary copied apart"},
    {"boundary", "faces", "a region for each face"},
    {"boundary", "per_dimension", "boundary regions by dimension"},
    {"boundary", "top_bottom", "regions for top and bottom"},
    {"boundary", "faces_specialised", "a specialised region for each face"},
    {"boundary", "per_dimension_specialised", "specialised regions by dimension"},
    {"boundary", "shell", "one region around the interior"},
    {"boundary", "shell_specialised", "one specialised region around the interior"},
    {"row_start", "vector_aligned", "vector-aligned row starts"},
    {"tiling", "guarded", ""},
    {"tiling", "divisible", "tiles divide the grid"},
    {"tiling", "shifted", "last tile shifted inward"},
    {"tiling", "remainder", "remainder apart from the tiles"},
    {"tiling", "slabs", ""},
    {"tiling", "pencils", "pencils"},
    {"tiling", "two_level", ""},
    {"temporal", NULL, "% temporal blocking"},
    {"temporal", "register_strips", "temporal blocking in register strips"},
    {"temporal", "register_strips_specialised",
     "temporal blocking in specialised register strips"},
    {"stream_axis", NULL, "streamed along %"},
    {"tile_order", "y_outer", "tiles in order of y first"},
    {"tile_order", "plane_by_plane", "tiles plane by plane"},
    {"tile_cache", "shared", "tile in shared memory"},
    {"streaming", "register_column", "streaming by columns in registers"},
    {"streaming", "planes", "streaming by planes"},
    {"streaming", "intermediate_planes", "streaming by planes of intermediates"},
    {"plane_values", "kept", "values of a plane kept"},
    {"plane_values", "kept_across_planes", "values kept across planes"},
    {"accumulation", "semi", "semi-stencil"},
    {"accumulation", "semi_each", "semi-stencil of each sum"},
    {"accumulation", "semi_kept", "semi-stencil of kept values"},
    {"accumulation", "plane_first", "sums of a plane first"},
    {"accumulation", "scatter", "scatter accumulation"},
    {"partial_sums", "cached_rows", "partial sums cached by rows"},
    {"partial_sums", "cached_groups", "partial sums cached by groups"},
    {"window", "circular", "circular buffer"},
    {"window", "circular_unconditional", "circular buffer without predicates"},
    {"window", "star_split", "star split: column in registers, plane in shared memory"},
    {"window", "circular_sums", "circular buffer of sums"},
    {"window", "star_rows",
     "star rows: row and column in registers, plane in shared memory"},
    {"window", "circular_values", "circular buffer of values"},
    {"column_source", "circular_buffer", "column read from the circular buffer"},
    {"buffered_streams", "all", "circular buffers for all inputs"},
    {"points_per_thread", "row", "a row of points a thread"},
    {"points_per_thread", "row_vector_store", "rows stored as vectors"},
    {"points_per_thread", "row_vector", "rows of vectors"},
    {"points_per_thread", "row_vector_all_copies", "rows of vectors, copies too"},
    {"points_per_thread", "row_vector_divisible", "rows of vectors that divide the row"},
    {"points_per_thread", "row_pair_fill", "2-wide vectors"},
    {"points_per_thread", "row_vector_fill", "4-wide vectors"},
    {"points_per_thread", "column_vector", "columns of vectors"},
    {"points_per_thread", "adjacent_columns", "adjacent columns a thread"},
    {"points_per_thread", "strided", "strided points a thread"},
    {"points_per_thread", "along_y", ""},
    {"points_per_thread", "along_z", ""},
    {"points_per_thread", "box", ""},
    {"points_per_thread", "vector4", "4-wide vectors"},
    {"points_per_thread", "vector4_box", "4-wide vectors"},
    {"points_per_thread", "whole_row", "a whole row a thread"},
    {"points_per_thread", "vector_block", ""},
    {"load_reuse", "grouped", "grouped loads"},
    {"predicates", "after_values", "predicates after values"},
    {"predicates", "specialised_steps", "predicates by specialised steps"},
    {"predicates", "merged", "merged predicates"},
    {"unrolling", "full", "unrolled sums"},
    {"unrolling", "addition_chains", "sums as addition chains"},
    {"unrolling", "interior", "unrolled sums in the interior"},
    {"row_ends", "peeled", "peeled row ends"},
    {"row_ends", "masked_vectors", "masked vectors at row ends"},
    {"simd", "omp_simd", "OpenMP SIMD loops"},
    {"simd", "strips", "SIMD strips"},
    {"simd", "explicit", "explicit SIMD"},
    {"simd", "explicit_shuffle", "explicit SIMD with shuffles"},
    {"predicate_hoisting", "per_row", "predicates hoisted by rows"},
    {"predicate_hoisting", "per_vector", "predicates hoisted by vectors"},
    {"face_schedule", "tiled_shared", "faces tiled in shared memory"},
    {"face_schedule", "vectorised_rows", "faces by rows of vectors"},
    {"face_schedule", "vectorised_columns", "faces by columns of vectors"},
    {"parallel", "blocks", ""},
    {"parallel", "omp_static", "OpenMP static schedule"},
    {"parallel", "omp_dynamic", "OpenMP dynamic schedule"},
    {"parallel", "omp_collapse", "OpenMP collapsed loops"},
    {"parallel", "omp_team", "OpenMP team"},
    {"parallel", "omp_tasks", "OpenMP tasks"},
    {"parallel", "omp_taskloop", "OpenMP task loop"},
    {"parallel", "sequential", "one thread"},
    {"prefetch", "to_registers", "prefetch to registers"},
    {"prefetch", "to_l2", "prefetch to L2"},
    {"buffering", NULL, "% buffering"},
    {"copy", "async", "asynchronous copies"},
    {"copy", "tma", "TMA copies"},
    {"halo_copy", "flat", "halo copied by one loop"},
    {"halo_copy", "sides", "halo copied without corners"},
    {"halo_copy", "side_pairs", "halo copied by one test, an element of each side"},
    {"halo_copy", "side_list", "halo copied by one test, a list of sides"},
    {"barrier", "arrive_wait", "arrive-wait barriers"},
    {"barrier", "slot_counter", "slot counters for barriers"},
    {"neighbours", "shuffle", "neighbours by shuffle"},
    {"planes_per_step", "several_planes", ""},
    {"planes_per_step", "divisible_planes", ""},
    {"register_rotation", "unrolled", "unrolled register rotation"},
    {"outputs", "same_kernel", "outputs in one kernel"},
    {"halo", "allocated", "allocated halo"},
    {"halo", "required", "allocated halo"},
    {"pitch", "aligned", "aligned rows"},
    {"update", "in_place", "in place"},
    {"stores", "non_temporal", "non-temporal stores"},
    {"stores", "evict_first", "non-temporal stores"},
    {"stores", "evict_first_loads", "non-temporal stores and loads"},
    {"plane_pitch", "padded", "padded planes"},
};

enum { OPTION_WORDS = sizeof option_words / sizeof *option_words };

/* Returns the row of an option, or the row for other options of its decision. -1:
 * none. */
static int find_option(const char *decision, const char *option)
{
    int other = -1;

    for (int i = 0; i < OPTION_WORDS; i++) {
        if (strcmp(option_words[i].decision, decision) != 0)
            continue;
        if (!option_words[i].option)
            other = i;
        else if (option && !strcmp(option_words[i].option, option))
            return i;
    }
    return other;
}

const char *report_option_words(const char *decision, const char *option,
                                struct lift_str *words)
{
    int row = find_option(decision, option);

    lift_str_clear(words);
    if (row < 0 || !*option_words[row].words)
        return NULL;
    for (const char *c = option_words[row].words; *c; c++)
        if (*c != '%')
            lift_str_addc(words, *c);
        else
            for (const char *o = option; *o; o++)
                lift_str_addc(words, *o == '_' ? ' ' : *o);
    return lift_str_get(words);
}

/* ---- tunables */

enum { DIMS = 3 };
static const char dim_names[] = "zyx";

/* Prefixes of a second and third tunable of a name and dimension. */
static const char *const prefixes[] = {"", "inner_", "other_"};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes };

/* '%' stands for the value, or for the values of all dimensions: NAME_z, NAME_y,
 * NAME_x. Empty words: an option describes the tunable. The order is that of printed
 * schedules. */
static const struct tunable_words {
    const char *name;
    bool dims, reversed; /* x first */
    bool late;           /* printed after the options */
    const char *words;
    const char *unless; /* a value that is not printed; NULL: all values are printed */
} tunable_words[] = {
    {"tile", .dims = true, .words = "tile %"},
    {"slab", .dims = true, .words = "slab %"},
    {"chunk", .dims = true, .words = "chunk %"},
    {"block", .dims = true, .reversed = true, .words = "% threads a block"},
    {"threads", .dims = true, .words = "% rows of threads a block"},
    {"points", .dims = true, .words = "block % points a thread"},
    {"vectors", .dims = true, .words = "% vectors of a row a thread"},
    {"vector", .words = "%-wide vectors", .unless = "1"},
    {"strip", .words = "strips of %", .unless = "1"},
    {"planes", .words = "% planes a step", .unless = "1"},
    {"face_tile", .dims = true, .words = "face tile %"},
    {"prefetch_rows", .words = "prefetch distance %", .unless = "0"},
    {"row_align", .words = ""},
    {"row_lead", .words = ""},
    {"plane_pad", .words = ""},
    {"simd_bits", .late = true, .words = "%-bit SIMD"},
    {"min_blocks", .late = true, .words = "blocks a multiprocessor: %", .unless = "0"},
    {"index_bits", .late = true, .words = "%-bit indices", .unless = "32"},
    {"fast_math", .late = true, .words = "fast math", .unless = "0"},
    {"compiler", .late = true, .words = "compiled by %"},
};

enum { TUNABLE_WORDS = sizeof tunable_words / sizeof *tunable_words };

/* Returns the row of a tunable; NULL: none. */
static const struct tunable_words *find_tunable(const char *name)
{
    for (int i = 0; i < TUNABLE_WORDS * PREFIXES; i++) {
        const struct tunable_words *t = &tunable_words[i / PREFIXES];
        const char *prefix = prefixes[i % PREFIXES], *rest = name + strlen(prefix);
        size_t length = strlen(t->name);

        if (strncmp(name, prefix, strlen(prefix)) != 0 ||
            strncmp(rest, t->name, length) != 0)
            continue;
        rest += length;
        if (t->dims ? rest[0] == '_' && rest[1] && strchr(dim_names, rest[1]) && !rest[2]
                    : !*rest)
            return t;
    }
    return NULL;
}

bool report_has_words(const char *name)
{
    for (int i = 0; i < OPTION_WORDS; i++)
        if (!strcmp(option_words[i].decision, name))
            return true;
    return find_tunable(name) != NULL;
}

/* ---- both */

struct schedule {
    struct lift_str *out;
    size_t begin;
};

static void add_piece(struct schedule *s, const char *text)
{
    lift_str_addf(s->out, "%s%s", s->out->len > s->begin ? ", " : "", text);
}

static void print_value(const char *name, const json_t *value, struct lift_str *out)
{
    const char *word = json_is_integer(value)
                           ? lift_tunable_value_word(name, json_integer_value(value))
                           : json_string_value(value);
    LIFT_FREED char *text =
        word ? NULL : lift_json_print(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));

    lift_str_add(out, word ? word : text ? text : "");
}

/* Prints "6x12x512". If a dimension is missing, or the only one is not x, 'along'
 * gets " along z". Returns false if there are no dimensions, or all are 1. */
static bool print_dims(const struct tunable_words *t, const char *prefix,
                       const json_t *tunables, struct lift_str *out,
                       struct lift_str *along)
{
    int first = DIMS, last = -1, count = 0;
    bool any = false;

    for (int i = 0; i < DIMS; i++) {
        int d = t->reversed ? DIMS - 1 - i : i;
        char name[48];
        const json_t *value;

        snprintf(name, sizeof name, "%s%s_%c", prefix, t->name, dim_names[d]);
        value = json_object_get(tunables, name);
        if (!value)
            continue;
        lift_str_add(out, count++ ? "x" : "");
        print_value(name, value, out);
        lift_str_addf(along, "%s%c", along->len ? ", " : " along ", dim_names[d]);
        any |= json_integer_value(value) != 1;
        first = d < first ? d : first;
        last = d > last ? d : last;
    }
    if (last - first + 1 == count && (count > 1 || last == DIMS - 1))
        lift_str_clear(along);
    return any;
}

static void add_tunable(struct schedule *s, const struct tunable_words *t,
                        const char *prefix, const json_t *tunables)
{
    LIFT_SCOPED(lift_str) value = {0}, along = {0}, text = {0};
    const json_t *member;
    char name[48];

    snprintf(name, sizeof name, "%s%s", prefix, t->name);
    member = json_object_get(tunables, name);
    if (!*t->words ||
        (t->dims ? !print_dims(t, prefix, tunables, &value, &along) : !member))
        return;
    if (!t->dims)
        print_value(name, member, &value);
    if (t->unless && !strcmp(lift_str_get(&value), t->unless))
        return;
    for (const char *c = prefix; *c; c++)
        lift_str_addc(&text, *c == '_' ? ' ' : *c);
    for (const char *c = t->words; *c; c++)
        if (*c == '%')
            lift_str_add(&text, lift_str_get(&value));
        else
            lift_str_addc(&text, *c);
    lift_str_add(&text, lift_str_get(&along));
    add_piece(s, lift_str_get(&text));
}

static void add_tunables(struct schedule *s, bool late, const json_t *tunables)
{
    for (int i = 0; i < TUNABLE_WORDS * PREFIXES; i++)
        if (tunable_words[i / PREFIXES].late == late)
            add_tunable(s, &tunable_words[i / PREFIXES], prefixes[i % PREFIXES],
                        tunables);
}

static void add_unknown(struct schedule *s, const json_t *tunables)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)tunables, name, value)
    {
        LIFT_SCOPED(lift_str) text = {0};

        if (find_tunable(name))
            continue;
        lift_str_addf(&text, "%s=", name);
        print_value(name, value, &text);
        add_piece(s, lift_str_get(&text));
    }
}

static void add_option(struct schedule *s, const char *decision, const char *option)
{
    LIFT_SCOPED(lift_str) text = {0};

    if (report_option_words(decision, option, &text)) {
        add_piece(s, lift_str_get(&text));
    } else if (find_option(decision, option) < 0) {
        lift_str_addf(&text, "%s=%s", decision, option);
        add_piece(s, lift_str_get(&text));
    }
}

/* Adds the words for "a=b,c=d"; text of another form stays unchanged. */
static void add_options(struct schedule *s, const char *options)
{
    LIFT_FREED char *text = lift_strdup(options);
    char *rest = text, *pair;

    while ((pair = strsep(&rest, ","))) {
        char *option = strchr(pair, '=');

        if (option) {
            *option++ = '\0';
            add_option(s, pair, option);
        } else if (*pair) {
            add_piece(s, pair);
        }
    }
}

/* Replaces former names by current ones. Returns false if the options cannot be read. */
static bool read_options(const struct lift_rules *rules, const char *options,
                         struct lift_str *out)
{
    struct lift_configuration configuration = {{0}};
    LIFT_SCOPED(lift_str) why = {0};

    if (!rules || !lift_configuration_read(rules, options, &configuration, &why))
        return false;
    lift_configuration_print(rules, &configuration, out);
    return true;
}

/* Replaces former names option by option. Unreadable options, such as former macros,
 * stay unchanged. */
static void read_each(const struct lift_rules *rules, const char *options,
                      struct lift_str *out)
{
    LIFT_FREED char *text = lift_strdup(options);
    char *rest = text, *option;

    while ((option = strsep(&rest, ","))) {
        size_t before = out->len;

        if (out->len)
            lift_str_addc(out, ',');
        if (!read_options(rules, option, out))
            lift_str_add(out, option);
        else if (out->len == before + 1 && before)
            out->data[out->len = before] = '\0'; /* defaults are not printed */
    }
}

/* Replaces former names of tunables, and replaces numbers by words. */
static json_t *read_tunables(const char *tunables)
{
    json_t *object = lift_json_read(tunables, 0), *now = json_object(), *value;
    const char *said;

    json_object_foreach(object, said, value)
    {
        const char *name = lift_tunable_now(said);
        const char *word = lift_tunable_value_word(name, json_integer_value(value));

        json_object_set_new(now, name, word ? json_string(word) : json_incref(value));
    }
    json_decref(object);
    return now;
}

void report_schedule(const struct lift_rules *rules, const char *options,
                     const char *tunables, struct lift_str *out)
{
    json_t *object = read_tunables(tunables);
    LIFT_SCOPED(lift_str) now = {0};
    struct schedule s = {out, out->len};

    add_tunables(&s, false, object);
    if (!read_options(rules, options, &now))
        read_each(rules, options, &now);
    add_options(&s, lift_str_get(&now));
    add_tunables(&s, true, object);
    add_unknown(&s, object);
    if (out->len == s.begin)
        lift_str_add(out, "default schedule");
    json_decref(object);
}

bool report_schedule_of(struct lift_db *db, const struct lift_rules *rules,
                        struct lift_hash expr, const char *tunables, struct lift_str *out)
{
    LIFT_SCOPED(lift_str) options = {0};
    bool known = false;

    if (!lift_db_configuration_of(db, expr, &options, &known))
        return false;
    /* Macros of a derivation have the names of their options. */
    if (!known && !report_how_short(db, expr, ",", &options))
        return false;
    report_schedule(rules, lift_str_get(&options), tunables, out);
    return true;
}
