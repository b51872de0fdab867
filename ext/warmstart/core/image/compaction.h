/* Merges an image's segments into one. Who calls: store.c, with the folder's lock held. */
#ifndef WARMSTART_CORE_COMPACTION_H
#define WARMSTART_CORE_COMPACTION_H

#include "core/image/image.h"
#include "core/image/segment_writer.h"

/* Are there too many deltas, is a third of the image's bytes no longer used, or is it above the limit? Entries of files
 * that are gone count as used with keep_gone, and while the deltas are small; otherwise this may take a call for each
 * entry, but for those of segments that were written after `began` (seconds; 0: unknown). */
bool ws_compaction_due(const ws_image *image, bool keep_gone, int64_t began, uint64_t maximum_size);

/* Makes a writer with the newest version of every entry that is worth keeping, in the order of the boots, and with the
 * newest index and statistics. An entry whose file is gone is not, without keep_gone. The segment will not be larger
 * than maximum_size. Payloads are verified and stay in the image, which must therefore be open until the segment is
 * written. An entry whose payload is proven to be damaged is left out. On failure *writer is NULL: memory is short, or
 * a payload cannot be read at the moment (WS_UNREADABLE). */
ws_code ws_compaction_writer(const ws_image *image, bool keep_gone, uint64_t maximum_size, ws_segment_writer **writer);

#endif
