/* In which library does a function or a variable lie? Who calls: box.c, psych_origin.c, hook.c. */
#ifndef WARMSTART_RUBY_LIBRARY_H
#define WARMSTART_RUBY_LIBRARY_H

#include <stdbool.h>

/* An address that stands for the library (or the program) that holds this one, or NULL. */
const void *ws_library_of(const void *address);
const void *ws_rubys_library(void);
const void *ws_our_library(void);
/* Does the library that holds the address define this symbol? */
bool ws_library_defines(const void *address, const char *symbol);

#endif
