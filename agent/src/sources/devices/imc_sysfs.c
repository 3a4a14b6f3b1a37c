/* imc_sysfs.c: finds the counters of memory controllers (imc_sysfs.h). It only reads files, so that
 * fixtures can test it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imc_sysfs.h"

static uint64_t *format_word(const char **format, jst_imc_event *to)
{
    static const char *const words[] = {"config:", "config1:", "config2:"};
    uint64_t *values[] = {&to->config, &to->config1, &to->config2};
    for (unsigned i = 0; i < 3; i++)
        if (!strncmp(*format, words[i], strlen(words[i]))) {
            *format += strlen(words[i]);
            return values[i];
        }
    return NULL;
}

bool jst_format_put(const char *format, uint64_t value, jst_imc_event *to)
{
    uint64_t *word = format_word(&format, to);
    while (word) {
        uint64_t first, last;
        if (!jst_scan_number(format, &first, &format))
            return false;
        last = first;
        if (*format == '-' && !jst_scan_number(format + 1, &last, &format))
            return false;
        if (last < first || last > 63)
            return false;
        for (; first <= last; first++, value >>= 1)
            *word |= (value & 1) << first;
        if (*format != ',')
            return value == 0 && (*format == '\n' || *format == 0);
        format++;
    }
    return false;
}

double jst_event_bytes(const char *scale, const char *unit)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"MiB", 1048576}, {"KiB", 1024}, {"Bytes", 1}, {"MB", 1e6}};
    char *end;
    double number = strtod(scale, &end);
    if (end == scale || !(number > 0) || number > 1e6)
        return 0;
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
        if (!strncmp(unit, units[i].name, strlen(units[i].name)))
            return number * units[i].bytes;
    return 0;
}

bool jst_event_text(const char *device, const char *text, jst_imc_event *to)
{
    memset(to, 0, sizeof *to);
    while (*text && *text != '\n') {
        char term[JST_NAME], folder[JST_PATH], format[JST_NAME];
        size_t n = strcspn(text, "=,\n");
        uint64_t value = 1; /* `edge` alone */
        if (n == 0 || n >= sizeof term || memchr(text, '/', n))
            return false;
        snprintf(term, sizeof term, "%.*s", (int)n, text);
        text += n;
        if (*text == '=') {
            char *end;
            errno = 0;
            value = strtoull(text + 1, &end, 0);
            if (errno || end == text + 1 || text[1] == '-')
                return false;
            text = end;
        }
        if (!jst_join(folder, device, "format") ||
            jst_file_text(folder, term, format, sizeof format) != JST_THERE ||
            !jst_format_put(format, value, to))
            return false;
        if (*text != ',' && *text != '\n' && *text != 0)
            return false;
        text += *text == ',';
    }
    return true;
}

static void add_event(const char *device, const char *name, jst_imc_event *events, unsigned *n)
{
    char folder[JST_PATH], file[JST_NAME], text[256], scale[64], unit[64];
    jst_imc_event event;
    if (*n == JST_IMC_EVENTS || !jst_join(folder, device, "events") ||
        jst_file_text(folder, name, text, sizeof text) != JST_THERE ||
        !jst_event_text(device, text, &event))
        return;
    snprintf(file, sizeof file, "%.90s.scale", name);
    if (jst_file_text(folder, file, scale, sizeof scale) != JST_THERE)
        return;
    snprintf(file, sizeof file, "%.90s.unit", name);
    if (jst_file_text(folder, file, unit, sizeof unit) != JST_THERE)
        return;
    event.bytes = jst_event_bytes(scale, unit);
    if (event.bytes > 0)
        events[(*n)++] = event;
}

/* Servers count commands of a controller, in newer ones of each of its two halves. Other
 * processors, and servers in addition, have free-running counters. */
static const char *const commands[][2] = {
    {"cas_count_read", "cas_count_write"},
    {"cas_count_read_sch0", "cas_count_write_sch0"},
    {"cas_count_read_sch1", "cas_count_write_sch1"},
};
static const char *const freely[][2] = {
    {"data_read", "data_write"},   /* uncore_imc_free_running */
    {"data_reads", "data_writes"}, /* uncore_imc of older desktop processors */
};

bool jst_imc_read(const char *device, jst_imc *to)
{
    char text[JST_NAME];
    uint64_t type;
    memset(to, 0, sizeof *to);
    if (jst_file_number(device, "type", &type) != JST_THERE || type > UINT32_MAX ||
        jst_file_text(device, "cpumask", text, sizeof text) != JST_THERE)
        return false;
    to->type = (uint32_t)type;
    to->n_cpus = jst_cpu_list(text, to->cpus, JST_IMC_CPUS);
    if (to->n_cpus > JST_IMC_CPUS)
        to->n_cpus = JST_IMC_CPUS;
    for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++) {
        add_event(device, commands[i][0], to->reads, &to->n_reads);
        add_event(device, commands[i][1], to->writes, &to->n_writes);
    }
    to->counts_commands = to->n_reads + to->n_writes > 0;
    for (unsigned i = 0; !to->counts_commands && i < sizeof freely / sizeof *freely; i++) {
        add_event(device, freely[i][0], to->reads, &to->n_reads);
        add_event(device, freely[i][1], to->writes, &to->n_writes);
    }
    return to->n_cpus && to->n_reads + to->n_writes;
}
