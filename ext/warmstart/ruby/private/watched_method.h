/* Methods that tell what they are called with, and then do what Ruby's do, without a frame of their own. */
#ifndef WARMSTART_RUBY_WATCHED_METHOD_H
#define WARMSTART_RUBY_WATCHED_METHOD_H

#include <ruby.h>

void ws_init_watched_method(VALUE native);

#endif
