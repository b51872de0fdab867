#ifndef WARMSTART_RUBY_LANDMARKS_H
#define WARMSTART_RUBY_LANDMARKS_H

#include <ruby.h>

#include "ruby/require/relative.h"

/* The number of landmarks that have not been passed yet. It is zero most of the time, so check it before the call. */
extern int ws_landmark_count;

/* Requires the feature by that function, and calls before and after it those who wait for the feature. */
VALUE ws_landmark_require(ws_require_function *function, VALUE self, VALUE feature);

void ws_init_landmarks(VALUE native);

#endif
