/* Keeps what Ruby compiles, and hands it to core/recording/. */
#ifndef WARMSTART_RUBY_RECORDER_H
#define WARMSTART_RUBY_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <ruby.h>

#include "core/image/image.h"
#include "core/image/image_format.h"
#include "core/image/manifest.h"
#include "core/image/segment.h"
#include "core/recording/recording.h"
#include "core/system/file.h"

/* The loader is about to let Ruby compile `path`: keep what comes out. stat: as it was before Ruby opens the file;
 * flags: WS_ENTRY_* that the entry is to have. */
void ws_recorder_expect(VALUE path, const ws_stat *stat, uint32_t flags);
/* It does not come after all. */
void ws_recorder_expect_nothing(void);
/* A hit by content: remember the file's present metadata. */
void ws_recorder_revalidated(const ws_entry *entry, const ws_segment *segment, const ws_stat *stat);
/* The image has an entry for a file, and it gives nothing that can be used: what is recorded of the file in this
 * process takes its place. Nothing happens when this process does not record. */
void ws_recorder_take_place_of(ws_found found);
/* Adds a file that is no code; nothing happens when this process does not record, or too much waits already. */
void ws_recorder_keep(const ws_recorded_file *file);
/* Ruby's own search has found nothing under this name (a plain feature). */
void ws_recorder_note_missing(VALUE feature);
/* Brackets a require while recording, for the hints; see recorder.c. */
bool ws_recorder_active(void);
VALUE ws_recorder_call(VALUE (*function)(VALUE self, VALUE feature), VALUE self, VALUE feature);
uint32_t ws_current_warning_level(void);
/* Would a compilation that was silent at the recorded level be silent now? */
bool ws_silent_now(uint32_t recorded);
/* Waits until what was asked for is written, at most that long, other threads going on meanwhile. false: it is not. May
 * raise what other threads or signals raise in this one. */
bool ws_recorder_wait(uint32_t milliseconds);

/* {name => path} into the manifest's form; raises ArgumentError when a file cannot be read. */
void ws_fill_fingerprints(ws_manifest_fingerprint *list, uint32_t *count, VALUE hash);

/* nil, or the tag of a `catch` that is left, with true or false, when the next file has been compiled and kept, or not
 * kept: for `build`, which compiles without running. */
extern VALUE ws_recorder_leaves_by;

void ws_init_recorder(VALUE native);
void ws_init_exec(VALUE native);

#endif
