/* Builds a segment in memory and writes it to a descriptor. It copies strings but no payloads, which must therefore
 * stay where they are until ws_segment_writer_write returns. It uses no Ruby and no locks: one thread at a time. Who
 * calls: store.c (recorded boots, compaction); feature_index_builder.c adds the index's sections. */
#ifndef WARMSTART_CORE_SEGMENT_WRITER_H
#define WARMSTART_CORE_SEGMENT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/image/image_format.h"
#include "core/image/segment.h"

typedef struct ws_segment_writer ws_segment_writer;

/* key: the text of section KEY. flags: WS_SEGMENT_*. Returns NULL when memory is short. */
ws_segment_writer *ws_segment_writer_new(const char *key, size_t key_size, uint32_t flags);
void ws_segment_writer_free(ws_segment_writer *writer);

/* The offset of the string in STRINGS, which stores equal strings once. UINT32_MAX: memory is short. */
uint32_t ws_segment_writer_string(ws_segment_writer *writer, const char *bytes, size_t size);

/* Adds an entry. The writer sets the hashes, and the offsets and sizes of strings and payload; everything else comes
 * from `entry`. payload NULL: the payload lies in another segment, and entry->payload_segment, _offset, _size and
 * _checksum are kept as given. A path that is added again replaces the earlier entry in its place; if the content is
 * the same, the WS_ENTRY_LASTING hints of the earlier one are kept. false: memory is short. */
bool ws_segment_writer_add(ws_segment_writer *writer, const ws_entry *entry, const char *path, size_t path_size,
                           const char *realpath, size_t realpath_size, const void *payload, size_t payload_size);

/* Copies the given bytes as the section's content, for the feature index and the statistics. The writer itself makes
 * KEY, STRINGS, ENTRIES, ENTRY_TABLE and PAYLOADS; for these the result is false. false also when memory is short. */
bool ws_segment_writer_section(ws_segment_writer *writer, ws_section section, const void *bytes, size_t size);
/* Was anything given for such a section? */
bool ws_segment_writer_has(const ws_segment_writer *writer, ws_section section);

/* Copies the load-path index of another segment with its strings. If that segment has none, or one whose offsets are
 * out of bounds, nothing is copied and the result is true. false: memory is short. */
bool ws_segment_writer_copy_index(ws_segment_writer *writer, const ws_segment *segment);

/* Makes a hash table with a power of two of slots, at most half full, like ENTRY_TABLE and FEATURE_TABLE. *table_size:
 * the number of slots. Returns NULL when memory is short. The caller frees it. */
uint32_t *ws_segment_writer_table(const uint64_t *hashes, uint32_t count, uint32_t *table_size);

uint32_t ws_segment_writer_count(const ws_segment_writer *writer);
/* The bytes of PAYLOADS so far. */
uint64_t ws_segment_writer_payload_size(const ws_segment_writer *writer);

/* Writes the whole segment to `descriptor` from its present position. *header: what was written (id, sizes, checksum).
 * PORTABLE drops inodes, devices, ctimes and parts of a second. REPRODUCIBLE implies PORTABLE, sorts entries by path,
 * sets created = 0 and derives segment_id from the content. A second call writes the same, except for a random id.
 * WS_FULL: the disk, the quota or the limit on file sizes is reached. */
ws_code ws_segment_writer_write(ws_segment_writer *writer, int descriptor, ws_segment_header *header, const char *path,
                                ws_error *error);

/* Does the errno of a failed write mean WS_FULL or WS_SYSTEM? */
ws_code ws_write_failure(int error_number);

#endif
