/* Making one segment of an image's many. Who calls: store.c, with the folder's lock held. */
#ifndef WARMSTART_CORE_COMPACTION_H
#define WARMSTART_CORE_COMPACTION_H

#include "core/image/image.h"
#include "core/image/segment_writer.h"
#include "core/image/store.h"

/* Too many deltas, too many bytes in them or dead in the base, or an image above the limit? */
bool ws_compaction_due(const ws_image *image, uint64_t maximum_size);

/* A writer with the newest version of every entry worth keeping, in the order of the boots, the newest index and
 * statistics; the segment will not be larger than maximum_size. Payloads are verified, and stay in the image: it must
 * be open until the segment is written. An entry whose payload is proven to be broken is left out. *writer is NULL
 * unless WS_OK: memory is short, or a payload cannot be read at the moment (WS_UNREADABLE). */
ws_code ws_compaction_writer(const ws_image *image, ws_store_keep keep, void *data, uint64_t maximum_size,
                             ws_segment_writer **writer);

#endif
