/* Builds a segment in memory and writes it to a descriptor. It copies nothing that it is given but strings' bytes:
 * payloads must stay where they are until ws_segment_writer_write returns. No Ruby, no locks: one thread at a time.
 * Who calls: store.c (recorded boots, compaction), feature_index_builder.c adds the index's sections. */
#ifndef WARMSTART_CORE_SEGMENT_WRITER_H
#define WARMSTART_CORE_SEGMENT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/image/image_format.h"
#include "core/image/segment.h"

typedef struct ws_segment_writer ws_segment_writer;

/* key: the text of section KEY. flags: WS_SEGMENT_*. NULL when memory is short. */
ws_segment_writer *ws_segment_writer_new(const char *key, size_t key_size, uint32_t flags);
void ws_segment_writer_free(ws_segment_writer *writer);

/* Offset of the string in STRINGS (equal strings share one place); UINT32_MAX when memory is short. */
uint32_t ws_segment_writer_string(ws_segment_writer *writer, const char *bytes, size_t size);

/* Adds an entry. Of `entry` it takes everything but the hashes, offsets and sizes of strings and payload, which it
 * fills. payload NULL: entry->payload_segment, _offset, _size and _checksum are kept as given (the payload lies in
 * another segment). A path added twice replaces the first (and keeps its place; the same content keeps its
 * WS_ENTRY_LASTING hints). false when memory is short. */
bool ws_segment_writer_add(ws_segment_writer *writer, const ws_entry *entry, const char *path, size_t path_size,
                           const char *realpath, size_t realpath_size, const void *payload, size_t payload_size);

/* Sets a section's bytes as they are (copied): the feature index's and the statistics'. Not for KEY, STRINGS, ENTRIES,
 * ENTRY_TABLE and PAYLOADS, which the writer makes itself: false, as when memory is short. */
bool ws_segment_writer_section(ws_segment_writer *writer, ws_section section, const void *bytes, size_t size);

/* Copies the load-path index of another segment, with its strings. A segment without one, or whose numbers point
 * outside: nothing is copied and all is well. false when memory is short. */
bool ws_segment_writer_copy_index(ws_segment_writer *writer, const ws_segment *segment);

/* A power-of-two table as ENTRY_TABLE and FEATURE_TABLE have it, at most half full. *table_size: numbers in it. NULL
 * when memory is short; free() it. */
uint32_t *ws_segment_writer_table(const uint64_t *hashes, uint32_t count, uint32_t *table_size);

uint32_t ws_segment_writer_count(const ws_segment_writer *writer);
/* Bytes of PAYLOADS so far. */
uint64_t ws_segment_writer_payload_size(const ws_segment_writer *writer);

/* Lays out and writes everything to `descriptor` from its present position. *header: what was written (id, sizes,
 * checksum). PORTABLE drops inodes, devices, ctimes and parts of a second; REPRODUCIBLE sorts entries by path, sets
 * created = 0 and derives segment_id from the content; it implies PORTABLE. May be called again: it writes the same but
 * for a random id. WS_FULL when the disk, the quota or the limit on file sizes is reached. */
ws_code ws_segment_writer_write(ws_segment_writer *writer, int descriptor, ws_segment_header *header, const char *path,
                                ws_error *error);

/* WS_FULL or WS_SYSTEM: what the errno of a failed write means. */
ws_code ws_write_failure(int error_number);

#endif
