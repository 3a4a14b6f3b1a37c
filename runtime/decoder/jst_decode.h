/* jst_decode.h: profiles and shorts files to columns (docs/reference/profile-format.md).
 *
 * A batch takes many files and appends their slices to shared columns, which live until the batch
 * is freed. Input is hostile: every length is checked against the file, memory is within a constant
 * factor of what was read, and a damaged file gives its valid prefix and a warning. A batch belongs
 * to one thread at a time; different batches may run at once.
 */
#ifndef JST_DECODE_H
#define JST_DECODE_H

#include <stddef.h>
#include <stdint.h>

#define JST_DECODE_API 9 /* changes whenever this header does; see jst_decode_api */
#define JST_DECODE_HEAD_BYTES 4096
#define JST_DECODE_BUCKETS 32
#define JST_DECODE_WARNINGS 8
#define JST_DECODE_STATE_MAX 65536u /* bytes of a state; a larger one is not returned */
#define JST_DECODE_EXPORT __attribute__((visibility("default")))

typedef struct jst_decode jst_decode;

enum jst_decode_kind { JST_DECODE_NOTHING, JST_DECODE_PROFILE, JST_DECODE_SHORTS };

enum jst_decode_flag {
    JST_DECODE_REMAINDER = 1, /* a last row from the live blocks (profiles) */
    JST_DECODE_SEGMENTS = 2,  /* segments, tokens and peers instead of slices and events */
};

/* Columns of the tables of slices. The first few are fixed, then one per requested metric in the
 * order of the request. All are int64 except process and span (int32) and slot (int8). */
enum jst_decode_table {
    JST_DECODE_SLICES,
    JST_DECODE_MOUNT_SLICES,
    JST_DECODE_SEGMENT_ROWS,
    JST_DECODE_TOKENS,
    JST_DECODE_PEERS,
    JST_DECODE_COMPONENT_SLICES,
    JST_DECODE_PEER_SLICES,
    JST_DECODE_COLLECTIVE_SLICES,
    JST_DECODE_COMMUNICATORS,
    JST_DECODE_GPU_SLICES,
    JST_DECODE_TABLE_COUNT
};
enum jst_decode_column { JST_DECODE_PROCESS, JST_DECODE_SLICE, JST_DECODE_SPAN, JST_DECODE_SLOT };
#define JST_DECODE_SLICES_FIXED 3
#define JST_DECODE_MOUNT_FIXED 4

/* Of the components of machines: after these, one int64 per requested metric. */
enum jst_decode_component_column {
    JST_DECODE_COMPONENT = JST_DECODE_SPAN + 1, /* int32: its number in the file */
    JST_DECODE_COMPONENT_EPOCH,                 /* int8: 1 where its counters began again at 0 */
    JST_DECODE_COMPONENT_UNKNOWN,               /* binary: the requested metrics, one byte each,
                                                 * whose values are not known */
    JST_DECODE_COMPONENT_FIXED
};

/* Of partners and collectives; those without a comment are int64. */
enum jst_decode_peer_slice_column {
    JST_DECODE_PEER_SLICE_RANK = JST_DECODE_SPAN + 1, /* of the world; -1: all others */
    JST_DECODE_PEER_SLICE_VALUES, /* sent ops, sent bytes, received ops, bytes, buffer bytes */
    JST_DECODE_PEER_SLICE_COLUMNS = JST_DECODE_PEER_SLICE_VALUES + 5
};
enum jst_decode_collective_column {
    JST_DECODE_COLLECTIVE_COMMUNICATOR = JST_DECODE_SPAN + 1,
    JST_DECODE_COLLECTIVE_ROOT,   /* of the world; -1: none */
    JST_DECODE_COLLECTIVE_VALUES, /* ops, bytes */
    JST_DECODE_COLLECTIVE_OPERATION =
        JST_DECODE_COLLECTIVE_VALUES + 2, /* binary; empty: all others */
    JST_DECODE_COLLECTIVE_COLUMNS
};
enum jst_decode_communicator_column {
    JST_DECODE_COMMUNICATOR_HASH = JST_DECODE_PROCESS + 1,
    JST_DECODE_COMMUNICATOR_SIZE,
    JST_DECODE_COMMUNICATOR_MEMBERS, /* binary: as in the record; empty: not known */
    JST_DECODE_COMMUNICATOR_COLUMNS
};

/* Of GPUs: the numbers of a place in the order of its words. */
#define JST_DECODE_GPU_SLICE_WORDS 19
enum jst_decode_gpu_slice_column {
    JST_DECODE_GPU_SLICE_GPU = JST_DECODE_SPAN + 1, /* its place in the file */
    JST_DECODE_GPU_SLICE_VALUES,
    JST_DECODE_GPU_SLICE_COLUMNS = JST_DECODE_GPU_SLICE_VALUES + JST_DECODE_GPU_SLICE_WORDS
};

/* Columns of the other tables: a binary column has offsets (int32,
 * one more than rows) into a heap of its own, see jst_decode_binary. */
enum jst_decode_segment_column {
    JST_DECODE_SEGMENT_PROCESS,         /* int32 */
    JST_DECODE_SEGMENT_NUMBER,          /* int64: of the entry */
    JST_DECODE_SEGMENT_START,           /* int64, ns */
    JST_DECODE_SEGMENT_END,             /* int64, ns */
    JST_DECODE_SEGMENT_RULE,            /* int8: 0-4 as in the format, 5 for all others */
    JST_DECODE_SEGMENT_LEVEL,           /* int8 */
    JST_DECODE_SEGMENT_TOKEN,           /* uint32: hash, 0 none */
    JST_DECODE_SEGMENT_GLOBALS,         /* int64 */
    JST_DECODE_SEGMENT_BEFORE,          /* int64: globals of all segments before it */
    JST_DECODE_SEGMENT_SEQUENCE,        /* uint16 */
    JST_DECODE_SEGMENT_OCCURRENCE,      /* int64 */
    JST_DECODE_SEGMENT_SUM,             /* uint32 */
    JST_DECODE_SEGMENT_SET,             /* uint64 */
    JST_DECODE_SEGMENT_VALUES,          /* int64, 31 of them: bits 1 to 31 of the format */
    JST_DECODE_SEGMENT_SHIFT = 13 + 31, /* int8 */
    JST_DECODE_SEGMENT_WAIT,            /* binary */
    JST_DECODE_SEGMENT_OFFCPU,          /* binary */
    JST_DECODE_SEGMENT_COLUMNS
};
enum jst_decode_token_column {
    JST_DECODE_TOKEN_PROCESS,  /* int32 */
    JST_DECODE_TOKEN_NUMBER,   /* int64: of the entry */
    JST_DECODE_TOKEN_HASH,     /* uint32 */
    JST_DECODE_TOKEN_FUNCTION, /* binary */
    JST_DECODE_TOKEN_BYTES,    /* int64 */
    JST_DECODE_TOKEN_SITE,     /* int64 */
    JST_DECODE_TOKEN_MODULE,   /* binary */
    JST_DECODE_TOKEN_COLUMNS
};
enum jst_decode_peer_column { /* all int64 but the process (int32) */
                              JST_DECODE_PEER_PROCESS,
                              JST_DECODE_PEER_RANK,
                              JST_DECODE_PEER_SENT_OPS,
                              JST_DECODE_PEER_SENT_BYTES,
                              JST_DECODE_PEER_RECV_OPS,
                              JST_DECODE_PEER_RECV_ROOM,
                              JST_DECODE_PEER_COLUMNS
};

/* The error of a file that could not be read to its end, though it may be whole. */
#define JST_DECODE_UNREADABLE "reading it failed"

typedef struct jst_decode_issue {
    uint64_t offset;  /* byte in the file */
    const char *text; /* static */
} jst_decode_issue;

/* The result of reading one file. */
typedef struct jst_decode_result {
    jst_decode_issue error;       /* text NULL: the file was read, perhaps with warnings */
    uint64_t file_bytes;          /* its size when it was opened */
    uint64_t records_read;        /* where the next reading may continue (from_record) */
    uint64_t records_end;         /* offset after the last good record */
    uint64_t first_slice, slices; /* its rows in the slices table */
    uint64_t first_mount, mounts; /* its rows in the mount_slices table */
    uint64_t first_segment, segments, first_token, tokens, first_peer, peers; /* its rows there */
    uint64_t first_component, components; /* its rows of component slices */
    uint64_t first_peer_slice, peer_slices, first_collective, collectives; /* its rows there */
    uint64_t first_communicator, communicators;
    uint64_t first_gpu_slice, gpu_slices;
    uint64_t first_event, events; /* its events */
    uint32_t kind;                /* enum jst_decode_kind */
    uint32_t complete;            /* 0: stopped because the batch has max_rows rows */
    uint32_t remainder;           /* 1: its last row is the remainder */
    uint32_t warning_count;       /* may exceed the number that is kept */
    jst_decode_issue warnings[JST_DECODE_WARNINGS];
    uint8_t head[JST_DECODE_HEAD_BYTES]; /* profiles: the header as it was */
    uint64_t next_slice; /* slice at which the next record may begin: of a jst_decode_place */
    uint32_t goes_on;    /* 1: reading can continue at records_end, next_slice and state; with
                          * JST_DECODE_SEGMENTS: with the state */
    uint32_t resumed;    /* 1: what is before the place was not read, and gave no events */
    uint64_t
        newest_ns;     /* with the remainder: newest time at which the process is known to have run,
                          * CLOCK_REALTIME; else 0 */
    uint64_t head_sum; /* profiles: checksum of the header, without the fields that every heartbeat
                        * changes; see jst_decode_followed */
    uint64_t state, state_bytes; /* what a later reading needs besides the place: a range of
                                  * jst_decode_states; 0 bytes: nothing */
} jst_decode_result;

/* Where an earlier reading of a profile stopped, as in its result. */
typedef struct jst_decode_place {
    uint64_t record; /* records_read */
    uint64_t at;     /* records_end */
    uint64_t slice;  /* next_slice */
} jst_decode_place;

/* A metric table that jst_decode_add has accepted, with the fields of its header. */
typedef struct jst_decode_shape {
    const void *text;
    uint32_t text_bytes, cell_count, slots, stride;
} jst_decode_shape;

enum jst_decode_status {
    JST_DECODE_FOLLOWED, /* its new slices, if there are any, are in the tables */
    JST_DECODE_WHOLE,    /* not only slices are new: jst_decode_add must read it */
    JST_DECODE_LATER,    /* the batch has max_rows rows */
    JST_DECODE_GONE,     /* there is no such file */
};

/* A profile that was read before, and where that reading stopped. */
typedef struct jst_decode_followed {
    uint64_t path;                    /* offset of its path, which ends with a NUL */
    uint64_t device, inode, head_sum; /* as they were; if they differ, it is another file */
    uint64_t record, at, slice;       /* as in jst_decode_place; advanced by the new slices */
    uint64_t base;         /* offset of its newest 'S' record, 0: not known; it only saves a read */
    uint64_t heartbeat_ns; /* these four fields are returned, if it was followed */
    uint64_t lost_threads;
    uint32_t clock_state, clock_error_us;
    uint32_t owner;  /* uid, as it was */
    uint32_t table;  /* number of its metric table */
    uint32_t status; /* returned: enum jst_decode_status */
    uint32_t slices; /* returned: number of its new rows in the slices table */
} jst_decode_followed;

/* Everything in a file that is no slice. Text fields are ranges of the batch's text arena.
 *   type 'M' number: slot, major, minor, mnt_id, fs_magic         text: path, type, source
 *        'C' number: realtime_ns, state, maxerror_us, step_ns (signed)
 *        'N' number: realtime_ns                                  text: text
 *        'K' number: component, kind, major, minor            text: name, source, job, path
 *        'H' number: slice_ns, cell_count, slots, stride, crc     text: host, job, library, boot id
 *        'P' number: pid, ppid, uid, gid, sid, start_ns, end_ns, end_reason, row   text: program
 *        'p' number: slot, major, minor, fs_magic: a mount of the 'P' before it
 *        'd' number: place, NUMA node plus 1, memory_bytes    text: pci, uuid, name, path
 *   'd' events are those of the table in the header: all of them, at each reading.
 *   'P' events: header is the number of the 'H' event (within this file's events) that applies. */
typedef struct jst_decode_event {
    uint64_t number[9];
    uint64_t record; /* number of the record in the file */
    struct {
        uint64_t at, bytes;
    } text[4];
    uint32_t type;
    uint32_t header;
} jst_decode_event;

/** JST_DECODE_API of the library, so that a caller can refuse another one. */
JST_DECODE_EXPORT uint32_t jst_decode_api(void);

/** A new batch. Each list holds metric ids, separated by newlines: process-scope numbers,
 *  process-scope histograms, mount-scope numbers, component-scope numbers (at most 255). max_rows
 *  bounds all tables together. NULL when memory is short. */
JST_DECODE_EXPORT jst_decode *jst_decode_new(const char *process_ids, const char *histogram_ids,
                                             const char *mount_ids, const char *component_ids,
                                             uint64_t max_rows);
JST_DECODE_EXPORT void jst_decode_free(jst_decode *d);

/** Appends one file; its rows have `process`, and only records from number from_record on give
 *  rows (with JST_DECODE_SEGMENTS: entries from that number on; records_read is one, too). Short
 *  processes get the numbers -1, -2, ... in the order of the batch. fd stays open and its position
 *  is not used. Returns the number of its result, or -1 when memory is short. */
JST_DECODE_EXPORT int64_t jst_decode_add_fd(jst_decode *d, int fd, int32_t process,
                                            uint64_t from_record, uint32_t flags);
JST_DECODE_EXPORT int64_t jst_decode_add_bytes(jst_decode *d, const void *bytes, size_t size,
                                               int32_t process, uint64_t from_record,
                                               uint32_t flags);

/** Where reading of the next added file may continue, if from_record is the place's and a valid
 *  record, or the end, is there; else all of it is read. The state is that of the same result, and
 *  stays the caller's: it must be there until the file was added. With JST_DECODE_SEGMENTS only the
 *  state counts, and from_record may be any number from that result's records_read on. */
JST_DECODE_EXPORT void jst_decode_go_on(jst_decode *d, const jst_decode_place *place,
                                        const void *state, size_t state_bytes);

/** Appends the new slices of `count` profiles; the rows of profile i have process i. A profile that
 *  has anything but new slices gives no rows, and its position stays. Returns 0, or -1 when memory
 *  is short. */
JST_DECODE_EXPORT int32_t jst_decode_follow(jst_decode *d, const jst_decode_shape *shapes,
                                            uint32_t shape_count, const char *paths,
                                            uint64_t path_bytes, jst_decode_followed *followed,
                                            uint32_t count);

/* Views, valid until the next jst_decode_add or jst_decode_free. Columns of a table without rows
 * are NULL. */
JST_DECODE_EXPORT const jst_decode_result *jst_decode_result_at(const jst_decode *d,
                                                                uint64_t number);
JST_DECODE_EXPORT uint64_t jst_decode_rows(const jst_decode *d, uint32_t table);
JST_DECODE_EXPORT const void *jst_decode_values(const jst_decode *d, uint32_t table,
                                                uint32_t column);
/** The heap of a binary column. */
JST_DECODE_EXPORT const void *jst_decode_binary(const jst_decode *d, uint32_t table,
                                                uint32_t column, uint64_t *bytes);
/** 32 int64 per row; rows whose bit in *valid (LSB first) is 0 are all zero; *nulls counts them. */
JST_DECODE_EXPORT const int64_t *jst_decode_histogram(const jst_decode *d, uint32_t column,
                                                      const uint8_t **valid, uint64_t *nulls);
/** Per column of the tables of slices: the bits that are set in any of its metric's values. */
JST_DECODE_EXPORT const uint64_t *jst_decode_bits(const jst_decode *d, uint32_t table);
/** The same per histogram and bucket: 32 for each histogram. */
JST_DECODE_EXPORT const uint64_t *jst_decode_bucket_bits(const jst_decode *d);
JST_DECODE_EXPORT const jst_decode_event *jst_decode_events(const jst_decode *d, uint64_t *count);
JST_DECODE_EXPORT const char *jst_decode_text(const jst_decode *d, uint64_t *bytes);
/** The states of all results. */
JST_DECODE_EXPORT const uint8_t *jst_decode_states(const jst_decode *d, uint64_t *bytes);

#endif
