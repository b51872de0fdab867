/* Files under two names. Ruby remembers the realpath of what it has loaded and does not load it again under another name
 * (require_internal, vm->loaded_features_realpaths); what the direct way loads it does not know. */
#ifndef WARMSTART_RUBY_ALIASES_H
#define WARMSTART_RUBY_ALIASES_H

#include "bindings.h"

/* Is the entry's path another than its realpath? */
bool ws_is_alias(ws_found found);
/* Was the file with this realpath loaded natively under another name? */
bool ws_alias_was_loaded(const char *path, size_t size);
/* A file is about to be loaded natively under this path: is it another name of one that the direct way has loaded and that
 * is still provided? Else its realpath is remembered. */
bool ws_alias_of_direct(const char *path);

void ws_init_aliases(VALUE native);

#endif
