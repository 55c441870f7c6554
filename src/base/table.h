/* A hash set of pointers, for interning and memo tables, with open addressing. The
 * caller supplies the hash of an entry, and an equality between a key and a stored
 * entry. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lift_table_slot {
    uint64_t hash;
    void *entry; /* NULL: unused slot */
};

/* '{0}' is a valid empty table. */
struct lift_table {
    struct lift_table_slot *slots;
    size_t count, cap;
};

typedef bool lift_table_equal(const void *entry, const void *key);

void lift_table_fini(struct lift_table *table);
/* The entry equal to 'key', or NULL. */
void *lift_table_find(const struct lift_table *table, uint64_t hash, const void *key,
                      lift_table_equal *equal);
/* Adds an entry that is known to be absent. */
void lift_table_insert(struct lift_table *table, uint64_t hash, void *entry);

/* A map from pointers to pointers. '{0}' is a valid empty map. */
struct lift_ptrmap {
    struct lift_ptrmap_slot {
        const void *key;
        void *value;
    } * slots;
    size_t count, cap;
};

void lift_ptrmap_fini(struct lift_ptrmap *map);
void lift_ptrmap_clear(struct lift_ptrmap *map);
/* NULL if absent; a stored value is never NULL. */
void *lift_ptrmap_get(const struct lift_ptrmap *map, const void *key);
void lift_ptrmap_put(struct lift_ptrmap *map, const void *key, void *value);

#endif
