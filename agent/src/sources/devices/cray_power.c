/* cray_power.c: energy of a Cray node and its parts, from its controller: /sys/cray/pm_counters.
 *
 * `energy` is all of the node; cpu_energy, memory_energy, accel0_energy and so on are parts of it. The
 * controller writes them ten times a second. A new `startup` means that it was restarted.
 */
#include <stdio.h>
#include <string.h>

#include "hardware.h"
#include "power.h"

#define FOLDER "/sys/cray/pm_counters"

jst_found jst_cray_number(const char *text, const char *unit, uint64_t *number)
{
    const char *end;
    size_t n = strlen(unit);
    if (!jst_scan_number(text, number, &end) || *end != ' ' || strncmp(end + 1, unit, n) != 0)
        return JST_BAD;
    end += 1 + n;
    return *end == ' ' || *end == '\n' || *end == 0 ? JST_THERE : JST_BAD;
}

static jst_found number_of(const char *file, const char *unit, uint64_t *number)
{
    char text[JST_NAME];
    jst_found found = jst_file_text(FOLDER, file, text, sizeof text);
    return found == JST_THERE ? jst_cray_number(text, unit, number) : found;
}

/* part: "" for the node, else "cpu", "memory", "accel0". */
static void report(jst_sample *s, const char *part, uint64_t startup)
{
    char name[JST_NAME], file[JST_NAME];
    uint64_t joules, watts;
    const char *line = part[0] ? "_" : "";
    snprintf(name, sizeof name, "node%s%.60s", part[0] ? "/" : "", part);
    jst_component *c = jst_component_of(s, &(jst_names){.kind = JST_KIND_POWER, .name = name});
    jst_since(c, startup);
    snprintf(file, sizeof file, "%.60s%senergy", part, line);
    if (number_of(file, "J", &joules) != JST_THERE || joules > UINT64_MAX / 1000000)
        jst_unknown(c, JST_POWER_ENERGY_UJ);
    else
        jst_counter(c, JST_POWER_ENERGY_UJ, joules * 1000000);
    snprintf(file, sizeof file, "%.60s%spower_cap", part, line);
    if (number_of(file, "W", &watts) == JST_THERE && watts && watts < 1000000000)
        jst_level(c, JST_POWER_LIMIT_UW, watts * 1000000); /* 0: there is no limit */
}

static const char *open_cray(void)
{
    uint64_t joules;
    return number_of("energy", "J", &joules) == JST_THERE ? NULL : "no Cray power counters";
}

static const char *sample_cray(jst_sample *s)
{
    static const char end[] = "_energy";
    uint64_t startup = 0;
    jst_file_number(FOLDER, "startup", &startup);
    DIR *d = jst_open_folder(FOLDER);
    if (!d)
        return "the Cray power counters are gone";
    report(s, "", startup);
    for (const char *name; (name = jst_next_name(d, ""));) {
        char part[JST_NAME];
        size_t n = strlen(name);
        if (n < sizeof end || n > 60 || strcmp(name + n - (sizeof end - 1), end) != 0)
            continue;
        snprintf(part, sizeof part, "%.*s", (int)(n - (sizeof end - 1)), name);
        report(s, part, startup);
    }
    closedir(d);
    return NULL;
}

const jst_source jst_source_cray_power = {
    .name = "cray power", .open = open_cray, .sample = sample_cray};
