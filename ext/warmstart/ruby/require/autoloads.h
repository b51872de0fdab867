/* Which files may be the target of an autoload: see autoloads.c. */
#ifndef WARMSTART_RUBY_AUTOLOADS_H
#define WARMSTART_RUBY_AUTOLOADS_H

#include <stdbool.h>
#include <stddef.h>

#include <ruby.h>

/* May an autoload that was registered mean the file with this absolute path? */
bool ws_autoload_may_mean(const char *path, size_t size);

/* Does Ruby itself require that feature now, in this fiber, because a constant was touched whose file it is, and is
 * there no other autoload that may mean the file? */
bool ws_autoload_asks_for(VALUE feature, const char *path, size_t size);

void ws_init_autoloads(VALUE native);

#endif
