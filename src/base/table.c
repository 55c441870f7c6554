#include "base/table.h"
#include "base/bug.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

void lift_table_fini(struct lift_table *table)
{
    free(table->slots);
    *table = (struct lift_table){0};
}

void *lift_table_find(const struct lift_table *table, uint64_t hash, const void *key,
                      lift_table_equal *equal)
{
    size_t mask = table->cap - 1;

    if (!table->cap)
        return NULL;
    for (size_t i = hash & mask; table->slots[i].entry; i = (i + 1) & mask)
        if (table->slots[i].hash == hash && equal(table->slots[i].entry, key))
            return table->slots[i].entry;
    return NULL;
}

static void place(struct lift_table *table, uint64_t hash, void *entry)
{
    size_t mask = table->cap - 1;
    size_t i = hash & mask;

    while (table->slots[i].entry)
        i = (i + 1) & mask;
    table->slots[i] = (struct lift_table_slot){hash, entry};
}

static void grow(struct lift_table *table)
{
    struct lift_table old = *table;

    table->cap = old.cap ? old.cap * 2 : 64;
    table->slots = lift_alloc(table->cap, sizeof *table->slots);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].entry)
            place(table, old.slots[i].hash, old.slots[i].entry);
    free(old.slots);
}

void lift_table_insert(struct lift_table *table, uint64_t hash, void *entry)
{
    LIFT_ASSERT(entry);
    if (table->count * 4 >= table->cap * 3)
        grow(table);
    place(table, hash, entry);
    table->count++;
}

void lift_ptrmap_fini(struct lift_ptrmap *map)
{
    free(map->slots);
    *map = (struct lift_ptrmap){0};
}

void lift_ptrmap_clear(struct lift_ptrmap *map)
{
    if (map->slots)
        memset(map->slots, 0, map->cap * sizeof *map->slots);
    map->count = 0;
}

static size_t ptr_slot(const struct lift_ptrmap *map, const void *key)
{
    size_t mask = map->cap - 1;
    size_t i = ((uintptr_t)key * 0x9e3779b97f4a7c15u >> 17) & mask;

    while (map->slots[i].key && map->slots[i].key != key)
        i = (i + 1) & mask;
    return i;
}

void *lift_ptrmap_get(const struct lift_ptrmap *map, const void *key)
{
    return map->cap ? map->slots[ptr_slot(map, key)].value : NULL;
}

static void ptr_grow(struct lift_ptrmap *map)
{
    struct lift_ptrmap old = *map;

    map->cap = old.cap ? old.cap * 2 : 64;
    map->slots = lift_alloc(map->cap, sizeof *map->slots);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].key)
            map->slots[ptr_slot(map, old.slots[i].key)] = old.slots[i];
    free(old.slots);
}

void lift_ptrmap_put(struct lift_ptrmap *map, const void *key, void *value)
{
    size_t i;

    LIFT_ASSERT(key && value);
    if (map->count * 4 >= map->cap * 3)
        ptr_grow(map);
    i = ptr_slot(map, key);
    map->count += !map->slots[i].key;
    map->slots[i].key = key;
    map->slots[i].value = value;
}
