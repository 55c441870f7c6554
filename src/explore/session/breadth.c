#include "explore/session/breadth.h"

static const struct breadth of_processors = {.opened = 14,
                                             .deeper = 3,
                                             .answers = 12,
                                             .neighbours = 2},
                            of_others = {.opened = 56,
                                         .deeper = 8,
                                         .shaped = 2,
                                         .shapes = 2,
                                         .rounds = 2,
                                         .answers = 16,
                                         .neighbours = 6};

const struct breadth *breadth_of(const struct lift_device_info *info)
{
    return info->is_cpu ? &of_processors : &of_others;
}
