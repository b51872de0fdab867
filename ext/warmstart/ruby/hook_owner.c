/* Who answers RubyVM::InstructionSequence.load_iseq, and who asked. Bootsnap, set up after us, prepends a module with its own, which does not
 * call ours: what Ruby loads by itself is then unguarded by us, and only one of the two should go on.
 *
 * A look costs a Method object, so there is none before the constant Bootsnap exists. */
#include "hook_owner.h"

#include "features.h"

#include <ruby/debug.h>

static VALUE owner, own_method, hook_name;
static ID id_bootsnap;

static VALUE
current_method(VALUE class)
{
    return rb_obj_method(class, hook_name);
}

void
ws_hook_is_ours_now(VALUE iseq_class)
{
    owner = iseq_class;
    own_method = current_method(iseq_class);
}

void
ws_hook_is_nobodys_now(void)
{
    own_method = Qnil;
}

bool
ws_hook_was_taken(void)
{
    if (NIL_P(own_method) || !rb_const_defined_at(rb_cObject, id_bootsnap)) return false;
    return rb_equal(current_method(owner), own_method) != Qtrue;
}

/* Only a require has entered the file in Ruby's own table (load_lock). */
bool
ws_hook_called_by_load(const char *path)
{
    VALUE frames[2];
    int lines[2];
    if (rb_profile_frames(0, 2, frames, lines) < 2) return true;
    VALUE name = rb_profile_frame_method_name(frames[1]);
    if (!RB_TYPE_P(name, T_STRING) || strcmp(StringValueCStr(name), "load") == 0) return true;
    if (strcmp(StringValueCStr(name), "require") == 0) return false;
    bool loading;
    ws_is_provided(path, &loading);
    return !loading;
}

void
ws_init_hook_owner(void)
{
    owner = own_method = Qnil;
    hook_name = ID2SYM(rb_intern("load_iseq"));
    id_bootsnap = rb_intern("Bootsnap");
    rb_gc_register_address(&owner);
    rb_gc_register_address(&own_method);
}
