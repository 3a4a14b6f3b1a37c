/* fuzz_hardware.c: fuzzes the parsers of small files of fabrics, sensors and memory controllers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sources/devices/imc_sysfs.h"
#include "sources/devices/ports.h"
#include "sources/devices/power.h"
#include "sources/devices/slingshot.h"

static void format(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/format/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        abort();
}

static void end(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", jst_root);
    if (system(command) != 0)
        abort();
}

/* Formats of events, which the text of an event names. */
static void begin(void)
{
    static char folder[] = "/tmp/jostle-fuzz-XXXXXX";
    char path[256];
    if (jst_root[0])
        return;
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/format", folder);
    mkdir(path, 0755);
    format(folder, "event", "config:0-7\n");
    format(folder, "umask", "config:8-15,32-55\n");
    format(folder, "edge", "config:18\n");
    jst_root = folder;
    atexit(end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[4096];
    uint64_t number = 0;
    jst_imc_event event = {.config = 0};
    begin();
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    jst_port_is_active(text);
    if (jst_port_rate(text) > UINT64_C(125000000000000000))
        abort();
    for (unsigned bits = 4; bits <= 64; bits *= 2)
        if (jst_port_number(text, bits, &number) == JST_THERE &&
            number == UINT64_MAX >> (64 - bits))
            abort();
    jst_telemetry_number(text, &number);
    jst_telemetry_speed(text);
    jst_cray_number(text, "J", &number);
    if (jst_temperature(text, &number) == JST_THERE && number > 200000)
        abort();
    jst_package_of_label(text, &number);
    jst_format_put(text, size, &event);
    char *behind = strchr(text, '\n');
    double bytes = jst_event_bytes(text, behind ? behind + 1 : "MiB");
    if (!(bytes >= 0 && bytes < 1e15))
        abort();
    if (jst_event_text("", text, &event) && (event.config1 || event.config2))
        abort();
    return 0;
}
