/* Buffers of the processor: memory between inaccessible guard pages. */
#include "base/bug.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "device/guard.h"
#include "device/host_t.h"
#include "device/memory.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE_ALIGN = 2 * 1024 * 1024, DIGEST_PIECE = 4 * 1024 * 1024 };

static void drop_map(struct host_map *m)
{
    if (m->map)
        munmap(m->map, m->map_bytes);
    *m = (struct host_map){.map = NULL};
}

void host_drop_spares(struct host_device *h)
{
    for (int i = 0; i < HOST_SPARES; i++)
        drop_map(&h->spares[i]);
}

static bool enough_memory(size_t bytes, struct lift_error *error)
{
    int64_t available = device_cpu_available_memory();

    return available == 0 || bytes <= (uint64_t)available ||
           lift_fail(error, LIFT_ERROR_RESOURCE,
                     "cannot allocate %zu bytes: %lld bytes of memory are available",
                     bytes, (long long)available);
}

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Maps 'bytes' bytes, whole pages, between two guard pages that cannot be accessed. */
static bool open_map(const struct host_map *m, size_t bytes)
{
    size_t page = page_bytes();
    char *end = m->data + bytes + page, *last = (char *)m->map + m->map_bytes;

    return mprotect(m->data - page, bytes + 2 * page, PROT_READ | PROT_WRITE) == 0 &&
           mprotect(end, (size_t)(last - end), PROT_NONE) == 0;
}

/* Large maps have spare room, so that another layout of the grid fits, too. */
static bool make_map(struct host_map *m, size_t bytes)
{
    size_t page = page_bytes(), align = bytes >= LARGE_ALIGN ? LARGE_ALIGN : page;

    m->room = align == LARGE_ALIGN ? round_up(bytes + bytes / 8, page) : bytes;
    m->map_bytes = align + m->room + 4 * page;
    m->map = mmap(NULL, m->map_bytes, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m->map == MAP_FAILED) {
        m->map = NULL;
        return false;
    }
    m->data = (char *)m->map + 2 * page;
    m->data += round_up((uintptr_t)m->data, align) - (uintptr_t)m->data;
    if (align == LARGE_ALIGN)
        madvise(m->data, m->room, MADV_HUGEPAGE);
    return true;
}

/* Takes the smallest spare map that fits and is at least half full. */
static bool take_spare(struct host_device *h, size_t bytes, struct host_map *out)
{
    struct host_map *best = NULL;

    for (int i = 0; i < HOST_SPARES; i++) {
        struct host_map *m = &h->spares[i];

        if (m->map && m->room >= bytes && m->room / 2 < bytes &&
            (!best || m->room < best->room))
            best = m;
    }
    if (!best)
        return false;
    *out = *best;
    *best = (struct host_map){.map = NULL};
    return true;
}

/* Keeps a large map as a spare, up to a quarter of the machine's memory in all spares. */
static void keep_spare(struct host_device *h, struct host_map *m)
{
    struct host_map *slot = NULL;
    size_t all = m->room;

    for (int i = 0; i < HOST_SPARES; i++) {
        all += h->spares[i].map ? h->spares[i].room : 0;
        if (!h->spares[i].map)
            slot = &h->spares[i];
    }
    if (!slot || m->room < LARGE_ALIGN || all > (size_t)h->cpu.memory_bytes / 4) {
        drop_map(m);
        return;
    }
    *slot = *m;
    *m = (struct host_map){.map = NULL};
}

static bool find_map(struct host_device *h, size_t bytes, struct host_map *out,
                     struct lift_error *error)
{
    size_t rounded = round_up(bytes, page_bytes());

    if (!take_spare(h, rounded, out)) {
        host_drop_spares(h);
        if (!enough_memory(bytes, error))
            return false;
        if (!make_map(out, rounded))
            return lift_fail(error, LIFT_ERROR_RESOURCE, "cannot allocate %zu bytes",
                             bytes);
    }
    if (open_map(out, rounded))
        return true;
    drop_map(out);
    return lift_fail(error, LIFT_ERROR_RESOURCE, "cannot allocate %zu bytes", bytes);
}

/* Writes zeros to all memory. Without this, reads of untouched pages would be too fast,
 * and spare maps would still have results of other kernels. */
struct lift_buffer *host_alloc(struct lift_device *device, size_t bytes,
                               struct lift_error *error)
{
    struct lift_buffer *buffer;
    struct host_map held;

    if (!host_is_here(device, error) || !find_map(host_of(device), bytes, &held, error))
        return NULL;
    buffer = lift_alloc(1, sizeof *buffer);
    *buffer = (struct lift_buffer){
        .data = held.data, .bytes = bytes, .front = page_bytes(), .held = held};
    buffer->back = round_up(bytes, page_bytes()) - bytes + page_bytes();
    lift_parallel_set(buffer->data, 0, bytes);
    device_guard_fill(buffer->data - buffer->front, buffer->front);
    device_guard_fill(buffer->data + bytes, buffer->back);
    return buffer;
}

void host_release(struct lift_device *device, struct lift_buffer *buffer)
{
    if (!buffer)
        return;
    if (buffer->held.map)
        keep_spare(host_of(device), &buffer->held);
    free(buffer);
}

struct lift_buffer *host_wrap(struct lift_device *device, void *data, size_t bytes)
{
    struct lift_buffer *buffer = lift_alloc(1, sizeof *buffer);

    (void)device;
    *buffer = (struct lift_buffer){.data = data, .bytes = bytes};
    return buffer;
}

struct lift_buffer *host_view(struct lift_device *device, struct lift_buffer *buffer,
                              size_t at, size_t bytes)
{
    LIFT_ASSERT(at + bytes <= buffer->bytes);
    return host_wrap(device, buffer->data + at, bytes);
}

bool device_pull_fits(const struct lift_pull *p, size_t to_bytes, size_t from_bytes)
{
    size_t last = (size_t)(p->pieces - 1);

    return p->pieces > 0 && p->to_at + last * p->to_apart + p->bytes <= to_bytes &&
           p->from_at + last * p->from_apart + p->bytes <= from_bytes;
}

bool host_pull(struct lift_device *device, struct lift_device *other,
               const struct lift_pull *p, struct lift_error *error)
{
    (void)device, (void)other, (void)error;
    LIFT_ASSERT(device_pull_fits(p, p->to->bytes, p->from->bytes));
    for (int64_t i = 0; i < p->pieces; i++)
        memmove(p->to->data + p->to_at + (size_t)i * p->to_apart,
                p->from->data + p->from_at + (size_t)i * p->from_apart, p->bytes);
    return true;
}

void *host_memory(struct lift_device *device, struct lift_buffer *buffer)
{
    host_idle(device);
    return buffer->data;
}

bool host_guards(struct lift_device *device, struct lift_buffer *buffer, int64_t *at,
                 struct lift_error *error)
{
    int64_t front = device_guard_changed(buffer->data - buffer->front, buffer->front);
    int64_t back = device_guard_changed(buffer->data + buffer->bytes, buffer->back);

    (void)device, (void)error;
    *at = device_guard_place(front, back, buffer->front, buffer->bytes);
    return true;
}

/* The digest of a buffer is the digest of the digests of its pieces. */
struct digesting {
    const char *data;
    size_t bytes;
    uint64_t *pieces;
};

static void digest_pieces(void *user, int64_t from, int64_t to)
{
    const struct digesting *d = user;

    for (int64_t i = from; i < to; i++) {
        size_t at = (size_t)i * DIGEST_PIECE, left = d->bytes - at;

        d->pieces[i] =
            lift_hash_bytes(d->data + at, left < DIGEST_PIECE ? left : DIGEST_PIECE, 0)
                .lo;
    }
}

uint64_t device_digest_here(const void *data, size_t bytes)
{
    int64_t count = ((int64_t)bytes + DIGEST_PIECE - 1) / DIGEST_PIECE;
    struct digesting d = {data, bytes, lift_alloc((size_t)count + 1, sizeof *d.pieces)};
    uint64_t digest;

    lift_parallel(count, 1, digest_pieces, &d);
    digest = lift_hash_bytes(d.pieces, (size_t)count * sizeof *d.pieces, 0).lo;
    free(d.pieces);
    return digest;
}

bool host_digest(struct lift_device *device, struct lift_buffer *buffer, uint64_t *out,
                 struct lift_error *error)
{
    (void)error;
    host_idle(device);
    *out = device_digest_here(buffer->data, buffer->bytes);
    return true;
}

bool host_write(struct lift_device *device, struct lift_buffer *buffer, const void *data,
                size_t bytes, struct lift_error *error)
{
    (void)error;
    host_idle(device);
    LIFT_ASSERT(bytes <= buffer->bytes);
    if (bytes)
        lift_parallel_copy(buffer->data, data, bytes);
    return true;
}

bool host_read(struct lift_device *device, struct lift_buffer *buffer, void *data,
               size_t bytes, struct lift_error *error)
{
    (void)error;
    host_idle(device);
    LIFT_ASSERT(bytes <= buffer->bytes);
    if (bytes)
        lift_parallel_copy(data, buffer->data, bytes);
    return true;
}
