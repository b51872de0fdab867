/* Our require and require_relative as methods (Native.define_require), and what require_relative needs in addition to
 * require; see relative.h.
 *
 * Only rb_current_realfilepath can tell which file calls. It looks at the calling frame, and skips one frame of C. It
 * skips further frames of C if they handed their block on (vm_get_ruby_level_caller_cfp), which cannot be seen from
 * outside. But Ruby's own Kernel#__dir__ asks the same function, so we call __dir__. Between it and the frame in
 * question there is one frame more, which is ours, and ours is the one that may always be skipped. So if __dir__ has an
 * answer, each frame below ours is Ruby's or has handed its block on, and require_relative would have got the same
 * answer. If __dir__ has no answer, either require_relative would have had none, or the first frame below ours is C's
 * and did not hand a block on. Then we count the frames. */
#include "ruby/require/relative.h"

#include <string.h>

#include <ruby/debug.h>
#include <ruby/encoding.h>
#include <ruby/version.h>

#include "ruby/private/frames.h"
#include "ruby/private/own_methods.h"

static struct {
    VALUE dir; /* Kernel.__dir__, if it is Ruby's own */
    ws_require_function *require, *require_relative;
} methods = { .dir = Qnil };

/* ---- where __dir__ has no answer ---- */

/* Is this the path of a String that was evaluated without a path? rb_current_realfilepath recognises it by the String
 * object itself and, since 3.3, by its text: the forms of ext/probes.rb. If Ruby has another one, require_relative
 * stays Ruby's own (needs.c). */
static bool
is_nameless(VALUE path)
{
    if (path == rb_interned_str_cstr("(eval)")) return true;
#if !defined(WS_KNOWN_EVALUATED) || WS_KNOWN_EVALUATED == 2
    static const char mark[] = "(eval at ";
    size_t size = sizeof mark - 1;
    return (size_t)RSTRING_LEN(path) > size && RSTRING_PTR(path)[RSTRING_LEN(path) - 1] == ')' &&
           memcmp(RSTRING_PTR(path), mark, size) == 0;
#else
    return false;
#endif
}

/* Is there more than one frame of C between ours and that one? The debugger's interface leaves out the frames of blocks
 * that are written in C (Method#to_proc's), but from 3.2 on it knows how deep a frame lies. In 3.1 the frames of a
 * profile include these blocks, if a method of Ruby's made the block. */
static bool
is_far(const rb_debug_inspector_t *inspector, long frame)
{
#ifdef HAVE_RB_DEBUG_INSPECTOR_CURRENT_DEPTH
    return NUM2LONG(rb_debug_inspector_current_depth()) - NUM2LONG(rb_debug_inspector_frame_depth(inspector, frame)) >
           2;
#else
    VALUE frames[3];
    int lines[3], count = rb_profile_frames(0, 3, frames, lines);
    return count == 3 && ws_is_c_frame(frames[1]) && ws_is_c_frame(frames[2]);
#endif
}

/* Returns the file of the nearest Ruby frame, if there is at most one frame of C before it. */
static VALUE
nearest_file(const rb_debug_inspector_t *inspector, void *nothing)
{
    long count = RARRAY_LEN(rb_debug_inspector_backtrace_locations(inspector));
    for (long frame = 1; frame < count; frame++) {
        VALUE iseq = rb_debug_inspector_frame_iseq_get(inspector, frame);
        if (NIL_P(iseq)) continue;
        if (is_far(inspector, frame)) return Qnil;
        VALUE path = ws_own0(WS_OWN_ISEQ_ABSOLUTE_PATH, iseq);
        if (RTEST(path)) return path;
        path = ws_own0(WS_OWN_ISEQ_PATH, iseq);
        return RB_TYPE_P(path, T_STRING) && !is_nameless(path) ? path : Qnil;
    }
    return Qnil;
}

/* ---- the folder ---- */

VALUE
ws_caller_folder(void)
{
    VALUE folder = NIL_P(methods.dir) ? Qnil : rb_method_call_with_block(0, NULL, methods.dir, Qnil);
    if (!NIL_P(folder)) return folder;
    VALUE file = rb_debug_inspector_open(nearest_file, NULL);
    return NIL_P(file) ? Qnil : rb_file_dirname(file);
}

static void
init_caller(void)
{
    ID name = rb_intern("__dir__");
    if (rb_method_basic_definition_p(rb_singleton_class(rb_mKernel), name))
        methods.dir = rb_obj_method(rb_mKernel, ID2SYM(name));
    rb_gc_register_mark_object(methods.dir);
}

/* Since 3.2 require_relative does not freeze the path, but rb_get_path does. LoadError#path shows the difference. */
#if RUBY_API_VERSION_CODE < 30200
VALUE
ws_require_unfrozen(ws_require_function *function, VALUE self, VALUE path)
{
    return function(self, path);
}
#else
typedef struct ws_relative {
    ws_require_function *function;
    VALUE self, path;
} ws_relative;

static VALUE
go_relative(VALUE argument)
{
    ws_relative *relative = (ws_relative *)argument;
    return relative->function(relative->self, relative->path);
}

VALUE
ws_require_unfrozen(ws_require_function *function, VALUE self, VALUE path)
{
    ws_relative relative = { function, self, path };
    int state = 0;
    VALUE result = rb_protect(go_relative, (VALUE)&relative, &state);
    if (!state) return result;
    VALUE error = rb_errinfo(); /* it is no object during a throw */
    if (RB_TYPE_P(error, T_OBJECT) && rb_obj_is_kind_of(error, rb_eLoadError) == Qtrue && !OBJ_FROZEN(error)) {
        VALUE shown = rb_iv_get(error, "@path");
        if (RB_TYPE_P(shown, T_STRING) && OBJ_FROZEN(shown) && rb_str_equal(shown, path) == Qtrue)
            rb_iv_set(error, "@path", rb_str_dup(path));
    }
    rb_jump_tag(state);
}
#endif

/* ---- as methods ---- */

/* call-seq: Native.define_require(name, of_singleton) -> nil
 * Defines Kernel's private method :require or :require_relative, or the method of Kernel's singleton class. */
static VALUE
define_require(VALUE self, VALUE name, VALUE of_singleton)
{
    const char *text = rb_id2name(SYM2ID(name));
    ws_require_function *function = strcmp(text, "require") == 0 ? methods.require : methods.require_relative;
    if (RTEST(of_singleton)) rb_define_singleton_method(rb_mKernel, text, function, 1);
    else rb_define_private_method(rb_mKernel, text, function, 1);
    return Qnil;
}

void
ws_init_require_methods(VALUE native, ws_require_function *function, ws_require_function *relative_function)
{
    methods.require = function;
    methods.require_relative = relative_function;
    rb_define_singleton_method(native, "define_require", define_require, 2);
    init_caller();
}
