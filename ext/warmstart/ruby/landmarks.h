#ifndef WARMSTART_RUBY_LANDMARKS_H
#define WARMSTART_RUBY_LANDMARKS_H

#include "bindings.h"

/* How many are waited for. Zero, most of the time: ask before calling. */
extern int ws_landmark_count;

/* A require of that name has loaded its file: whoever waits for it is told. */
void ws_landmark_passed(VALUE feature);

#endif
