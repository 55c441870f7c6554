#include "report/units.h"
#include "base/locale.h"
#include <math.h>
#include <stdio.h>

const char *report_digits(double value, char out[REPORT_UNITS])
{
    double size = fabs(value);

    if (size >= 1e6 || (size < 1e-3 && size > 0))
        lift_snprintf(out, REPORT_UNITS, "%.2e", value);
    else if (size >= 99.95)
        lift_snprintf(out, REPORT_UNITS, "%.0f", value);
    else if (size >= 9.995)
        lift_snprintf(out, REPORT_UNITS, "%.1f", value);
    else if (size >= 0.0995)
        lift_snprintf(out, REPORT_UNITS, "%.2f", value);
    else if (size >= 0.00995)
        lift_snprintf(out, REPORT_UNITS, "%.3f", value);
    else
        lift_snprintf(out, REPORT_UNITS, size > 0 ? "%.4f" : "%.0f", value);
    return out;
}

static const char *scaled(double value, const char *unit, char out[REPORT_UNITS])
{
    char digits[REPORT_UNITS];

    lift_snprintf(out, REPORT_UNITS, "%.32s\xc2\xa0%.8s", report_digits(value, digits),
                  unit);
    return out;
}

const char *report_launch_time(double seconds, char out[REPORT_UNITS])
{
    if (seconds < 0.9995e-6)
        return scaled(seconds * 1e9, "ns", out);
    if (seconds < 0.9995e-3)
        return scaled(seconds * 1e6, "\xc2\xb5s", out);
    if (seconds < 0.9995)
        return scaled(seconds * 1e3, "ms", out);
    return scaled(seconds, "s", out);
}

const char *report_duration(double seconds, char out[REPORT_UNITS])
{
    int64_t s = (int64_t)(seconds + 0.5);

    if (seconds < 60)
        lift_snprintf(out, REPORT_UNITS, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
    else if (s < 3600)
        lift_snprintf(out, REPORT_UNITS, "%d min %02d s", (int)(s / 60), (int)(s % 60));
    else
        lift_snprintf(out, REPORT_UNITS, "%lld h %02d min", (long long)(s / 3600),
                      (int)(s / 60 % 60));
    return out;
}

const char *report_count(int64_t count, char out[REPORT_UNITS])
{
    char plain[REPORT_UNITS];
    size_t used = 0,
           length = (size_t)lift_snprintf(plain, sizeof plain, "%lld", (long long)count);

    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && plain[i - 1] != '-')
            out[used++] = ',';
        out[used++] = plain[i];
    }
    out[used] = '\0';
    return out;
}

const char *report_bytes(double bytes, char out[REPORT_UNITS])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;

    while (bytes >= 999.5 && unit < 5) {
        bytes /= 1000;
        unit++;
    }
    return scaled(bytes, units[unit], out);
}

const char *report_copy_share(double share, bool in_cache, char out[REPORT_UNITS])
{
    lift_snprintf(out, REPORT_UNITS, "%.1f %% of copy bandwidth%s", 100 * share,
                  in_cache ? " in cache" : "");
    return out;
}
