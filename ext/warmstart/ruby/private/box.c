/* While boxes are off, all files run in Ruby's root box, a struct in Ruby's library (box.c: root_box). Ruby hands its
 * address to rb_iseq_eval for each file. A file's frame keeps the address in the place where an inner frame keeps its
 * outer one's variables (vm_set_top_stack, VM_ENV_BOX). No exported name leads to the box. But a binding holds the
 * frame in which it was made, whose layout has been the same since Ruby 2.5. So lib/warmstart/native.rb hands us one of
 * its own bindings, and we believe the address in there if it lies in Ruby's library.
 *
 * NULL in its place seems to suffice, because nobody reads the box while boxes are off. But Prism (4.0.5) may use it
 * when a String is evaluated in a module's body. If a variable of the String has the same name as one of the file's,
 * Prism compiles it as the file's and takes the box for the file's variables. What is written then lies beside the
 * box. */
#include "ruby/private/box.h"

#include <stdbool.h>
#include <stdint.h>

#include <ruby/version.h>

#include "ruby/private/library.h"
#include "ruby/private/needs.h"

/* From vm_core.h: rb_block, rb_captured_block; VM_ENV_DATA_INDEX_*, VM_ENV_FLAG_LOCAL, VM_FRAME_MAGIC_*. */
typedef struct ws_captured {
    VALUE self;
    const VALUE *ep;
} ws_captured;
enum { SPECVAL = -1, FLAGS = 0, FLAG_LOCAL = 2, FRAMES_MAXIMUM = 8 };
#define MAGIC_MASK UINT32_C(0x7fff0001)
#define MAGIC_TOP UINT32_C(0x44440001)
#define MAGIC_CLASS UINT32_C(0x33330001)

/* A later Ruby may have put the data into the object itself. */
#if RUBY_API_VERSION_CODE >= 30300
#define DATA_OF(object) RTYPEDDATA_GET_DATA(object)
#else
#define DATA_OF(object) RTYPEDDATA_DATA(object)
#endif

static const void *box;

const void *
ws_box(void)
{
    return box;
}

static const void *
find(VALUE binding)
{
    if (!RB_TYPE_P(binding, T_DATA) || rb_obj_class(binding) != rb_const_get(rb_cObject, rb_intern("Binding")))
        return NULL; /* a program may have its own `binding` */
    const ws_captured *captured = DATA_OF(binding);
    const VALUE *ep = captured ? captured->ep : NULL;
    for (int i = 0; ep && i < FRAMES_MAXIMUM && !(ep[FLAGS] & FLAG_LOCAL); i++)
        ep = (const VALUE *)(ep[SPECVAL] & ~(VALUE)3);
    if (!ep) return NULL;
    uint32_t magic = (uint32_t)ep[FLAGS] & MAGIC_MASK;
    const void *found = (const void *)(ep[SPECVAL] & ~(VALUE)3);
    return (magic == MAGIC_TOP || magic == MAGIC_CLASS) && ws_library_of(found) == ws_rubys_library() ? found : NULL;
}

/* call-seq: Native.know_box(binding) -> nil
 * binding: one that was made at the top of a file that Ruby has loaded. */
static VALUE
know_box(VALUE self, VALUE binding)
{
    box = find(binding);
    if (!box) ws_lack("direct", "known place of the box");
    return Qnil;
}

void
ws_init_box(VALUE native)
{
    rb_define_singleton_method(native, "know_box", know_box, 1);
}
