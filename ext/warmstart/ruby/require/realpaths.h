/* Files under two names. Ruby does not load a file again under another name (load.c, require_internal). For this it
 * keeps a table of the realpaths of the files that it has loaded. From Ruby 3.2 or 3.3 on it also keeps a table of the
 * realpath that each path had when Ruby first asked for it. The direct way reads and writes these same tables, so each
 * way of loading knows about the other's files what Ruby would know. */
#ifndef WARMSTART_RUBY_REALPATHS_H
#define WARMSTART_RUBY_REALPATHS_H

#include <stdbool.h>

#include "core/image/image.h"

/* Does the entry's path differ from its realpath? */
bool ws_is_alias(ws_found found);
/* The path is its own realpath now. Would Ruby not load it, because the file was loaded under another name? Or would
 * Ruby take it for another file, because the path led elsewhere when Ruby first met it? */
bool ws_realpath_is_known_otherwise(const char *path);
/* Such a path is about to be loaded. Records it as Ruby does when it asks for the realpath. */
void ws_realpath_is_asked(const char *path);
/* The file has been loaded and provided. Records its realpath as Ruby does. */
void ws_realpath_is_loaded(const char *path);

/* Looks for the tables. If they are not as this version of Ruby should have them, the direct way is off. */
void ws_init_realpaths(void);

#endif
