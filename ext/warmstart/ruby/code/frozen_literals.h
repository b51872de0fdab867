/* Frozen string literals for the application's own files, if it asks for them. */
#ifndef WARMSTART_RUBY_FROZEN_LITERALS_H
#define WARMSTART_RUBY_FROZEN_LITERALS_H

#include <stdbool.h>
#include <stddef.h>

#include <ruby.h>

/* Are this file's string literals to be frozen if it has no magic comment? */
bool ws_frozen_literals_wanted(const char *path, size_t size);
/* Returns such a file's iseq, or Qnil if Ruby's own loader is to say what is wrong with the file. */
VALUE ws_frozen_literals_compile(VALUE path);

void ws_init_frozen_literals(VALUE native);

#endif
