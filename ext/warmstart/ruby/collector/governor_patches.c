/* Replaces GC.enable, GC.disable and GC.stress= by C functions while the governor has the collector off. They record
 * what the program has asked for, and are removed at the next require or call of one of them after the governor has
 * ended. Process._fork is replaced until the first fork, but only in servers that fork their workers when the boot is
 * over, because the replacement shows in the backtrace of a fork that fails. */
#include "ruby/collector/governor.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/ractor.h"

/* Ruby's own GC.enable only calls rb_gc_enable. */
static VALUE
enable(VALUE self)
{
    ws_governor *governor = &ws_the_governor;
    ws_governor_settle();
    if (!ws_governor_governs()) return rb_gc_enable();
    VALUE was_disabled = governor->disabled_by_program ? Qtrue : Qfalse;
    governor->disabled_by_program = false;
    return was_disabled;
}

static VALUE
disable(VALUE self)
{
    ws_governor *governor = &ws_the_governor;
    ws_governor_settle();
    if (!ws_governor_governs()) return rb_gc_disable();
    VALUE was_disabled = governor->disabled_by_program ? Qtrue : Qfalse;
    governor->disabled_by_program = true;
    if (governor->awaits_collection) rb_gc_disable();
    governor->awaits_collection = false;
    return was_disabled;
}

/* A program that sets stress wants a collection at every opportunity, so the governor ends at once. Ruby's own method
 * is written in Ruby (<internal:gc>), so it is called as a method. */
static VALUE
set_stress(VALUE self, VALUE mode)
{
    ws_governor_settle();
    ws_governor_end("stress");
    return ws_call_unbound(ws_the_patches.stress.original, self, 1, &mode);
}

/* All of Ruby's forks call this. A server prepares its heap here, before the first fork, also if the governor has ended
 * long before it. In the child the governor's job makes the collector normal again. */
static VALUE
fork_child(VALUE self)
{
    if (ws_the_governor.young_heap && ws_the_patches.fork.installed && ws_main_ractor()) {
        ws_patch_remove(&ws_the_patches.fork);
        rb_funcall(ws_the_patches.before_fork, rb_intern("call"), 0);
        ws_the_governor.young_heap = false;
    }
    return ws_the_patches.rubys_fork(self);
}

/* call-seq: Native.define_collector -> nil */
static VALUE
define_collector(VALUE self)
{
    VALUE gc = rb_singleton_class(rb_mGC);
    ws_governor_settle(); /* removes those of an earlier governor */
    ws_patch_install(&ws_the_patches.enable, gc, "enable", (ws_method_function *)enable, 0);
    ws_patch_install(&ws_the_patches.disable, gc, "disable", (ws_method_function *)disable, 0);
    ws_patch_install(&ws_the_patches.stress, gc, "stress=", (ws_method_function *)set_stress, 1);
    return Qnil;
}

/* call-seq: Native.define_fork(callable) -> nil
 * callable: called before the first fork of this process, if collections have been postponed by then. Does nothing if
 * none were and none will be. */
static VALUE
define_fork(VALUE self, VALUE callable)
{
    if (!ws_the_governor.young_heap && ws_the_governor.state != WS_GOVERNOR_EXPECTING) return Qnil;
    ws_the_patches.before_fork = callable;
    ws_patch_install(&ws_the_patches.fork, rb_singleton_class(rb_mProcess), "_fork", (ws_method_function *)fork_child,
                     0);
    if (!ws_the_patches.fork.installed) return Qnil;
    if (!ws_find_c_function(ws_the_patches.fork.original, "_fork", 0, fork_child, &ws_the_patches.rubys_fork))
        ws_patch_remove(&ws_the_patches.fork);
    return Qnil;
}

static VALUE
undefine_fork(VALUE self)
{
    ws_patch_remove(&ws_the_patches.fork);
    return Qnil;
}

static VALUE
undefine_collector(VALUE self)
{
    ws_governor_patches_remove();
    return Qnil;
}

void
ws_init_governor_patches(VALUE native)
{
    rb_gc_register_address(&ws_the_patches.before_fork);
    rb_define_singleton_method(native, "define_collector", define_collector, 0);
    rb_define_singleton_method(native, "undefine_collector", undefine_collector, 0);
    rb_define_singleton_method(native, "define_fork", define_fork, 1);
    rb_define_singleton_method(native, "undefine_fork", undefine_fork, 0);
}
