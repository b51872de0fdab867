/* Frozen string literals for the application's own files, where it asks for them. */
#ifndef WARMSTART_RUBY_FROZEN_LITERALS_H
#define WARMSTART_RUBY_FROZEN_LITERALS_H

#include <stdbool.h>
#include <stddef.h>

#include <ruby.h>

/* Are this file's string literals to be frozen where it has no magic comment? */
bool ws_frozen_literals_wanted(const char *path, size_t size);
/* Such a file's iseq, or Qnil: Ruby's own loader will say what is wrong with it. */
VALUE ws_frozen_literals_compile(VALUE path);

void ws_init_frozen_literals(VALUE native);

#endif
