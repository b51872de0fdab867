/* A C function in the place of a method that is Ruby's own, and Ruby's own back in its place. Who calls: the recorder,
 * the governor. */
#ifndef WARMSTART_RUBY_PATCH_H
#define WARMSTART_RUBY_PATCH_H

#include <stdbool.h>

#include <ruby.h>

/* (Of any arity: cast to and fro.) */
typedef VALUE ws_method_function(VALUE self);

typedef struct ws_patch {
    VALUE original; /* Ruby's own, an UnboundMethod; remembered afterwards, for who made an alias of ours */
    VALUE module;
    const char *name;
    bool installed;
} ws_patch;

/* Owner, visibility, original name and arity (say the same) stay as they are; methods of modules prepended before and
 * after stay above ours. false: the module's own method is no C function any more, nothing is done. The patch must be
 * static. */
bool ws_patch_install(ws_patch *patch, VALUE module, const char *name, ws_method_function *function, int arity);

/* Nothing happens when it is not installed, or when somebody has defined another method in its place. */
void ws_patch_remove(ws_patch *patch);

#endif
