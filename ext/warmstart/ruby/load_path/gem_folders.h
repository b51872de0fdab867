/* Which folders are those of installed gems. */
#ifndef WARMSTART_RUBY_GEM_FOLDERS_H
#define WARMSTART_RUBY_GEM_FOLDERS_H

#include <stdbool.h>

/* Is the path in an installed gem (below a GEM_HOME)? */
bool ws_is_under_gems(const char *path);

#endif
