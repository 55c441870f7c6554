/* The part of an array that each process of a simulation has, reads and writes. */
#include "base/file.h"
#include "base/parallel.h"
#include "run/ranks/simulation_ranks.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { SEARCH_GRAIN = 1 << 18 };

/* ---- planes */

int64_t sim_length(const struct explore_shape *shape, int dim)
{
    return dim < shape->dims ? shape->length[dim] : 1;
}

static const struct part *own_part(const struct sim *s)
{
    return &s->parts->part[s->team.to.rank];
}

static bool is_cut(const struct sim *s, int dim, int input)
{
    const struct explore_shape *shape = input < 0 ? NULL : &s->in[input].shape;

    return parts_cuts(s->parts, dim, shape, input >= 0);
}

/* If several parts have equal elements, the elements belong to the first of these parts.
 */
struct sim_planes sim_own(const struct sim *s, const struct explore_shape *shape,
                          int input)
{
    struct sim_planes out = {{0}, {0}};

    for (int d = 0; d < PARTS_DIMS; d++) {
        out.count[d] = sim_length(shape, d);
        if (!s->ranks)
            continue;
        if (is_cut(s, d, input)) {
            out.first[d] = own_part(s)->along[d].first;
            out.count[d] = own_part(s)->along[d].own;
        } else if (parts_index(s->parts, s->team.to.rank, d) > 0) {
            out.count[d] = 0;
        }
    }
    return out;
}

int sim_needed(const struct sim *s, int input, struct sim_planes out[SIM_RANGES])
{
    const struct explore_shape *shape = &s->in[input].shape;
    struct part_range at[PARTS_DIMS][PARTS_RANGES];
    int count[PARTS_DIMS];

    for (int d = 0; d < PARTS_DIMS; d++) {
        at[d][0] = (struct part_range){0, 0, sim_length(shape, d)};
        count[d] = s->ranks ? parts_ranges(own_part(s), d, shape, true, true, at[d]) : 1;
    }
    for (int i = 0; i < count[0] * count[1]; i++) {
        struct part_range planes = at[0][i / count[1]], rows = at[1][i % count[1]];

        out[i] =
            (struct sim_planes){{planes.grid, rows.grid}, {planes.count, rows.count}};
    }
    return count[0] * count[1];
}

struct sim_runs sim_runs_of(const struct explore_shape *shape, const struct sim_planes *p)
{
    int64_t rows = sim_length(shape, 1);
    int64_t row = shape->count / (sim_length(shape, 0) * rows);
    struct sim_runs out = {.first = (p->first[0] * rows + p->first[1]) * row,
                           .count = p->count[1] * row,
                           .apart = rows * row,
                           .runs = p->count[0]};

    if (out.count < out.apart)
        return out;
    out.count *= out.runs;
    out.runs = 1;
    return out;
}

/* ---- files */

struct grid_part sim_piece(const struct sim *s, const struct explore_shape *shape,
                           int input, const void *data)
{
    struct sim_planes own = sim_own(s, shape, input);
    struct sim_runs runs = sim_runs_of(shape, &own);
    size_t bytes = (size_t)lift_scalar_bytes(shape->scalar);

    return (struct grid_part){.data = data,
                              .bytes = (size_t)shape->count * bytes,
                              .begin = (size_t)runs.first * bytes,
                              .piece = (size_t)runs.count * bytes,
                              .apart = (size_t)runs.apart * bytes,
                              .pieces = runs.runs};
}

struct grid_part sim_piece_once(const struct sim *s, const void *data, size_t bytes)
{
    return (struct grid_part){.data = data,
                              .bytes = bytes,
                              .piece = bytes,
                              .pieces = s->team.to.rank == 0 ? 1 : 0};
}

/* Makes a unique name; the first process chooses the name. */
static bool part_name(struct sim *s, const char *path, struct lift_str *out)
{
    int64_t process = getpid();

    if (!sim_tell(s, &process, sizeof process))
        return false;
    memcpy(&process, team_word(&s->team, 0), sizeof process);
    lift_str_addf(out, "%s" LIFT_FILE_PART "%lld", path, (long long)process);
    return true;
}

/* Creates and locks the file (see grid_sweep). Returns -1 with errno on failure. */
static int make(const char *path, const struct grid_part *parts, int count)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), why;
    off_t bytes = 0;

    for (int i = 0; i < count; i++)
        bytes += (off_t)parts[i].bytes;
    if (file < 0)
        return -1;
    flock(file, LOCK_EX | LOCK_NB);
    if (ftruncate(file, bytes) == 0)
        return file;
    why = errno;
    close(file);
    errno = why;
    return -1;
}

static bool write_at(int file, const char *data, size_t bytes, off_t at)
{
    while (bytes > 0) {
        ssize_t some = pwrite(file, data, bytes, at);

        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0)
            return false;
        data += some;
        at += some;
        bytes -= (size_t)some;
    }
    return true;
}

static bool write_pieces(int file, const struct grid_part *p, off_t at)
{
    for (int64_t i = 0; i < p->pieces; i++) {
        size_t from = p->begin + (size_t)i * p->apart;

        if (!write_at(file, (const char *)p->data + from, p->piece, at + (off_t)from))
            return false;
    }
    return true;
}

static bool write_own(const char *path, const struct grid_part *parts, int count,
                      bool lasting)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool good = file >= 0;
    off_t at = 0;

    for (int i = 0; good && i < count; at += (off_t)parts[i++].bytes)
        good = write_pieces(file, &parts[i], at);
    good = good && (!lasting || fsync(file) == 0);
    if (file >= 0)
        good = close(file) == 0 && good;
    return good;
}

/* The first process creates the file, all processes write, and the first renames the
 * file.
 */
static bool write_together(struct sim *s, const char *path, const struct grid_part *parts,
                           int count, bool lasting)
{
    bool first = s->team.to.rank == 0, good;
    LIFT_SCOPED(lift_str) part = {0}, why = {0};
    int file = -1;

    if (!part_name(s, path, &part))
        return false;
    good = (!first || (file = make(part.data, parts, count)) >= 0) ||
           sim_fail(s, SIM_FAILED, "cannot write '%s': %s", path, strerror(errno));
    good = sim_meet(s, good);
    good =
        good && (write_own(part.data, parts, count, lasting) ||
                 sim_fail(s, SIM_FAILED, "cannot write '%s': %s", path, strerror(errno)));
    good = sim_meet(s, good);
    good = good &&
           (!first || lift_file_replace(part.data, path, &why) ||
            sim_fail(s, SIM_FAILED, "cannot write '%s': %s", path, lift_str_get(&why)));
    if (first && !good)
        unlink(part.data);
    if (file >= 0)
        close(file);
    return sim_meet(s, good);
}

bool sim_write_file(struct sim *s, const char *path, const struct grid_part *parts,
                    int count, bool lasting)
{

    if (s->ranks)
        return write_together(s, path, parts, count, lasting);
    if (!grid_write(path, parts, count, lasting, &s->result.error.text))
        return sim_fail_as(s, SIM_FAILED, NULL);
    return true;
}

/* ---- sums over all processes */

/* Hashes an element with its position in the array. */
static struct lift_hash hash_element(uint64_t bits, uint64_t place)
{
    uint64_t x = bits + (place + 1) * 0x9e3779b97f4a7c15ULL;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return (struct lift_hash){x ^ (x >> 31), x * 0xd6e8feb86659fd93ULL};
}

static uint64_t bits_at(const char *data, int bytes, int64_t i)
{
    uint32_t word;
    uint64_t bits = 0;

    if (bytes == 4) {
        memcpy(&word, data + 4 * i, 4);
        return word;
    }
    memcpy(&bits, data + (size_t)i * (size_t)bytes, (size_t)bytes);
    return bits;
}

/* Hashes the elements of one row; 'place' is the position of the first element over all
 * rows. */
static void hash_row(const struct explore_shape *shape, const struct sim_runs *runs,
                     const char *row, int64_t place, struct lift_hash *sum)
{
    int bytes = lift_scalar_bytes(shape->scalar);

    for (int64_t k = 0; k < runs->runs; k++) {
        int64_t first = runs->first + k * runs->apart;

        for (int64_t i = first; i < first + runs->count; i++) {
            struct lift_hash h =
                hash_element(bits_at(row, bytes, i), (uint64_t)(place + i));

            *sum = (struct lift_hash){sum->lo + h.lo, sum->hi + h.hi};
        }
    }
}

bool sim_hash(struct sim *s, const struct sim_rows *rows, struct lift_hash *hash)
{
    const struct explore_shape *shape = rows->shape;
    struct sim_planes own = sim_own(s, shape, rows->input);
    struct sim_runs runs = sim_runs_of(shape, &own);
    size_t bytes = (size_t)shape->count * (size_t)lift_scalar_bytes(shape->scalar);
    struct lift_hash sum = {0, 0};

    for (int64_t i = 0; i < rows->count; i++)
        hash_row(shape, &runs, (const char *)rows->data + (size_t)i * bytes,
                 i * shape->count, &sum);
    if (!sim_tell(s, &sum, sizeof sum))
        return false;
    *hash = (struct lift_hash){0, 0};
    for (int i = 0; i < s->team.to.size; i++) {
        memcpy(&sum, team_word(&s->team, i), sizeof sum);
        *hash = (struct lift_hash){hash->lo + sum.lo, hash->hi + sum.hi};
    }
    return true;
}

/* A search by several threads, from element 'first' on. */
struct search {
    const char *data;
    enum lift_scalar scalar;
    int64_t first;
    atomic_int_least64_t count, found; /* found: the first position of all threads */
};

/* Counts non-finite f32 elements: all bits of the exponent are 1. The loop vectorises. */
static int64_t count_words(const struct search *s, int64_t from, int64_t to)
{
    const uint32_t *words = (const uint32_t *)(const void *)s->data + s->first;
    int64_t count = 0;

    for (int64_t i = from; i < to; i++)
        count += (words[i] & 0x7f800000) == 0x7f800000;
    return count;
}

static void search_some(void *user, int64_t from, int64_t to)
{
    struct search *s = user;

    if (s->scalar == LIFT_F32 && count_words(s, from, to) == 0)
        return;
    for (int64_t i = s->first + from; i < s->first + to; i++) {
        int64_t found = atomic_load(&s->found);

        if (isfinite(explore_element(s->data, s->scalar, i)))
            continue;
        atomic_fetch_add(&s->count, 1);
        while (i < found && !atomic_compare_exchange_weak(&s->found, &found, i))
            ;
    }
}

static struct sim_infinite find_here(const struct sim *s,
                                     const struct explore_shape *shape, int input,
                                     const void *data)
{
    struct sim_planes own = sim_own(s, shape, input);
    struct sim_runs runs = sim_runs_of(shape, &own);
    struct search search = {.data = data, .scalar = shape->scalar, .found = INT64_MAX};
    struct sim_infinite out = {0, 0, 0};

    for (int64_t k = 0; k < runs.runs; k++) {
        search.first = runs.first + k * runs.apart;
        lift_parallel(runs.count, SEARCH_GRAIN, search_some, &search);
    }
    out.count = search.count;
    if (out.count > 0) {
        out.first = search.found;
        out.value = explore_element(data, shape->scalar, out.first);
    }
    return out;
}

bool sim_find_infinite(struct sim *s, const struct explore_shape *shape, int input,
                       const void *data, struct sim_infinite *out)
{
    *out = find_here(s, shape, input, data);
    if (!sim_tell(s, out, sizeof *out))
        return false;
    *out = (struct sim_infinite){0, 0, 0};
    for (int i = 0; i < s->team.to.size; i++) {
        struct sim_infinite other;

        memcpy(&other, team_word(&s->team, i), sizeof other);
        if (other.count > 0 && (out->count == 0 || other.first < out->first)) {
            out->first = other.first;
            out->value = other.value;
        }
        out->count += other.count;
    }
    return true;
}
