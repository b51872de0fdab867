/* Kernel#require, Kernel.require and require_relative: C functions at the bottom of all decorators. way.c says which way a
 * require goes; here it goes.
 *
 * The native ways call Ruby's own require as a C function, which makes no frame of its own: order, locks, errors and
 * backtraces are Ruby's. Its load_iseq hook (loader.c) hands it the iseq from the map. */
#include "aliases.h"
#include "relative.h"
#include "circular.h"
#include "direct.h"
#include "governor.h"
#include "landmarks.h"
#include "loader.h"
#include "private_api.h"
#include "require.h"
#include "way.h"

#include <stdlib.h>

#include <ruby/debug.h>
#include <ruby/encoding.h>

/* ---- Ruby's own require, which may find that the direct way is at the file already ---- */

/* A native require in progress: the hook leaves it by a throw where Ruby is about to load what the direct way has loaded or is
 * loading. On the heap, and for ever where a fiber is dropped in the middle. */
typedef struct ws_native_call {
    struct ws_native_call *outer;
    VALUE fiber, self, feature;
    bool used;                   /* the hook was called: what comes now is inside the file */
} ws_native_call;

static ws_native_call *innermost;
static VALUE tag;

static void
mark_calls(void *nothing)
{
    for (ws_native_call *call = innermost; call; call = call->outer) {
        rb_gc_mark(call->fiber);
        rb_gc_mark(call->self);
        rb_gc_mark(call->feature);       /* (the hook reads it when Ruby may have made a copy of its own) */
    }
}

static const rb_data_type_t calls_type = { .wrap_struct_name = "warmstart/native_calls", .function = { .dmark = mark_calls } };

static VALUE
call_require(RB_BLOCK_CALL_FUNC_ARGLIST(yielded, argument))
{
    ws_native_call *call = (ws_native_call *)argument;
    return rb_f_require(call->self, call->feature);
}

/* (rb_catch_obj pushes no frame that a backtrace shows.) */
static VALUE
catch_require(VALUE argument)
{
    return rb_catch_obj(tag, call_require, argument);
}

static VALUE
forget_call(VALUE argument)
{
    for (ws_native_call **place = &innermost; *place; place = &(*place)->outer) {
        if (*place != (ws_native_call *)argument) continue;
        *place = (*place)->outer;
        free((void *)argument);
        break;
    }
    return Qnil;
}

static VALUE
require_natively(VALUE self, VALUE feature)
{
    if (!ws_direct_used) return rb_f_require(self, feature);
    VALUE fiber = rb_fiber_current();
    ws_native_call *call = malloc(sizeof *call);
    if (!call) rb_memerror();
    *call = (ws_native_call){ innermost, fiber, self, feature, false };
    innermost = call;
    return rb_ensure(catch_require, (VALUE)call, forget_call, (VALUE)call);
}

/* Does it mean that file, and not one that a library's Init asks for? */
static bool
is_for(const ws_native_call *call, const char *path, size_t size)
{
    if (!RB_TYPE_P(call->feature, T_STRING)) return true;
    return ws_feature_name_may_mean(RSTRING_PTR(call->feature), (size_t)RSTRING_LEN(call->feature), path, size);
}

bool
ws_native_require_begins(const char *path, size_t size)
{
    VALUE fiber = innermost ? rb_fiber_current() : Qnil;
    for (ws_native_call *call = innermost; call; call = call->outer) {
        if (call->fiber != fiber) continue;
        bool first = !call->used && is_for(call, path, size);
        call->used = true;
        return first;
    }
    return false;
}

void
ws_native_require_answer_false(void)
{
    rb_throw_obj(tag, Qfalse);
}

/* load_failed, rb_load_fail, raise_loaderror. */
static void
fail(VALUE feature)
{
    VALUE message = rb_str_buf_new_cstr("cannot load such file");
#if RUBY_API_VERSION_MAJOR > 3 || RUBY_API_VERSION_MINOR >= 3
    feature = rb_get_path(feature);      /* (FilePathValue in rb_require_string: frozen) */
#endif
    rb_str_cat_cstr(message, " -- ");
    rb_str_append(message, feature);
    VALUE error = rb_exc_new_str(rb_eLoadError, message);
    rb_ivar_set(error, rb_intern("@path"), feature);
    rb_exc_raise(error);
}

/* ---- the ways ---- */

static VALUE
go(VALUE self, VALUE feature)
{
    for (;;) {
        ws_choice choice = ws_choose_way(self, feature);
        switch (choice.way) {
          case WS_WAY_DIRECT: {
            if (ws_direct_load(choice.found, choice.early, choice.verdict, &choice.reason) == Qtrue) return Qtrue;
            ws_choose_path_instead(&choice);
            return require_natively(self, choice.path);
          }
          case WS_WAY_PATH: {
            VALUE result = require_natively(self, choice.path);
            ws_loader_forget_remembered();       /* (Ruby may have found that there is nothing to load) */
            return result;
          }
          case WS_WAY_PROVIDED:
            return Qfalse;
          case WS_WAY_MISSING:
            fail(feature);
            return Qnil;
          case WS_WAY_CIRCULAR:
            ws_warn_circular(choice.loading->path);
            return Qfalse;
          case WS_WAY_WAIT:
            if (ws_loading_wait(choice.loading)) return Qfalse;
            continue;                    /* it failed: now it may be ours */
          default:
            return require_natively(self, feature);
        }
    }
}

/* ---- bundler/setup, which lib/warmstart/bundle.rb may replay ---- */

static VALUE bundler_setup = Qnil;       /* a callable, or nil */

/* "bundler/setup" by name, or an absolute path that ends so (RUBYOPT in Bundler's children). */
static bool
is_bundler_setup(VALUE feature)
{
    static const char name[] = "bundler/setup";
    const size_t name_size = sizeof name - 1;
    if (!ws_is_plain_feature(feature)) return false;
    const char *text = RSTRING_PTR(feature);
    size_t size = (size_t)RSTRING_LEN(feature);
    if (size > 3 && memcmp(text + size - 3, ".rb", 3) == 0) size -= 3;
    if (size < name_size || memcmp(text + size - name_size, name, name_size) != 0) return false;
    return size == name_size || (ws_is_absolute(text, size) && text[size - name_size - 1] == '/');
}

typedef struct ws_setup_call { VALUE self, feature, callable; } ws_setup_call;

static VALUE
go_to_bundler(VALUE argument)
{
    const ws_setup_call *call = (const ws_setup_call *)argument;
    return go(call->self, call->feature);
}

static VALUE
end_of_setup(VALUE argument)
{
    return rb_funcall(((const ws_setup_call *)argument)->callable, rb_intern("call"), 1, ID2SYM(rb_intern("after")));
}

/* The callable answers true where it has done what the file does. Otherwise Ruby loads the file, and the callable hears of its end. */
static VALUE
require_bundler_setup(VALUE self, VALUE feature)
{
    ws_setup_call call = { self, feature, bundler_setup };
    bundler_setup = Qnil;                /* (what it requires itself goes the usual way) */
    if (RTEST(rb_funcall(call.callable, rb_intern("call"), 1, ID2SYM(rb_intern("before"))))) return Qtrue;
    return rb_ensure(go_to_bundler, (VALUE)&call, end_of_setup, (VALUE)&call);
}

/* call-seq: Native.bundler_setup = callable or nil */
static VALUE
set_bundler_setup(VALUE self, VALUE callable)
{
    return bundler_setup = callable;
}

static VALUE
kernel_require(VALUE self, VALUE feature)
{
    if (!ws_main_ractor()) return rb_f_require(self, feature);
    if (ws_the_governor.governing) ws_governor_note_require();
    if (!NIL_P(bundler_setup) && is_bundler_setup(feature)) return require_bundler_setup(self, feature);
    VALUE result = ws_recorder_active() ? ws_recorder_call(go, self, feature) : go(self, feature);
    if (ws_landmark_count > 0 && RTEST(result)) ws_landmark_passed(feature);
    return result;
}

/* ---- require_relative ---- */

static VALUE
go_unfrozen(VALUE self, VALUE path)
{
    return ws_require_unfrozen(go, self, path);
}

static VALUE
kernel_require_relative(VALUE self, VALUE feature)
{
    VALUE base = ws_caller_file();
    if (NIL_P(base)) rb_loaderror("cannot infer basepath");
    VALUE path = rb_file_absolute_path(feature, rb_file_dirname(base));
    if (!ws_main_ractor()) return rb_f_require(self, path);
    if (ws_the_governor.governing) ws_governor_note_require();
    VALUE result = ws_recorder_active() ? ws_recorder_call(go_unfrozen, self, path) : go_unfrozen(self, path);
    if (ws_landmark_count > 0 && RTEST(result)) ws_landmark_passed(path);
    return result;
}

/* ---- Native: for lib/warmstart/core_ext, which knows when and where ---- */

static VALUE
define_require(VALUE self)
{
    rb_define_private_method(rb_mKernel, "require", kernel_require, 1);
    return Qnil;
}

static VALUE
define_singleton_require(VALUE self)
{
    rb_define_singleton_method(rb_mKernel, "require", kernel_require, 1);
    return Qnil;
}

static VALUE
define_require_relative(VALUE self)
{
    rb_define_private_method(rb_mKernel, "require_relative", kernel_require_relative, 1);
    return Qnil;
}

static VALUE
define_singleton_require_relative(VALUE self)
{
    rb_define_singleton_method(rb_mKernel, "require_relative", kernel_require_relative, 1);
    return Qnil;
}

/* call-seq: Native.require_functions -> [require, require_relative]
 * Addresses of our C functions: the profiler's go over them, and call them without a frame. */
static VALUE
require_functions(VALUE self)
{
    return rb_ary_new_from_args(2, ULL2NUM((uintptr_t)kernel_require), ULL2NUM((uintptr_t)kernel_require_relative));
}

void
ws_init_require(VALUE native)
{
    tag = rb_obj_alloc(rb_cObject);
    rb_gc_register_mark_object(tag);
    rb_gc_register_address(&bundler_setup);
    rb_gc_register_mark_object(TypedData_Wrap_Struct(rb_cObject, &calls_type, &innermost));
    rb_define_singleton_method(native, "bundler_setup=", set_bundler_setup, 1);
    rb_define_singleton_method(native, "require_functions", require_functions, 0);
    rb_define_singleton_method(native, "define_require", define_require, 0);
    rb_define_singleton_method(native, "define_singleton_require", define_singleton_require, 0);
    rb_define_singleton_method(native, "define_require_relative", define_require_relative, 0);
    rb_define_singleton_method(native, "define_singleton_require_relative", define_singleton_require_relative, 0);
}
