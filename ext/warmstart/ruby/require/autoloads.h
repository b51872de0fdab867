/* Which files may be the target of an autoload: see autoloads.c. */
#ifndef WARMSTART_RUBY_AUTOLOADS_H
#define WARMSTART_RUBY_AUTOLOADS_H

#include <stdbool.h>
#include <stddef.h>

#include <ruby.h>

/* Can a registered autoload mean the file with this absolute path? */
bool ws_autoload_may_mean(const char *path, size_t size);

void ws_init_autoloads(VALUE native);

#endif
