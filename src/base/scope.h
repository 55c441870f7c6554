/* Variables that clean up after themselves: where the block of one ends, by whatever way,
 * what it holds is released. So its value must not go on living elsewhere (lift_str_take
 * hands a text on), and it has an initial value. */
#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

/* A structure TYPE, released by TYPE_fini: LIFT_SCOPED(lift_str) text = {0}; */
#define LIFT_SCOPED(type) __attribute__((cleanup(type##_fini))) struct type

/* A pointer to TYPE, or NULL: LIFT_OWNED(lift_arena) *arena = lift_arena_create();
 * LIFT_OWNER(lift_arena, lift_arena_destroy) says once how one is released. */
#define LIFT_OWNED(type) __attribute__((cleanup(type##_leave))) struct type
#define LIFT_OWNER(type, release)                                                        \
    static inline void type##_leave(struct type **owned)                                 \
    {                                                                                    \
        release(*owned);                                                                 \
    }

#endif
