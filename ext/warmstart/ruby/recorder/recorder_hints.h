/* What a recording boot notes beside the iseqs: whether compiling was silent, and the hints for the loader's direct
 * way. recorder.c and autoloads.c call (and Ruby: the methods that are put over Ruby's own while recording). */
#ifndef WARMSTART_RUBY_RECORDER_HINTS_H
#define WARMSTART_RUBY_RECORDER_HINTS_H

#include <stdbool.h>
#include <stdint.h>

#include <ruby.h>

#include "ruby/recorder/recorder_compilations.h"

/* The first compilation begins, the last one ends: in between, Warning.warn is listened to. */
void ws_warnings_begin(void);
bool ws_warnings_were_silent(const ws_compilation *compilation);
void ws_warnings_end(void);

/* Puts the listener for READS in place, once: a boot that compiles nothing keeps Ruby's own variables. */
void ws_hints_listen(void);
void ws_hints_stop_listening(void);

/* An autoload of that name (a String) was registered (autoloads.c). */
void ws_hints_autoload_registered(VALUE feature);

/* The hints that a file has which is being compiled in this fiber, until more is known of it. */
uint32_t ws_hints_at_first(void);
/* The file just compiled by the innermost require has this number in the recording; $LOADED_FEATURES had that size. */
void ws_hints_compiled(uint32_t number, VALUE path, long features_count);

/* recorder.c: sets WS_ENTRY_* on a file that is not written yet, and takes others back. */
void ws_recorder_hint(uint32_t number, uint32_t flags, uint32_t no_longer);
/* recorder.c: a require of this fiber is over, also by an error. */
void ws_recorder_call_ended(void);

void ws_init_hints(VALUE native);

#endif
