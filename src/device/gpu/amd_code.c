/* Reads AMD code objects. A code object is an ELF file with a map in MessagePack as a
 * note. Its entry "amdhsa.kernels" is a list of maps, one a kernel. */
#include "device/gpu/amd_code.h"
#include "device/msgpack.h"
#include <elf.h>
#include <string.h>

enum { METADATA = 32, REGISTER_BYTES = 4 }; /* NT_AMDGPU_METADATA */

struct bytes {
    const unsigned char *data;
    size_t size;
};

/* Selects 'size' bytes from 'at' on. Returns false if they exceed the data. */
static bool part(struct bytes all, uint64_t at, uint64_t size, struct bytes *out)
{
    if (at > all.size || size > all.size - at)
        return false;
    *out = (struct bytes){all.data + at, (size_t)size};
    return true;
}

static bool copy(struct bytes all, uint64_t at, void *out, size_t size)
{
    struct bytes from;

    if (!part(all, at, size, &from))
        return false;
    memcpy(out, from.data, size);
    return true;
}

static uint64_t round_up(uint64_t n)
{
    return (n + 3) / 4 * 4;
}

/* Finds the metadata among the notes of a segment. */
static bool find_note(struct bytes notes, struct bytes *out)
{
    static const char owner[] = "AMDGPU";
    Elf64_Nhdr head;
    struct bytes name;

    for (uint64_t at = 0; copy(notes, at, &head, sizeof head);) {
        uint64_t text = at + sizeof head, content = text + round_up(head.n_namesz);

        if (head.n_type == METADATA && head.n_namesz == sizeof owner &&
            part(notes, text, sizeof owner, &name) &&
            memcmp(name.data, owner, sizeof owner) == 0)
            return part(notes, content, head.n_descsz, out);
        at = content + round_up(head.n_descsz);
    }
    return false;
}

static bool find_metadata(struct bytes code, struct bytes *out)
{
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    struct bytes notes;

    if (!copy(code, 0, &head, sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    for (int i = 0; i < head.e_phnum; i++)
        if (copy(code, head.e_phoff + (uint64_t)i * sizeof segment, &segment,
                 sizeof segment) &&
            segment.p_type == PT_NOTE &&
            part(code, segment.p_offset, segment.p_filesz, &notes) &&
            find_note(notes, out))
            return true;
    return false;
}

static bool is_called(struct msgpack kernel, const char *name)
{
    struct msgpack_value v;

    return msgpack_find(kernel, ".name", &kernel) && msgpack_next(&kernel, &v) &&
           msgpack_is(&v, name);
}

static bool find_kernel(struct msgpack m, const char *name, struct msgpack *out)
{
    struct msgpack_value list;

    if (!msgpack_find(m, "amdhsa.kernels", &m) || !msgpack_next(&m, &list) ||
        list.kind != MSGPACK_LIST)
        return false;
    for (size_t i = 0; i < list.count; i++) {
        *out = m;
        if (is_called(m, name))
            return true;
        if (!msgpack_skip(&m))
            return false;
    }
    return false;
}

static int64_t number(struct msgpack kernel, const char *key, int64_t otherwise)
{
    struct msgpack_value v;

    if (msgpack_find(kernel, key, &kernel) && msgpack_next(&kernel, &v) &&
        v.kind == MSGPACK_NUMBER)
        return v.number;
    return otherwise;
}

void device_read_amd_code(const void *code, size_t size, const char *kernel,
                          struct lift_resources *r)
{
    struct bytes metadata;
    struct msgpack k;
    int64_t spilled;

    if (!find_metadata((struct bytes){code, size}, &metadata) ||
        !find_kernel((struct msgpack){metadata.data, metadata.data + metadata.size},
                     kernel, &k))
        return;
    r->registers = (int)number(k, ".vgpr_count", r->registers);
    spilled = number(k, ".vgpr_spill_count", -1);
    if (spilled >= 0)
        r->spill_bytes = (int)spilled * REGISTER_BYTES;
    r->local_bytes = number(k, ".group_segment_fixed_size", r->local_bytes);
    r->max_group_size = (int)number(k, ".max_flat_workgroup_size", r->max_group_size);
    r->stack_bytes = (int)number(k, ".private_segment_fixed_size", r->stack_bytes);
}
