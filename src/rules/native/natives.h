/* The native rules, for the table in natives.c. */
#ifndef RULES_NATIVE_NATIVES_H
#define RULES_NATIVE_NATIVES_H

#include "rules/native/native.h"

#define NATIVE(name, root, flat, numbers, rule, ...) rule_native_fn rule_##rule;
#include "rules/native/natives.def"

#endif
