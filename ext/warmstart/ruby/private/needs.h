/* What this Ruby lacks: see needs.c. And how to look for a constant without calling the program. */
#ifndef WARMSTART_RUBY_NEEDS_H
#define WARMSTART_RUBY_NEEDS_H

#include <stdbool.h>

#include <ruby.h>

/* Is this part ("code", "direct", "documents", "recording") off, because this Ruby does not have what it needs? */
bool ws_lacks(const char *part);
/* It is, for want of that; what a part lacks first is what is named. Only while Warmstart is loaded. */
void ws_lack(const char *part, const char *what);

/* A constant of this very module, without autoload, const_missing or an error: Qundef where there is none (yet). By its
 * name, or by a path ("Visitors::ToRuby"). */
VALUE ws_constant_at(VALUE module, ID name);
VALUE ws_constant_named(VALUE module, const char *path);

void ws_init_needs(VALUE native);

#endif
