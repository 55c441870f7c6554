#include "lift/version.h"

const char *lift_version(void)
{
    return LIFT_VERSION;
}
