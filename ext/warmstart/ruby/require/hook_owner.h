/* Which hook answers RubyVM::InstructionSequence.load_iseq, and who called it. Who calls: hook.c, which defines our
 * hook, and way.c. */
#ifndef WARMSTART_RUBY_HOOK_OWNER_H
#define WARMSTART_RUBY_HOOK_OWNER_H

#include <stdbool.h>

#include <ruby.h>

/* To be called when our hook has just been defined, and when it is about to be removed. */
void ws_hook_is_ours_now(VALUE iseq_class);
void ws_hook_is_nobodys_now(void);
/* Would Ruby call our hook if it loaded a file now? */
bool ws_hook_is_ours(void);
/* Has bootsnap put its hook before ours? */
bool ws_hook_was_taken(void);

/* Was the hook called for Kernel#load, or for rb_load from C? Such a file may have been written a moment ago, even if
 * the image is sealed, and it must run even if the direct way has loaded it already. */
bool ws_hook_called_by_load(const char *path);

void ws_init_hook_owner(void);

#endif
