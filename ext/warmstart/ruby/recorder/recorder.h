/* Keeps what Ruby compiles, and hands it to core/recording/. */
#ifndef WARMSTART_RUBY_RECORDER_H
#define WARMSTART_RUBY_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <ruby.h>

#include "core/image/image.h"
#include "core/image/image_format.h"
#include "core/image/segment.h"
#include "core/recording/recording.h"
#include "core/system/file.h"

/* Announces that Ruby is about to compile `path`, and that the result is to be kept. stat: the file's metadata before
 * Ruby opens it. flags: the entry's WS_ENTRY_*. */
void ws_recorder_expect(VALUE path, const ws_stat *stat, uint32_t flags);
/* Takes the announcement back. */
void ws_recorder_expect_nothing(void);
/* After a hit by content: records the file's present metadata. */
void ws_recorder_revalidated(const ws_entry *entry, const ws_segment *segment, const ws_stat *stat);
/* The image's entry for a file turned out to be useless: what this process records of the file replaces it. Does
 * nothing if this process does not record. */
void ws_recorder_take_place_of(ws_found found);
/* Adds a document. Does nothing if this process does not record, or if too much is pending already. */
void ws_recorder_keep_document(const ws_recorded_file *file);
bool ws_recorder_active(void);
/* Wraps a require while recording, for the hints; see recorder_hints.c. */
VALUE ws_recorder_call(VALUE (*function)(VALUE self, VALUE feature), VALUE self, VALUE feature);
/* Notes that an autoload of this name (a String) was registered (autoloads.c). */
void ws_hints_autoload_registered(VALUE feature);
uint32_t ws_current_warning_level(void);
/* Would a compilation that was silent at the recorded level be silent now? */
bool ws_silent_now(uint32_t recorded);
/* Has the index come that a first boot has asked for (Native.request_index)? Then it answers from here on. */
bool ws_recorder_brings_index(void);
/* How long the end of the program, and exec, wait until everything is written: Session::FINISH_MILLISECONDS. */
#define WS_FINISH_MILLISECONDS 10000
/* Waits until what was asked for is written, for at most this time. Other threads run meanwhile. Returns false if it is
 * not written yet. Raises what other threads or signals raise in this thread. */
bool ws_recorder_wait(uint32_t milliseconds);

/* nil, or the tag of a `catch`. When the next file has been compiled, the recorder throws true to this tag if the file
 * was kept, and false if not. `build` uses this to compile without running. */
extern VALUE ws_recorder_leaves_by;

void ws_init_recorder(VALUE native);
void ws_init_exec(VALUE native);

#endif
