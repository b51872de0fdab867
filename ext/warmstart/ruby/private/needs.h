/* What this Ruby lacks (see needs.c), and how to look for a constant without calling the program. */
#ifndef WARMSTART_RUBY_NEEDS_H
#define WARMSTART_RUBY_NEEDS_H

#include <stdbool.h>

#include <ruby.h>

/* Is this part ("code", "direct", "documents", "recording") off because this Ruby does not have what it needs? */
bool ws_lacks(const char *part);
bool ws_lacks_something(void);
/* Says that a part is off because it lacks `what`. If a part lacks several things, the first one is named. To be called
 * only while Warmstart is being loaded. */
void ws_lack(const char *part, const char *what);

/* Returns a constant of this very module, without autoload, const_missing or an error, or Qundef if there is none
 * (yet). It is given by its name, or by a path ("Visitors::ToRuby"). */
VALUE ws_constant_at(VALUE module, ID name);
VALUE ws_constant_named(VALUE module, const char *path);

void ws_init_needs(VALUE native);

#endif
