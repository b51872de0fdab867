/* What a frame of rb_profile_frames is. Ask with `start` 0, for the nearest frame. On some Rubies any other number
 * leaves out as many of Ruby's frames but none of C's, and on others it leaves out nothing. Who calls: relative.c,
 * hook.c, document_call.c, the profiler's callers.c. */
#ifndef WARMSTART_RUBY_FRAMES_H
#define WARMSTART_RUBY_FRAMES_H

#include <stdbool.h>

#include <ruby.h>
#include <ruby/debug.h>

/* Is it a frame of C? Only code in Ruby has a first line (rb_profile_frame_first_lineno: frame2iseq). Names and paths
 * do not tell, because the program can choose them. */
static inline bool
ws_is_c_frame(VALUE frame)
{
    return NIL_P(rb_profile_frame_first_lineno(frame));
}

#endif
