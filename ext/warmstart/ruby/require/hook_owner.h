/* Who answers RubyVM::InstructionSequence.load_iseq, and who asked. Who calls: hook.c, which defines ours, and way.c.
 */
#ifndef WARMSTART_RUBY_HOOK_OWNER_H
#define WARMSTART_RUBY_HOOK_OWNER_H

#include <stdbool.h>

#include <ruby.h>

/* Our hook has just been defined, or is about to go. */
void ws_hook_is_ours_now(VALUE iseq_class);
void ws_hook_is_nobodys_now(void);
/* Would Ruby ask ours, if it loaded a file now? */
bool ws_hook_is_ours(void);
/* Has bootsnap put itself before our hook? */
bool ws_hook_was_taken(void);

/* Is this, in the hook, for Kernel#load, or C's rb_load? What is loaded that way may have been written a moment ago,
 * sealed or not, and runs whatever the direct way has done. */
bool ws_hook_called_by_load(const char *path);

void ws_init_hook_owner(void);

#endif
