/* Puts a C function in the place of a method that is Ruby's own, and puts Ruby's own back. Who calls: the recorder, the
 * governor, real_names.c, judgement.c. */
#ifndef WARMSTART_RUBY_PATCH_H
#define WARMSTART_RUBY_PATCH_H

#include <stdbool.h>

#include <ruby.h>

/* A function of any arity: it is cast to this type and back. */
typedef VALUE ws_method_function(VALUE self);

typedef struct ws_patch {
    VALUE original; /* Ruby's own, an UnboundMethod; kept after the removal, for those who made an alias of ours */
    VALUE module;
    const char *name;
    bool installed;
    bool hidden; /* it was private */
} ws_patch;

/* Has the program a method that Ruby would call when one of this module's comes or goes (vm_method.c:
 * CALL_METHOD_HOOK)? As long as such a hook is Ruby's own it does nothing. */
bool ws_is_hooked(VALUE module);

/* Owner, visibility, original name and arity (pass the same) stay as they are. Methods of modules that are prepended
 * before or after stay above ours. Returns false and does nothing if the module's own method is no longer Ruby's, or if
 * the program would hear of it. The patch must be static. */
bool ws_patch_install(ws_patch *patch, VALUE module, const char *name, ws_method_function *function, int arity);

/* Does nothing if the patch is not installed, or if somebody has defined another method in its place. In a module that
 * the program has frozen, or where the program would hear of it, our function stays: it does what Ruby's does. */
void ws_patch_remove(ws_patch *patch);

void ws_init_patch(VALUE native);

#endif
