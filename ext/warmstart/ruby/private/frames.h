/* What a frame of rb_profile_frames is. The nearest is asked for by `start` 0: any other number leaves out as many of
 * Ruby's frames, and none of C's, on some Rubies, and nothing on others. Who asks: relative.c, hook_owner.c,
 * document_call.c, the profiler's callers.c. */
#ifndef WARMSTART_RUBY_FRAMES_H
#define WARMSTART_RUBY_FRAMES_H

#include <stdbool.h>

#include <ruby.h>
#include <ruby/debug.h>

/* Only code in Ruby begins in a line (rb_profile_frame_first_lineno: frame2iseq). Names and paths are the program's to
 * choose. */
static inline bool
ws_is_c_frame(VALUE frame)
{
    return NIL_P(rb_profile_frame_first_lineno(frame));
}

#endif
