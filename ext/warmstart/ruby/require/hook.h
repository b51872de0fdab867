/* The load_iseq hook: see hook.c. */
#ifndef WARMSTART_RUBY_HOOK_H
#define WARMSTART_RUBY_HOOK_H

#include <stdbool.h>

#include <ruby.h>

#include "core/system/file.h"

/* Is our hook switched on? */
bool ws_hook_enabled(void);
/* Would Ruby call our hook if it loaded a file now? */
bool ws_hook_is_ours(void);
/* Has bootsnap put its hook before ours? */
bool ws_hook_was_taken(void);
/* Switches our hook off, because bootsnap's answers load_iseq from now on, and prints a line that says so. */
void ws_hook_step_back(void);
/* Keeps the metadata of a path that Ruby is about to load natively, so that the hook need not ask for them again. */
void ws_hook_remember(VALUE path, const ws_stat *stat);
void ws_hook_forget_remembered(void);

void ws_init_hook(VALUE native);

#endif
