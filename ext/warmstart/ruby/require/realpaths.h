/* Files under two names. Ruby does not load a file again under another name (load.c, require_internal): it keeps a
 * table of the realpaths of what it has loaded and, from Ruby 3.2 or 3.3 on, a second one of the realpath that each
 * path had when it was first asked for. The direct way reads and writes these same tables, so that each way knows of
 * the other's files what Ruby would know. */
#ifndef WARMSTART_RUBY_REALPATHS_H
#define WARMSTART_RUBY_REALPATHS_H

#include <stdbool.h>

#include "core/image/image.h"

/* Is the entry's path another than its realpath? */
bool ws_is_alias(ws_found found);
/* A path that is its own realpath now: would Ruby not load it, since the file was loaded under another name, or take it
 * for another file, since the path led elsewhere when Ruby first met it? */
bool ws_realpath_is_known_otherwise(const char *path);
/* Such a path is about to be loaded: Ruby would ask for its realpath. */
void ws_realpath_is_asked(const char *path);
/* It has been loaded and provided. */
void ws_realpath_is_loaded(const char *path);

/* Looks for the tables. Where they are not as this Ruby should have them, the direct way is off. */
void ws_init_realpaths(void);

#endif
