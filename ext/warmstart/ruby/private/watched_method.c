#include "ruby/private/watched_method.h"

#include <stdbool.h>

/* A method that define_method makes of a block in C has a frame (vm_yield_with_cfunc pushes VM_FRAME_MAGIC_IFUNC) that
 * no backtrace shows: rb_ec_partial_backtrace_object takes those of Ruby code and of C methods. The frame knows self
 * (rb_current_receiver) and whether keywords were given (rb_keyword_given_p). */
static VALUE
watched(RB_BLOCK_CALL_FUNC_ARGLIST(first, tell))
{
    bool keywords_given = rb_keyword_given_p();
    VALUE keywords = keywords_given ? rb_hash_dup(argv[argc - 1]) : rb_hash_new();
    VALUE arguments = rb_ary_new_from_values(keywords_given ? argc - 1 : argc, argv);
    VALUE told[] = { rb_current_receiver(), arguments, keywords };
    VALUE method = rb_proc_call_with_block(tell, 3, told, Qnil);
    return rb_method_call_with_block_kw(argc, argv, method, blockarg, keywords_given);
}

/* call-seq: Native.watched_method { |self, arguments, keywords| ... } -> a Proc for define_method
 * The block is told with what the method is called, and returns the Method that is to be called in its place. */
static VALUE
watched_method(VALUE self)
{
    return rb_proc_new(watched, rb_block_proc());
}

void
ws_init_watched_method(VALUE native)
{
    rb_define_singleton_method(native, "watched_method", watched_method, 0);
}
