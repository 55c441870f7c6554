/* What each process of a simulation has, reads and writes of an array. */
#include "run/ranks/simulation_ranks.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- planes */

static int64_t planes_of(const struct explore_shape *shape)
{
    return shape->dims ? shape->length[0] : 1;
}

size_t sim_plane_bytes(const struct explore_shape *shape)
{
    return (size_t)(shape->count / planes_of(shape)) *
           (size_t)lift_scalar_bytes(shape->scalar);
}

static const struct part *own_part(const struct sim *s)
{
    return &s->parts->part[s->ranks->rank];
}

static bool is_cut(const struct sim *s, int input)
{
    return input < 0 || parts_cuts(s->parts, 0, &s->in[input].shape, true);
}

struct sim_planes sim_own(const struct sim *s, const struct explore_shape *shape,
                          int input)
{
    if (!s->ranks)
        return (struct sim_planes){0, planes_of(shape)};
    if (is_cut(s, input))
        return (struct sim_planes){own_part(s)->along[0].first, own_part(s)->along[0].own};
    return (struct sim_planes){0, s->ranks->rank == 0 ? planes_of(shape) : 0};
}

int sim_needed(const struct sim *s, int input, struct sim_planes out[SIM_RANGES])
{
    int64_t all = planes_of(&s->in[input].shape), begin, end;
    int count = 0;

    out[0] = (struct sim_planes){0, all};
    if (!s->ranks || !is_cut(s, input))
        return 1;
    begin = own_part(s)->along[0].begin;
    end = begin + own_part(s)->along[0].length;
    if (begin < 0) /* in a ring */
        out[count++] = (struct sim_planes){begin + all, -begin};
    out[count++] = (struct sim_planes){begin > 0 ? begin : 0,
                                       (end < all ? end : all) - (begin > 0 ? begin : 0)};
    if (end > all)
        out[count++] = (struct sim_planes){0, end - all};
    return count;
}

/* ---- files */

struct grid_part sim_piece(const struct sim *s, const struct explore_shape *shape,
                           int input, const void *data)
{
    struct sim_planes own = sim_own(s, shape, input);
    size_t plane = sim_plane_bytes(shape);

    return (struct grid_part){.data = data,
                              .bytes = (size_t)planes_of(shape) * plane,
                              .begin = (size_t)own.first * plane,
                              .end = (size_t)(own.first + own.count) * plane};
}

struct grid_part sim_piece_once(const struct sim *s, const void *data, size_t bytes)
{
    return (struct grid_part){.data = data,
                              .bytes = bytes,
                              .end = !s->ranks || s->ranks->rank == 0 ? bytes : 0};
}

/* A name that nobody else has; the first process says it. */
static bool part_name(struct sim *s, const char *path, struct lift_str *out)
{
    int64_t process = getpid();

    if (!sim_tell(s, &process, sizeof process))
        return false;
    memcpy(&process, ranks_word(s->ranks, 0), sizeof process);
    lift_str_addf(out, "%s.part-%lld", path, (long long)process);
    return true;
}

static bool make(const char *path, const struct grid_part *parts, int count)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    off_t bytes = 0;
    bool good;

    for (int i = 0; i < count; i++)
        bytes += (off_t)parts[i].bytes;
    good = file >= 0 && ftruncate(file, bytes) == 0;
    if (file >= 0)
        good = close(file) == 0 && good;
    return good;
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

static bool write_own(const char *path, const struct grid_part *parts, int count,
                      bool lasting)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool good = file >= 0;
    off_t at = 0;

    for (int i = 0; good && i < count; at += (off_t)parts[i++].bytes)
        good = parts[i].end <= parts[i].begin ||
               write_at(file, (const char *)parts[i].data + parts[i].begin,
                        parts[i].end - parts[i].begin, at + (off_t)parts[i].begin);
    good = good && (!lasting || fsync(file) == 0);
    if (file >= 0)
        good = close(file) == 0 && good;
    return good;
}

/* The first process makes the file, all write to it, and then it gets its name. */
static bool write_together(struct sim *s, const char *path, const struct grid_part *parts,
                           int count, bool lasting)
{
    bool first = s->ranks->rank == 0, good;
    struct lift_str part = {0};

    if (!part_name(s, path, &part))
        return false;
    good = (!first || make(part.data, parts, count)) ||
           sim_fail(s, SIM_FAILED, "cannot write '%s': %s", path, strerror(errno));
    good = sim_meet(s, good);
    good =
        good && (write_own(part.data, parts, count, lasting) ||
                 sim_fail(s, SIM_FAILED, "cannot write '%s': %s", path, strerror(errno)));
    good = sim_meet(s, good);
    good =
        good && (!first || rename(part.data, path) == 0 ||
                 sim_fail(s, SIM_FAILED, "cannot write '%s': %s", path, strerror(errno)));
    if (first && !good)
        unlink(part.data);
    good = sim_meet(s, good);
    lift_str_fini(&part);
    return good;
}

bool sim_write_file(struct sim *s, const char *path, const struct grid_part *parts,
                    int count, bool lasting)
{
    struct lift_str why = {0};

    if (s->ranks)
        return write_together(s, path, parts, count, lasting);
    if (!grid_write(path, parts, count, lasting, &why))
        return sim_fail_why(s, SIM_FAILED, NULL, &why);
    return true;
}

/* ---- sums over all processes */

bool sim_hash(struct sim *s, int input, struct lift_hash *hash)
{
    const struct sim_array *a = &s->in[input];
    struct sim_planes own = sim_own(s, &a->shape, input);
    size_t bytes = sim_plane_bytes(&a->shape);
    struct lift_hash sum = {0, 0};

    for (int64_t i = own.first; i < own.first + own.count; i++) {
        struct lift_hash plane = lift_hash_bytes(
            (const char *)a->data + (size_t)i * bytes, bytes, (uint64_t)i);

        sum = (struct lift_hash){sum.lo + plane.lo, sum.hi + plane.hi};
    }
    *hash = sum;
    if (!s->ranks)
        return true;
    if (!sim_tell(s, &sum, sizeof sum))
        return false;
    *hash = (struct lift_hash){0, 0};
    for (int i = 0; i < s->ranks->size; i++) {
        memcpy(&sum, ranks_word(s->ranks, i), sizeof sum);
        *hash = (struct lift_hash){hash->lo + sum.lo, hash->hi + sum.hi};
    }
    return true;
}

static struct sim_infinite find_here(const struct sim *s,
                                     const struct explore_shape *shape, int input,
                                     const void *data)
{
    struct sim_planes own = sim_own(s, shape, input);
    int64_t plane = shape->count / planes_of(shape);
    struct sim_infinite found = {0, 0, 0};

    for (int64_t i = own.first * plane; i < (own.first + own.count) * plane; i++) {
        double value = explore_element(data, shape->scalar, i);

        if (!isfinite(value) && found.count++ == 0) {
            found.first = i;
            found.value = value;
        }
    }
    return found;
}

bool sim_find_infinite(struct sim *s, const struct explore_shape *shape, int input,
                       const void *data, struct sim_infinite *out)
{
    *out = find_here(s, shape, input, data);
    if (!s->ranks)
        return true;
    if (!sim_tell(s, out, sizeof *out))
        return false;
    *out = (struct sim_infinite){0, 0, 0};
    for (int i = 0; i < s->ranks->size; i++) {
        struct sim_infinite other;

        memcpy(&other, ranks_word(s->ranks, i), sizeof other);
        if (out->count == 0)
            *out = (struct sim_infinite){0, other.first, other.value};
        out->count += other.count;
    }
    return true;
}
