#ifndef WARMSTART_RUBY_LANDMARKS_H
#define WARMSTART_RUBY_LANDMARKS_H

#include <ruby.h>

#include "ruby/require/require_methods.h"

/* How many are waited for. Zero, most of the time: ask before calling. */
extern int ws_landmark_count;

/* A require by that function, with who waits for the feature told before and after. */
VALUE ws_landmark_require(ws_require_function *function, VALUE self, VALUE feature);

void ws_init_landmarks(VALUE native);

#endif
