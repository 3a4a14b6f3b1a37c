/* Made by tools/generate.py from schema/settings.toml; do not edit. */
#ifndef JST_SETTINGS_H
#define JST_SETTINGS_H

/* X(symbol, key in the operator's file, variable of the environment) */
#define JST_SETTINGS(X)                                                                            \
    X(ENABLED, "enabled", "JOSTLE")                                                                \
    X(SLICE, "slice", "JOSTLE_SLICE")                                                              \
    X(SPOOL, "spool", "JOSTLE_SPOOL")                                                              \
    X(SEGMENTS, "segments", "JOSTLE_SEGMENTS")                                                     \
    X(SEGMENT_SPAN, "segment_span", "JOSTLE_SEGMENT_SPAN")                                         \
    X(CORE_PROBE, "core_probe", "JOSTLE_CORE_PROBE")                                               \
    X(MEMORY_PROBE, "memory_probe", "JOSTLE_MEMORY_PROBE")                                         \
    X(PEERS, "peers", "JOSTLE_PEERS")                                                              \
    X(PAPI, "papi", "JOSTLE_PAPI")                                                                 \
    X(PERF, "perf", "JOSTLE_PERF")                                                                 \
    X(DIGEST, "digest", "JOSTLE_DIGEST")                                                           \
    X(COMMAND_LINES, "command_lines", "JOSTLE_COMMAND_LINES")                                      \
    X(FILES, "files", "JOSTLE_FILES")                                                              \
    X(EXCLUDE_PROGRAMS, "exclude_programs", "JOSTLE_EXCLUDE_PROGRAMS")                             \
    X(EXCLUDE_PATHS, "exclude_paths", "JOSTLE_EXCLUDE_PATHS")

#define JST_DEFAULT_SPOOL "/tmp/jostle"
#define JST_SETTINGS_FILE_BYTES 65536
#define JST_SHORTEST_SLICE_NS 100000000ull
#define JST_DEFAULT_SLICE_NS 4000000000ull
#define JST_LONGEST_SLICE_NS 60000000000ull

#endif
