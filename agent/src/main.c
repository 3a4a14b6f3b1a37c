/* main.c: jostle-agent: its commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beat.h"
#include "component.h"
#include "config.h"
#include "once.h"
#include "sources.h"
#include "sources/file_systems/ceph/ceph.h"
#include "sources/host/process.h"

static const char usage[] =
    "usage: jostle-agent sample [--role node|server] [--serves SOURCE [--serves-by NAME,...]]\n"
    "                           [--without SOURCE,...] [--ceph DIR]\n"
    "                           [--root DIR]\n"
    "       jostle-agent watch JOB PID PARENT\n"
    "       jostle-agent --once [--json] [--without SOURCE,...] [--ceph DIR]\n"
    "                           [--root DIR]\n"
    "       jostle-agent --help | --version\n"
    "\n"
    "sample     write the counters of this machine into the spool, slice by slice, until\n"
    "           SIGTERM\n"
    "watch      record processes only, until PARENT, which started it, ends; PID and\n"
    "           its children belong to JOB. Used by `jostle run`\n"
    "--once     print the samples of each source in one second, or why it has none\n"
    "--json     as JSON: increases by metric, null where they are not known\n"
    "--role     role of this machine [server where it exports file systems, else node]\n"
    "--serves   file system that it serves, as clients' mounts name it: server:/export\n"
    "--serves-by  disks and interfaces that serve it, by name: sdb,eth0 [all]\n"
    "--without  sources to leave out\n"
    "--ceph     folder of the admin sockets of Ceph's daemons [/run/ceph]\n"
    "--root     folder that has /proc and /sys, for tests\n"
    "\n"
    "Spool and slice length are those of the operator's file:\n"
    "  " JST_SYSCONFDIR "/jostle/jostle.conf\n";

typedef struct options {
    jst_sampling how;
    bool sample, once, json;
} options;

static int refuse(const char *what, const char *word)
{
    fprintf(stderr, "jostle-agent: %s '%s'; see jostle-agent --help\n", what, word);
    return 2;
}

static bool is_source(const char *name, size_t n)
{
    for (const jst_source *const *s = jst_sources; *s; s++)
        if (strlen((*s)->name) == n && strncmp((*s)->name, name, n) == 0)
            return true;
    return false;
}

/* The first word of a list that names no source; NULL: all do. */
static const char *wrong_source(const char *list)
{
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ",");
        if (!is_source(p, n))
            return p;
        p += n + (p[n] == ',');
    }
    return NULL;
}

/* 0, or the exit status of a wrong option. */
static int take_options(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(word, "sample") == 0 && i == 1) {
            o->sample = true;
        } else if (strcmp(word, "watch") == 0 && i == 1 && argc == 5 && atoi(argv[3]) > 0) {
            jst_job_name = argv[++i];
            jst_job_root = atoi(argv[++i]);
            o->how.only = jst_source_process.name;
            o->how.parent = atoi(argv[++i]);
            o->sample = true;
        } else if (strcmp(word, "--once") == 0) {
            o->once = true;
        } else if (strcmp(word, "--json") == 0) {
            o->json = true;
        } else if (strcmp(word, "--without") == 0 && value) {
            if (wrong_source(value))
                return refuse("--without: there is no such source:", wrong_source(value));
            o->how.without = argv[++i];
        } else if (strcmp(word, "--root") == 0 && value) {
            jst_root = argv[++i];
        } else if (strcmp(word, "--ceph") == 0 && value) {
            jst_ceph_folder = argv[++i];
        } else if (strcmp(word, "--serves") == 0 && value) {
            jst_serves = argv[++i];
            o->how.role = JST_ROLE_SERVER;
        } else if (strcmp(word, "--serves-by") == 0 && value) {
            jst_serves_by = argv[++i];
        } else if (strcmp(word, "--role") == 0 && value) {
            o->how.role = strcmp(value, "node") == 0     ? JST_ROLE_NODE
                          : strcmp(value, "server") == 0 ? JST_ROLE_SERVER
                                                         : -1;
            if (o->how.role < 0)
                return refuse("--role is node or server, not", value);
            i++;
        } else {
            return refuse("unknown option or missing value:", word);
        }
    }
    return o->sample == o->once ? refuse("what to do:", "sample or --once") : 0;
}

int main(int argc, char **argv)
{
    options o = {.how = {.role = -1}};
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0;
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return puts("jostle-agent " JST_VERSION) < 0;
    if (argc < 2) {
        fputs(usage, stderr);
        return 2;
    }
    int wrong = take_options(argc, argv, &o);
    if (wrong)
        return wrong;
    if (o.once)
        return jst_print_once(o.how.without, o.json);
    if (!jst_configure()) {
        fprintf(stderr,
                "jostle-agent: jostle is switched off (`enabled` in the operator's file, or "
                "JOSTLE); nothing is sampled\n");
        return 0;
    }
    _exit(jst_sample_machine(&o.how)); /* threads of sources may still run */
}
