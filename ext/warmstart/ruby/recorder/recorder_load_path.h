/* Tells a recording the present $LOAD_PATH. Only recorder.c calls. */
#ifndef WARMSTART_RUBY_RECORDER_LOAD_PATH_H
#define WARMSTART_RUBY_RECORDER_LOAD_PATH_H
#include <ruby.h>

#include "core/recording/recording.h"

/* stable_roots: an Array of folders (Ruby's own) that count as stable in addition to those of gems, or nil. */
void ws_recorder_tell_load_path(ws_recording *recording, VALUE stable_roots);

#endif
