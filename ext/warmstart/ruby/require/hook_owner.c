/* Which hook answers RubyVM::InstructionSequence.load_iseq, and who called it. A program may define its own hook over
 * ours at any time. Ruby asks that hook for each file, so no file may bypass it. If bootsnap is set up after us, it
 * prepends a module with its own hook, which does not call ours. Then we no longer guard what Ruby loads by itself, and
 * only one of the two should go on.
 *
 * Each look costs a Method object. */
#include "ruby/require/hook_owner.h"

#include <stdint.h>
#include <string.h>

#include "ruby/private/c_function.h"
#include "ruby/private/frames.h"
#include "ruby/private/library.h"
#include "ruby/require/features.h"

static VALUE owner, own_method, hook_name;
static ID id_bootsnap, id_equal;

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
ws_hook_is_ours(void)
{
    if (NIL_P(own_method)) return true;
    if (!rb_method_boundp(CLASS_OF(owner), SYM2ID(hook_name), 0) ||
        !rb_method_basic_definition_p(CLASS_OF(own_method), id_equal))
        return false;
    return rb_equal(current_method(owner), own_method) == Qtrue;
}

bool
ws_hook_was_taken(void)
{
    return rb_const_defined_at(rb_cObject, id_bootsnap) && !ws_hook_is_ours();
}

#ifdef WS_KNOWN_FRAMES
/* Is this the frame of the C function that is Kernel's method of that name? Kernel's singleton method is the same
 * function. An extension may have defined another function under the same name, so it must lie in Ruby or be ours. */
static bool
is_kernels(VALUE frame, const char *name)
{
    VALUE method = rb_profile_frame_method_name(frame);
    if (!ws_is_c_frame(frame) || !RB_TYPE_P(method, T_STRING) || strcmp(StringValueCStr(method), name) != 0)
        return false;
    VALUE owner_path = rb_profile_frame_classpath(frame);
    if (!RB_TYPE_P(owner_path, T_STRING) || strcmp(StringValueCStr(owner_path), "Kernel") != 0) return false;
    ws_c_function *function = ws_c_function_of_frame(frame);
    const void *library = function ? ws_library_of((const void *)(uintptr_t)function) : NULL;
    return library && (library == ws_rubys_library() || library == ws_our_library());
}
#endif

/* If rb_f_load or rb_f_require loads the file, rb_iseq_load_iseq calls us from that frame, which tells the two apart.
 * Our require calls Ruby's without a frame. Behind any other frame (of an extension's method, whatever its name is),
 * Ruby's own table tells: a require has entered the file there (load_lock), and a load has not (rb_load_internal). Only
 * one case cannot be told: an extension calls rb_load for a file that somebody is requiring at that moment by Ruby's
 * own require. That load gets the code that the require has got. */
bool
ws_hook_called_by_load(const char *path)
{
#ifdef WS_KNOWN_FRAMES
    VALUE frames[2];
    int lines[2];
    if (rb_profile_frames(0, 2, frames, lines) == 2) {
        if (is_kernels(frames[1], "load")) return true;
        if (is_kernels(frames[1], "require") || is_kernels(frames[1], "require_relative")) return false;
    }
#endif
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
    id_equal = rb_intern("==");
    rb_gc_register_address(&owner);
    rb_gc_register_address(&own_method);
}
