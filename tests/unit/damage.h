/* Damage to a database: all rows, unless a condition follows. */
#ifndef LIFT_TESTS_DAMAGE_H
#define LIFT_TESTS_DAMAGE_H

#define DAMAGE_ENDLESS_TIMES "UPDATE trial SET median_ns = 9e999"
#define DAMAGE_OWN_PARENTS "UPDATE deriv SET parent = child"

#endif
