/* power.c: samples energy of the processors' domains (RAPL), their power limit, and the highest
 * temperature.
 *
 * /sys/class/powercap/intel-rapl:0 is a package (AMD's processors use the same names), intel-rapl:0:0 a
 * part of it: the part's name is `package-0/dram`, and its energy is also in its package's. The same
 * counters in intel-rapl-mmio are left out. Temperatures come from sensors inside the processor, which the
 * kernel reads at once; sensors behind a bus or a management controller could block.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware.h"
#include "power.h"

#define RAPL "/sys/class/powercap"
#define HWMON "/sys/class/hwmon"

static char why[160];

jst_found jst_temperature(const char *text, uint64_t *millidegrees)
{
    const char *end;
    bool below = text[0] == '-';
    if (!jst_scan_number(text + below, millidegrees, &end) || (*end != '\n' && *end != 0) ||
        *millidegrees > 200000)
        return JST_BAD;
    if (below)
        *millidegrees = 0;
    return JST_THERE;
}

bool jst_package_of_label(const char *label, uint64_t *package)
{
    static const char begin[] = "Package id ";
    return !strncmp(label, begin, sizeof begin - 1) &&
           jst_scan_number(label + sizeof begin - 1, package, NULL);
}

/* ---- RAPL ---- */

/* `intel-rapl:0:1` -> `package-0/dram`. False if it is no domain. */
static bool domain_name(const char *domain, char name[2 * JST_NAME])
{
    char folder[JST_PATH], package[JST_NAME], own[JST_NAME];
    const char *part = strchr(domain, ':');
    if (!part || !jst_join(folder, RAPL, domain) || jst_file_word(folder, "name", own) != JST_THERE)
        return false;
    part = strchr(part + 1, ':');
    if (!part) {
        snprintf(name, 2 * JST_NAME, "%s", own);
        return true;
    }
    snprintf(package, sizeof package, "%.*s", (int)(part - domain), domain);
    if (!jst_join(folder, RAPL, package) || jst_file_word(folder, "name", package) != JST_THERE)
        return false;
    snprintf(name, 2 * JST_NAME, "%s/%s", package, own);
    return true;
}

static void report_limit(jst_component *c, const char *folder)
{
    for (unsigned i = 0; i < 4; i++) {
        char file[JST_NAME], name[JST_NAME];
        uint64_t limit;
        snprintf(file, sizeof file, "constraint_%u_name", i);
        if (jst_file_word(folder, file, name) != JST_THERE || strcmp(name, "long_term") != 0)
            continue;
        snprintf(file, sizeof file, "constraint_%u_power_limit_uw", i);
        if (jst_file_number(folder, file, &limit) == JST_THERE)
            jst_level(c, JST_POWER_LIMIT_UW, limit);
        return;
    }
}

/* Where it is not known at which number a domain wraps, the increase of one that went back is
 * unknown. */
static bool went_back(const char *name, uint64_t energy)
{
    static struct {
        char name[2 * JST_NAME];
        uint64_t energy;
    } last[64];
    for (unsigned i = 0; i < sizeof last / sizeof *last; i++) {
        if (last[i].name[0] && strcmp(last[i].name, name) != 0)
            continue;
        bool back = last[i].name[0] && energy < last[i].energy;
        snprintf(last[i].name, sizeof last[i].name, "%s", name);
        last[i].energy = energy;
        return back;
    }
    return false;
}

/* Returns whether the domain's energy can be read; with a sample, reports it. */
static jst_found take_domain(jst_sample *s, const char *domain)
{
    char folder[JST_PATH], name[2 * JST_NAME];
    uint64_t energy, most;
    if (!jst_join(folder, RAPL, domain) || !domain_name(domain, name))
        return JST_ABSENT;
    jst_found found = jst_file_number(folder, "energy_uj", &energy);
    if (!s || found == JST_ABSENT)
        return found;
    jst_component *c = jst_component_of(s, &(jst_names){.kind = JST_KIND_POWER, .name = name});
    if (found == JST_BAD)
        jst_unknown(c, JST_POWER_ENERGY_UJ);
    else if (jst_file_number(folder, "max_energy_range_uj", &most) == JST_THERE && energy <= most)
        jst_counter_wraps(c, JST_POWER_ENERGY_UJ, energy, most);
    else if (went_back(name, energy))
        jst_unknown(c, JST_POWER_ENERGY_UJ);
    else
        jst_counter(c, JST_POWER_ENERGY_UJ, energy);
    report_limit(c, folder);
    return found;
}

static unsigned each_domain(jst_sample *s)
{
    unsigned domains = 0;
    DIR *d = jst_open_folder(RAPL);
    if (!d)
        return 0;
    for (const char *name; (name = jst_next_name(d, "intel-rapl:"));) {
        jst_found found = take_domain(s, name);
        domains += found == JST_THERE;
        if (found == JST_BAD)
            snprintf(why, sizeof why, "%.40s/energy_uj cannot be read (only root may)", name);
    }
    closedir(d);
    return domains;
}

/* ---- temperatures ---- */

/* A package's own sensor, which is the highest of its cores'. Each core's is on its core: reading
 * it would wake the core. */
static bool package_sensor(const char *folder, uint64_t *millidegrees, char name[JST_NAME])
{
    char text[JST_NAME];
    uint64_t package;
    if (jst_file_text(folder, "temp1_label", text, sizeof text) != JST_THERE ||
        !jst_package_of_label(text, &package) ||
        jst_file_text(folder, "temp1_input", text, sizeof text) != JST_THERE ||
        jst_temperature(text, millidegrees) != JST_THERE)
        return false;
    snprintf(name, JST_NAME, "package-%u", (unsigned)package);
    return true;
}

/* The highest of a device's sensors. */
static bool highest(const char *folder, uint64_t *millidegrees)
{
    bool there = false;
    *millidegrees = 0;
    DIR *d = jst_open_folder(folder);
    for (const char *file; d && (file = jst_next_name(d, "temp"));) {
        char text[JST_NAME];
        uint64_t number;
        if (!strstr(file, "_input") ||
            jst_file_text(folder, file, text, sizeof text) != JST_THERE ||
            jst_temperature(text, &number) != JST_THERE)
            continue;
        there = true;
        if (number > *millidegrees)
            *millidegrees = number;
    }
    if (d)
        closedir(d);
    return there;
}

/* Reads a device. False: no processor's sensor. AMD's do not contain their package. */
static bool read_sensor(const char *folder, uint64_t *millidegrees, char name[JST_NAME])
{
    if (jst_file_word(folder, "name", name) != JST_THERE)
        return false;
    if (!strcmp(name, "coretemp"))
        return package_sensor(folder, millidegrees, name);
    if (strcmp(name, "k10temp") != 0 && strcmp(name, "zenpower") != 0)
        return false;
    snprintf(name, JST_NAME, "processors");
    return highest(folder, millidegrees);
}

static unsigned each_sensor(jst_sample *s)
{
    unsigned sensors = 0;
    uint64_t of_all = 0;
    DIR *d = jst_open_folder(HWMON);
    if (!d)
        return 0;
    for (const char *device; (device = jst_next_name(d, "hwmon"));) {
        char folder[JST_PATH], name[JST_NAME];
        uint64_t number;
        if (!jst_join(folder, HWMON, device) || !read_sensor(folder, &number, name))
            continue;
        sensors++;
        bool several = !strcmp(name, "processors");
        if (several && number > of_all)
            of_all = number;
        if (s)
            jst_level(jst_component_of(s, &(jst_names){.kind = JST_KIND_POWER, .name = name}),
                      JST_POWER_TEMPERATURE_MC, several ? of_all : number);
    }
    closedir(d);
    return sensors;
}

static const char *open_power(void)
{
    strcpy(why, "no RAPL and no processor's temperature");
    unsigned domains = each_domain(NULL);
    return domains + each_sensor(NULL) ? NULL : why;
}

static const char *sample_power(jst_sample *s)
{
    why[0] = 0;
    each_domain(s);
    each_sensor(s);
    return why[0] ? why : NULL;
}

const jst_source jst_source_power = {.name = "power", .open = open_power, .sample = sample_power};
