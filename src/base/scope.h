/* Variables that release their content at the end of their block, however the block
 * ends. So no other variable may keep the content (lift_str_take passes a text on). Such
 * a variable needs an initial value. */
#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

/* A structure TYPE, released by TYPE_fini: LIFT_SCOPED(lift_str) text = {0}; */
#define LIFT_SCOPED(type) __attribute__((cleanup(type##_fini))) struct type

/* A pointer to TYPE, or NULL: LIFT_OWNED(lift_arena) *arena = lift_arena_create();
 * LIFT_OWNER(lift_arena, lift_arena_destroy) declares the function that releases a
 * TYPE. */
#define LIFT_OWNED(type) __attribute__((cleanup(type##_leave))) struct type
#define LIFT_OWNER(type, release)                                                        \
    static inline void type##_leave(struct type **owned)                                 \
    {                                                                                    \
        release(*owned);                                                                 \
    }

#endif
