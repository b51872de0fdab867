/* What way.c and require.c need to know of the load_iseq hook (hook.c), and what they tell it: is it switched on, would
 * Ruby call it, and which metadata need not be asked for again? */
#include "ruby/require/require.h"

#include "ruby/boot/boot.h"
#include "ruby/boot/events.h"
#include "ruby/private/own_methods.h"

static struct {
    bool enabled;
    VALUE method; /* our hook; nil: it is not defined */
    VALUE name;
    ID id_bootsnap, id_equal;
    /* The metadata that were read when a feature was resolved. The hook uses them when it is called next, for the same
     * path. */
    struct {
        bool valid;
        char path[WS_PATH_MAXIMUM];
        size_t size;
        ws_stat stat;
    } resolved;
} hook;

void
ws_hook_remember(VALUE path, const ws_stat *stat)
{
    size_t size = (size_t)RSTRING_LEN(path);
    hook.resolved.valid = size < sizeof hook.resolved.path;
    if (!hook.resolved.valid) return;
    memcpy(hook.resolved.path, RSTRING_PTR(path), size);
    hook.resolved.path[size] = 0;
    hook.resolved.size = size;
    hook.resolved.stat = *stat;
}

void
ws_hook_forget_remembered(void)
{
    hook.resolved.valid = false;
}

int
ws_hook_stat(VALUE path, ws_stat *stat)
{
    bool known = hook.resolved.valid && hook.resolved.size == (size_t)RSTRING_LEN(path) &&
                 memcmp(hook.resolved.path, RSTRING_PTR(path), hook.resolved.size) == 0;
    hook.resolved.valid = false;
    if (known) *stat = hook.resolved.stat;
    return known ? 0 : ws_file_stat_named(RSTRING_PTR(path), stat);
}

bool
ws_hook_enabled(void)
{
    return hook.enabled;
}

void
ws_hook_step_back(void)
{
    hook.enabled = false;
    ws_complain(
        "take one of the two out ('warmstart init' does): bootsnap was set up later and answers RubyVM::InstructionSequence.load_iseq; its code cache is used from now on instead of Warmstart's");
}

/* ---- whose hook answers ----
 *
 * A program may define its own hook over ours at any time. Ruby asks that hook for each file, so no file may bypass it.
 * If bootsnap is set up after us, it prepends a module with its own hook, which does not call ours. Then we no longer
 * guard what Ruby loads by itself, and only one of the two should go on. Each look costs a Method object. */

static VALUE
current_method(void)
{
    return rb_obj_method(ws_iseq_class, hook.name);
}

bool
ws_hook_is_ours(void)
{
    if (NIL_P(hook.method)) return true;
    if (!rb_method_boundp(CLASS_OF(ws_iseq_class), SYM2ID(hook.name), 0) ||
        !rb_method_basic_definition_p(CLASS_OF(hook.method), hook.id_equal))
        return false;
    return rb_equal(current_method(), hook.method) == Qtrue;
}

bool
ws_hook_was_taken(void)
{
    return rb_const_defined_at(rb_cObject, hook.id_bootsnap) && !ws_hook_is_ours();
}

void
ws_hook_note_defined(bool defined)
{
    hook.method = defined ? current_method() : Qnil;
}

static VALUE
set_hook_enabled(VALUE self, VALUE on)
{
    hook.enabled = RTEST(on);
    return on;
}

void
ws_init_hook_state(VALUE native)
{
    hook.method = Qnil;
    hook.name = ID2SYM(rb_intern("load_iseq"));
    hook.id_bootsnap = rb_intern("Bootsnap");
    hook.id_equal = rb_intern("==");
    rb_gc_register_address(&hook.method);

    rb_define_singleton_method(native, "hook_enabled=", set_hook_enabled, 1);
}
