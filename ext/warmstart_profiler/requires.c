/* Kernel#require, require_relative and load. C functions replace Ruby's below all decorators and call Ruby's C
 * functions, or the accelerator's. They add no frame, so backtraces, `caller` and rb_profile_frames stay as they are
 * without the profiler. */
#include "hooks.h"
#include "tree.h"

#include <string.h>

#include "ruby/private/patch.h"
#include "ruby/private/ruby_require.h"
#include "ruby/require/relative.h"

static struct {
    ws_require_function *inner_require;
    ws_require_function *inner_relative; /* the accelerator's, or NULL */
    VALUE features, main_object, on_loaded;
    ws_patch kernel_load, kernel_singleton_load;
} requires = { .inner_require = ws_ruby_require, .on_loaded = Qnil };

/* For an autoload, Ruby calls require with main as self and with the interned String that autoload was given. A require
 * by the program may look the same. The reader of the recording decides by the line of code that caused it
 * (lib/warmstart/profiler/recording.rb). */
static bool
may_be_autoload(VALUE self, VALUE feature)
{
    if (self != requires.main_object && self != rb_mKernel) return false;
    return OBJ_FROZEN(feature) && RB_TYPE_P(feature, T_STRING) && rb_str_to_interned_str(feature) == feature;
}

/* ---- what was loaded ---- */

/* The file that a require has loaded is the last feature: Ruby provides it when the file has run, and no other thread
 * runs between that and the require's return. */
static VALUE
loaded_path(void)
{
    long length = RARRAY_LEN(requires.features);
    return length ? RARRAY_AREF(requires.features, length - 1) : Qnil;
}

static void
describe_error(ws_node *node)
{
    VALUE error = rb_errinfo();
    if (!RB_TYPE_P(error, T_OBJECT) && !RB_TYPE_P(error, T_DATA)) return; /* after a throw it is not an object */
    if (!RTEST(rb_obj_is_kind_of(error, rb_eException))) return;
    VALUE message = rb_ivar_get(error, rb_intern("mesg")); /* Reading the variable calls no method of the program. */
    VALUE text = rb_sprintf("%s", rb_obj_classname(error));
    if (RB_TYPE_P(message, T_STRING)) {
        rb_str_cat_cstr(text, ": ");
        rb_str_cat(text, RSTRING_PTR(message), RSTRING_LEN(message) < 300 ? RSTRING_LEN(message) : 300);
    }
    node->error = ws_arena_text(RSTRING_PTR(text), (size_t)RSTRING_LEN(text));
}

static VALUE
tell_loaded(VALUE path)
{
    return rb_funcall(requires.on_loaded, rb_intern("call"), 1, path);
}

static VALUE
nothing(VALUE argument, VALUE error)
{
    return Qnil;
}

/* Tells Ruby code that one of a few files has been loaded, so that it can trace the methods that the file defines
 * (lib/warmstart/profiler/methods.rb). */
static void
announce(VALUE path)
{
    static const char *const names[] = { "/psych.rb",      "/bundler.rb", "/initializable.rb",
                                         "/definition.rb", "/runtime.rb", "/common.rb",
                                         "/dsl.rb" };
    if (NIL_P(requires.on_loaded) || !RB_TYPE_P(path, T_STRING)) return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ws_ends_with(path, names[i])) {
            /* StandardErrors are the profiler's own and are rescued. Signals and the like belong to the program. */
            rb_rescue2(tell_loaded, path, nothing, Qnil, rb_eStandardError, (VALUE)0);
            return;
        }
}

/* ---- one call ---- */

typedef struct ws_call_of {
    ws_require_function *function;
    VALUE self, feature;
} ws_call_of;

static VALUE
run(VALUE argument)
{
    ws_call_of *call = (ws_call_of *)argument;
    return call->function(call->self, call->feature);
}

static ws_frame *
begin(ws_kind kind, VALUE feature)
{
    if (RB_TYPE_P(feature, T_STRING)) return ws_begin(kind, RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature));
    const char *class = rb_obj_classname(feature);
    return ws_begin(kind, class, strlen(class));
}

static void
end(ws_frame *frame, VALUE self, VALUE feature, VALUE path, bool failed)
{
    ws_node *node = ws_keep(frame);
    if (node) {
        node->from = ws_place_of_caller(Qnil);
        if (RB_TYPE_P(path, T_STRING)) node->path = ws_arena_text(RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
        if (node->kind == WS_REQUIRE && may_be_autoload(self, feature)) node->flags |= WS_MAY_BE_AUTOLOAD;
        if (failed) describe_error(node);
    }
    ws_end(frame, failed ? WS_FAILED : WS_LOADED);
}

static VALUE
profiled(ws_kind kind, ws_require_function *function, VALUE self, VALUE given, VALUE feature)
{
    if (!ws_tree_active()) return function(self, feature);
    ws_frame *frame = begin(kind, given);
    ws_call_of call = { function, self, feature };
    int state = 0;
    VALUE result = rb_protect(run, (VALUE)&call, &state);
    if (!state && !RTEST(result) && !ws_is_kept(frame)) {
        ws_drop(frame);
        return result;
    }
    VALUE path = !state && RTEST(result) ? loaded_path() : Qnil;
    if (frame && !state && !RTEST(result)) ws_end(frame, WS_ALREADY);
    else if (frame) end(frame, self, feature, path, state != 0);
    if (state) rb_jump_tag(state);
    announce(path);
    RB_GC_GUARD(feature);
    RB_GC_GUARD(given);
    return result;
}

static VALUE
kernel_require(VALUE self, VALUE feature)
{
    return profiled(WS_REQUIRE, requires.inner_require, self, feature, feature);
}

/* Ruby's require_relative finds the calling file by looking at its frames, and so do the accelerator's and this. */
static VALUE
relative_by_ruby(VALUE self, VALUE feature)
{
    VALUE folder = ws_caller_folder();
    if (NIL_P(folder)) rb_loaderror("cannot infer basepath");
    return ws_require_unfrozen(ws_ruby_require, self, rb_file_absolute_path(feature, folder));
}

static VALUE
kernel_require_relative(VALUE self, VALUE feature)
{
    return profiled(WS_REQUIRE_RELATIVE, requires.inner_relative ? requires.inner_relative : relative_by_ruby, self,
                    feature, feature);
}

/* ---- load ---- */

typedef struct ws_load {
    int argc;
    const VALUE *argv;
    VALUE self, given, path, original;
    bool wrapped;
} ws_load;

/* Raises the same LoadError as Ruby's load_failed. */
static void
fail_to_load(VALUE feature)
{
    VALUE message = rb_str_plus(rb_str_new_cstr("cannot load such file -- "), feature);
    VALUE error = rb_exc_new_str(rb_eLoadError, message);
    rb_ivar_set(error, rb_intern("@path"), feature);
    rb_exc_raise(error);
}

/* rb_load takes the path of a file that was found, and whether to wrap it in a new module. It can neither use a given
 * Module nor find a name in the current folder. For these, Ruby's own method is called, which adds one frame. */
static VALUE
run_load(VALUE argument)
{
    ws_load *load = (ws_load *)argument;
    bool into_module = load->argc == 2 && RB_TYPE_P(load->argv[1], T_MODULE);
    load->given = RB_TYPE_P(load->argv[0], T_STRING) ? load->argv[0] : rb_get_path(load->argv[0]);
    if (!into_module) {
        VALUE name = rb_get_path(load->given);
        load->path = rb_find_file(name);
        if (RTEST(load->path)) {
            rb_load(load->path, load->wrapped);
            return Qtrue;
        }
        if (!ws_may_read(StringValueCStr(name))) fail_to_load(load->given);
    }
    VALUE arguments[] = { load->given, load->argc == 2 ? load->argv[1] : Qnil };
    return rb_method_call(load->argc, arguments, rb_funcall(load->original, rb_intern("bind"), 1, load->self));
}

static VALUE
profiled_load(int argc, const VALUE *argv, VALUE self, VALUE original)
{
    rb_check_arity(argc, 1, 2);
    ws_load load = { argc, argv, self, argv[0], Qfalse, original, argc == 2 && RTEST(argv[1]) };
    ws_frame *frame = ws_tree_active() ? begin(WS_LOAD, argv[0]) : NULL;
    int state = 0;
    VALUE result = rb_protect(run_load, (VALUE)&load, &state);
    if (frame)
        end(frame, self, load.given, RTEST(load.path) ? rb_file_absolute_path(load.path, Qnil) : Qnil, state != 0);
    if (state) rb_jump_tag(state);
    RB_GC_GUARD(load.path);
    RB_GC_GUARD(load.given);
    return result;
}

static VALUE
kernel_load_function(int argc, VALUE *argv, VALUE self)
{
    return profiled_load(argc, argv, self, requires.kernel_load.original);
}

static VALUE
kernel_singleton_load_function(int argc, VALUE *argv, VALUE self)
{
    return profiled_load(argc, argv, self, requires.kernel_singleton_load.original);
}

/* ---- functions for lib/warmstart/profiler/hooks.rb ---- */

static VALUE
define_load(VALUE self)
{
    ws_patch_install(&requires.kernel_load, rb_mKernel, "load", (ws_method_function *)kernel_load_function, -1);
    ws_patch_install(&requires.kernel_singleton_load, rb_singleton_class(rb_mKernel), "load",
                     (ws_method_function *)kernel_singleton_load_function, -1);
    return Qnil;
}

static VALUE
undefine_load(VALUE self)
{
    ws_patch_remove(&requires.kernel_load);
    ws_patch_remove(&requires.kernel_singleton_load);
    return Qnil;
}

/* call-seq: Native.require_functions = [require, require_relative] or nil
 * The addresses of the accelerator's functions, which the profiler then calls instead of Ruby's; 0 means none. */
static VALUE
set_require_functions(VALUE self, VALUE addresses)
{
    uintptr_t require = NIL_P(addresses) ? 0 : (uintptr_t)NUM2ULL(rb_ary_entry(addresses, 0));
    uintptr_t relative = NIL_P(addresses) ? 0 : (uintptr_t)NUM2ULL(rb_ary_entry(addresses, 1));
    requires.inner_require = require ? (ws_require_function *)require : ws_ruby_require;
    requires.inner_relative = (ws_require_function *)relative;
    /* The accelerator's library is loaded only now, so its calls are not counted yet. */
    if (require && ws_calls()) ws_count_calls();
    return addresses;
}

/* call-seq: Native.on_loaded = callable or nil
 * The callable is called with the path of each loaded file that is one of those in announce(). */
static VALUE
set_on_loaded(VALUE self, VALUE callable)
{
    return requires.on_loaded = callable;
}

void
ws_init_requires(VALUE native)
{
    requires.features = rb_gv_get("$LOADED_FEATURES");
    rb_gc_register_mark_object(requires.features);
    rb_gc_register_address(&requires.on_loaded);
    requires.main_object =
        rb_funcall(rb_const_get(rb_cObject, rb_intern("TOPLEVEL_BINDING")), rb_intern("receiver"), 0);
    rb_gc_register_mark_object(requires.main_object);
    ws_init_ruby_require();
    ws_init_require_methods(native, kernel_require, kernel_require_relative);
    rb_define_singleton_method(native, "define_load", define_load, 0);
    rb_define_singleton_method(native, "undefine_load", undefine_load, 0);
    rb_define_singleton_method(native, "require_functions=", set_require_functions, 1);
    rb_define_singleton_method(native, "on_loaded=", set_on_loaded, 1);
}
