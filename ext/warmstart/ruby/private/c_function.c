/* See c_function.h. A Method holds a method entry (method.h: rb_method_entry_t), which is an object of Ruby's
 * (T_IMEMO): flags, defined_class, def, called_id, owner. def begins with the method's type in four bits. A word or two
 * later come the C function, its invoker and the number of its arguments (rb_method_definition_t, rb_method_cfunc_t).
 *
 * None of this is taken on trust. A method of our own, whose function, name and arity are known, tells how many words
 * come before the function. If these do not lie as expected, no function of Ruby's is found either. */
#include "ruby/private/c_function.h"

#include <stdint.h>

#include "ruby/private/library.h"
#include "ruby/private/needs.h"

#ifndef TYPED_DATA_EMBEDDED /* before Ruby 3.3 the data never lies inside the object */
#define RTYPEDDATA_GET_DATA RTYPEDDATA_DATA
#endif

enum { METHOD_WORDS = 5, ENTRY_DEFINITION = 2, ENTRY_NAME = 3, TYPE_BITS = 0xf, FUNCTION_WORD_LAST = 3 };

/* From VM_METHOD_TYPE_CFUNC to VM_METHOD_TYPE_ALIAS (method.h, rb_method_type_t). It is not tried out: a method that is
 * made and removed for that is marked later by Ruby 3.1, which then crashes. */
enum { ALIAS_AFTER_C = 5 };

static struct {
    int function_word;                 /* its number in a definition; 0: not known */
    const rb_data_type_t *method_type; /* the type of every Method and UnboundMethod */
    uintptr_t c_type;                  /* the bits of a method that is a C function */
} known;

static bool
is_object(uintptr_t word)
{
    return word % sizeof(VALUE) == 0 && !SPECIAL_CONST_P((VALUE)word) && (VALUE)word != Qundef;
}

/* Returns the method entry, or NULL. Up to Ruby 3.2 a Method has four words (recv, klass, iclass, me), since then five
 * (owner comes before me). Only me is a T_IMEMO. */
static const uintptr_t *
entry_of(VALUE method)
{
    if (!RB_TYPE_P(method, T_DATA) || !RTYPEDDATA_P(method) || RTYPEDDATA_TYPE(method) != known.method_type)
        return NULL;
    const uintptr_t *words = (const uintptr_t *)RTYPEDDATA_GET_DATA(method);
    for (int i = 2; words && i < METHOD_WORDS; i++) {
        if (!is_object(words[i])) continue;
        int type = RB_BUILTIN_TYPE((VALUE)words[i]);
        if (type == T_IMEMO) return (const uintptr_t *)words[i];
        if (type != T_CLASS && type != T_MODULE && type != T_ICLASS) return NULL;
    }
    return NULL;
}

/* Returns the entry's definition if the entry has this name, or NULL. */
static const uintptr_t *
definition_of(const uintptr_t *entry, ID name)
{
    if (!entry || entry[ENTRY_NAME] != (uintptr_t)name || !is_object(entry[ENTRY_DEFINITION])) return NULL;
    return (const uintptr_t *)entry[ENTRY_DEFINITION];
}

/* An alias of a module's method (vm_method.c, rb_alias) has the entry of its original in the function's place. It may
 * have been given the original's name again: Bundler 2.3 defines Kernel#require by gem_original_require. */
static const uintptr_t *
original_of(const uintptr_t *definition, ID name)
{
    if (!definition || (definition[0] & TYPE_BITS) != known.c_type + ALIAS_AFTER_C) return definition;
    uintptr_t entry = definition[known.function_word];
    bool is_entry = is_object(entry) && RB_BUILTIN_TYPE((VALUE)entry) == T_IMEMO;
    return is_entry ? definition_of((const uintptr_t *)entry, name) : NULL;
}

static bool
takes(const uintptr_t *definition, int arity)
{
    return *(const int *)&definition[known.function_word + 2] == arity;
}

/* Returns the method's own answer to `name` or `original_name`, or 0 if a method of the program's would answer. */
static ID
name_of(VALUE method, const char *which)
{
    ID asked = rb_intern(which);
    return rb_method_basic_definition_p(CLASS_OF(method), asked) ? SYM2ID(rb_funcall(method, asked, 0)) : 0;
}

ws_c_function *
ws_c_function_of(VALUE method, const char *name, int arity)
{
    if (known.function_word == 0) return NULL;
    ID wanted = rb_intern(name), own = name_of(method, "name");
    if (!own || name_of(method, "original_name") != wanted) return NULL;
    const uintptr_t *definition = original_of(definition_of(entry_of(method), own), wanted);
    if (!definition || (definition[0] & TYPE_BITS) != known.c_type || !takes(definition, arity)) return NULL;
    return (ws_c_function *)definition[known.function_word];
}

/* (rb_profile_frames hands out the frame's method entry.) */
ws_c_function *
ws_c_function_of_frame(VALUE frame)
{
    if (known.function_word == 0 || !is_object((uintptr_t)frame) || RB_BUILTIN_TYPE(frame) != T_IMEMO) return NULL;
    uintptr_t word = ((const uintptr_t *)frame)[ENTRY_DEFINITION];
    const uintptr_t *definition = is_object(word) ? (const uintptr_t *)word : NULL;
    return definition && (definition[0] & TYPE_BITS) == known.c_type ? (ws_c_function *)definition[known.function_word]
                                                                     : NULL;
}

bool
ws_find_c_function(VALUE method, const char *name, int arity, ws_c_function *ours, ws_c_function **place)
{
    ws_c_function *found = ws_c_function_of(method, name, arity);
    if (found && found == ours) return *place != NULL;
    if (found) *place = found;
    return found != NULL;
}

/* call-seq: Native.in_ruby?(method) -> true or false
 * Does the function of a method in C lie in Ruby's own library, or in ours? An extension may have defined Ruby's method
 * anew. Where the place of functions is not known, no method is replaced by one that does the work by itself. */
static VALUE
is_in_ruby(VALUE self, VALUE method)
{
    ID name = name_of(method, "original_name");
    int arity = NUM2INT(rb_funcall(method, rb_intern("arity"), 0));
    ws_c_function *function = name ? ws_c_function_of(method, rb_id2name(name), arity) : NULL;
    const void *library = function ? ws_library_of((const void *)(uintptr_t)function) : NULL;
    return library && (library == ws_rubys_library() || library == ws_our_library()) ? Qtrue : Qfalse;
}

void
ws_init_c_function(VALUE native)
{
    ID name = rb_intern("in_ruby?");
    rb_define_singleton_method(native, "in_ruby?", is_in_ruby, 1);
    VALUE method = rb_obj_method(native, ID2SYM(name));
    known.method_type = RTYPEDDATA_P(method) ? RTYPEDDATA_TYPE(method) : NULL;
    const uintptr_t *definition = known.method_type ? definition_of(entry_of(method), name) : NULL;
    for (int word = 1; definition && known.function_word == 0 && word <= FUNCTION_WORD_LAST; word++) {
        if (definition[word] != (uintptr_t)is_in_ruby) continue;
        known.function_word = word;
        known.c_type = definition[0] & TYPE_BITS;
        if (!takes(definition, 1)) known.function_word = 0;
    }
    if (known.function_word == 0) ws_lack("direct", "known place of C functions");
}
