/* Is what a program calls Psych the Psych of its version, as it was released?
 *
 * Whatever decides what a document without tags becomes is written into a text: of each class, its ancestors; of
 * each method, which class has it, whether it is public, of what kind it is, and the file and line of Psych's that
 * define it. The text and the contents of these files have one hash for each version of Psych, and `versions` holds
 * those that we know. So a method that a version does not have must be missing, one that a version has must be there
 * and in its own class, and whatever is not in the table is somebody's.
 *
 * A method that Ruby's loader has taken from a file has the file's real path, which a text that is evaluated under the
 * path of a file does not get (eval_make_iseq). A method has the name with which it was defined (original_name): an
 * alias has the owner, file and line of what it stands for, and so has what define_method makes of a Method. What C
 * code has defined has neither file nor line: its function must lie in the library that has Init_psych. */
#include <inttypes.h>
#include <string.h>

#include <ruby.h>

#include "core/bytes/hash.h"
#include "core/system/clock.h"
#include "core/system/file.h"
#include "ruby/documents/documents.h"
#include "ruby/private/c_function.h"
#include "ruby/private/library.h"
#include "ruby/private/needs.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/traced.h"

/* A Psych that is not among them reads each document itself. (Native.psych_origin tells the hash of the Psych that is
 * loaded.) */
static const struct {
    const char *version;
    uint64_t hash;
} versions[] = {
    { "4.0.0", UINT64_C(0x47f91122d892ecd8) },   { "4.0.1", UINT64_C(0x02cfe5cb485902de) },
    { "4.0.2", UINT64_C(0xd0d0adff1f2de872) },   { "4.0.3", UINT64_C(0xf281c8414a2c61cf) },
    { "4.0.4", UINT64_C(0x4bf595ee92ecaa03) },   { "4.0.5", UINT64_C(0xbda0b42408254902) },
    { "4.0.6", UINT64_C(0xbda0b42408254902) },   { "5.0.0", UINT64_C(0xa03aa5fa276e7eeb) },
    { "5.0.1", UINT64_C(0xa03aa5fa276e7eeb) },   { "5.0.2", UINT64_C(0xba1c01ae04b45493) },
    { "5.1.0", UINT64_C(0xba1c01ae04b45493) },   { "5.1.1", UINT64_C(0xd2db96c6683207bd) },
    { "5.1.1.1", UINT64_C(0xd2db96c6683207bd) }, { "5.1.2", UINT64_C(0x4cf9792d28ff6ce7) },
    { "5.2.0", UINT64_C(0x0672553bd88e9820) },   { "5.2.1", UINT64_C(0x331393b46edf310a) },
    { "5.2.2", UINT64_C(0x40f17e34894b2ec2) },   { "5.2.3", UINT64_C(0x40f17e34894b2ec2) },
    { "5.2.4", UINT64_C(0xc1da58d9d8e12a5a) },   { "5.2.5", UINT64_C(0xf4bd2a8b3cbe8e3c) },
    { "5.2.6", UINT64_C(0xf4bd2a8b3cbe8e3c) },   { "5.3.0", UINT64_C(0x931f1f2254106752) },
    { "5.3.1", UINT64_C(0xaa358147aa8a2170) },   { "5.4.0", UINT64_C(0xaa358147aa8a2170) },
    { "5.4.0", UINT64_C(0x5e0f6e3ed7de9368) }, /* Ruby's head */
    { "5.5.0", UINT64_C(0x76296c14d6a90ce1) },
};

/* The modules that have the methods, and what they inherit from. */
static const char *const owners[PSYCH_OWNER_COUNT] = {
    "",
    "Parser",
    "Handler",
    "TreeBuilder",
    "Handlers::DocumentStream",
    "Nodes::Node",
    "Nodes::Document",
    "Nodes::Stream",
    "Nodes::Sequence",
    "Nodes::Mapping",
    "Nodes::Scalar",
    "Nodes::Alias",
    "Visitors::Visitor",
    "Visitors::ToRuby",
    "Visitors::NoAliasRuby",
    "ScalarScanner",
    "ClassLoader",
    "ClassLoader::Restricted",
};

/* Psych evaluates six of its methods from texts; Ruby's loader has not seen them. They must have this code. */
static const char evaluated_code[] = "def start_sequence(anchor, tag, implicit, style)\n"
                                     "  n = Nodes::Sequence.new(anchor, tag, implicit, style)\n"
                                     "  set_start_location(n)\n  @last.children << n\n  push n\nend\n"
                                     "def start_mapping(anchor, tag, implicit, style)\n"
                                     "  n = Nodes::Mapping.new(anchor, tag, implicit, style)\n"
                                     "  set_start_location(n)\n  @last.children << n\n  push n\nend\n"
                                     "def end_sequence\n  n = pop\n  set_end_location(n)\n  n\nend\n"
                                     "def end_mapping\n  n = pop\n  set_end_location(n)\n  n\nend\n"
                                     "def symbol\n  load \"Symbol\"\nend\n"
                                     "def date\n  load \"Date\"\nend\n";

static struct {
    VALUE evaluated; /* {name => its code}, once it was needed */
    VALUE sequence_class;
    int64_t started; /* when we were loaded */
} known = { .evaluated = Qnil };

void
ws_psych_origin_begin(ws_psych_origin *origin, VALUE psych, VALUE library)
{
    *origin = (ws_psych_origin){
        .library = library,
        .text = rb_str_new(NULL, 0),
        .files = rb_ary_new(),
        .code = rb_ary_new(),
        .stem = (size_t)RSTRING_LEN(library) - 3,
    };
    for (int i = 0; i < PSYCH_OWNER_COUNT; i++) {
        origin->modules[i] = ws_constant_named(psych, owners[i]);
        origin->singletons[i] = origin->modules[i] == Qundef ? Qundef : rb_singleton_class(origin->modules[i]);
    }
    origin->version = ws_constant_named(psych, "VERSION");
}

/* ---- classes ---- */

/* The name of the module in Psych, with a dot at its end for its singleton class; or NULL. */
static VALUE
name_of(const ws_psych_origin *origin, VALUE module)
{
    for (int i = 0; i < PSYCH_OWNER_COUNT; i++) {
        if (origin->modules[i] == module) return rb_sprintf("Psych:%s", owners[i]);
        if (origin->singletons[i] == module) return rb_sprintf("Psych:%s.", owners[i]);
    }
    return Qnil;
}

VALUE
ws_psych_ancestors(VALUE module)
{
    if (!RB_TYPE_P(module, T_CLASS)) return rb_ary_new_from_args(1, module);
    VALUE list = rb_mod_ancestors(module);
    long count = RARRAY_LEN(list) - RARRAY_LEN(rb_mod_ancestors(rb_cObject));
    return rb_ary_subseq(list, 0, count > 0 ? count : 0);
}

bool
ws_psych_origin_add_module(ws_psych_origin *origin, VALUE module)
{
    VALUE list = ws_psych_ancestors(module);
    for (long i = 0; i < RARRAY_LEN(list); i++) {
        VALUE ancestor = RARRAY_AREF(list, i);
        VALUE name = ancestor == rb_mEnumerable ? rb_str_new_cstr("Enumerable") : name_of(origin, ancestor);
        if (NIL_P(name)) return false;
        rb_str_catf(origin->text, "< %" PRIsVALUE "\n", name);
    }
    return true;
}

/* ---- methods in C, and Ruby's own ---- */

static bool
is_in_c(VALUE method, VALUE name)
{
    ws_c_function *function =
        ws_c_function_of(method, rb_id2name(SYM2ID(name)), NUM2INT(rb_funcallv(method, rb_intern("arity"), 0, NULL)));
    return function && ws_library_defines((const void *)(uintptr_t)function, "Init_psych");
}

/* Ruby's own methods that Psych calls on its own objects. core_methods.c knows whether they are still Ruby's. */
static bool
is_rubys(VALUE owner, VALUE name)
{
    const struct {
        VALUE owner;
        ID name;
    } methods[] = {
        { rb_cClass, rb_intern("new") },
        { rb_cModule, rb_intern("===") },
        { rb_cModule, rb_intern("name") },
        { rb_mKernel, rb_intern("class") },
        { rb_cBasicObject, rb_intern("initialize") },
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i].owner == owner && methods[i].name == SYM2ID(name)) return true;
    return false;
}

/* ---- methods in Ruby ---- */

static bool
is_in_library(const ws_psych_origin *origin, VALUE path)
{
    if (!RB_TYPE_P(path, T_STRING)) return false;
    if (RTEST(rb_str_equal(path, origin->library))) return true;
    const char *start = RSTRING_PTR(path);
    return (size_t)RSTRING_LEN(path) > origin->stem && memcmp(start, RSTRING_PTR(origin->library), origin->stem) == 0 &&
           start[origin->stem] == '/';
}

bool
ws_psych_calls_ruby(VALUE method)
{
    VALUE sequence = rb_funcall(known.sequence_class, rb_intern("of"), 1, method);
    if (NIL_P(sequence)) return false;
    VALUE body = rb_ary_entry(rb_funcallv(sequence, rb_intern("to_a"), 0, NULL), -1);
    for (long i = 0; i < RARRAY_LEN(body); i++) {
        VALUE instruction = RARRAY_AREF(body, i);
        if (!RB_TYPE_P(instruction, T_ARRAY)) continue;
        VALUE name = rb_sym2str(RARRAY_AREF(instruction, 0));
        if (strstr(StringValueCStr(name), "invokebuiltin")) return true;
    }
    return false;
}

void
ws_psych_origin_add_code(ws_psych_origin *origin, VALUE method)
{
    VALUE sequence = NIL_P(method) ? Qnil : rb_funcall(known.sequence_class, rb_intern("of"), 1, method);
    if (!NIL_P(sequence)) ws_add_watchable_blocks(origin->code, sequence);
}

bool
ws_psych_has_block(VALUE library, const char *file, VALUE block)
{
    ws_psych_origin origin = { .library = library, .stem = (size_t)RSTRING_LEN(library) - strlen(".rb") };
    VALUE sequence = rb_obj_is_proc(block) ? rb_funcall(known.sequence_class, rb_intern("of"), 1, block) : Qnil;
    VALUE path = NIL_P(sequence) ? Qnil : rb_funcallv(sequence, rb_intern("absolute_path"), 0, NULL);
    return is_in_library(&origin, path) && strcmp(RSTRING_PTR(path) + origin.stem, file) == 0;
}

/* Adds "/visitors/to_ruby.rb:12", and remembers the file. */
static void
add_place(ws_psych_origin *origin, VALUE path, VALUE line)
{
    if (!RTEST(rb_ary_includes(origin->files, path))) rb_ary_push(origin->files, path);
    const char *place = RSTRING_PTR(path) + origin->stem;
    if (SYMBOL_P(line)) rb_str_catf(origin->text, "%s:%" PRIsVALUE, place, rb_sym2str(line));
    else rb_str_catf(origin->text, "%s:%ld", place, NUM2LONG(line));
}

/* What a method does, as RubyVM::InstructionSequence#to_a tells it, without names of files and numbers of lines: kind,
 * variables, parameters, exceptions and instructions. */
static VALUE
code_of(VALUE list)
{
    VALUE code = rb_ary_new(), body = rb_ary_entry(list, -1);
    for (long i = -5; i < -1; i++) rb_ary_push(code, rb_ary_entry(list, i));
    for (long i = 0; i < RARRAY_LEN(body); i++) {
        VALUE element = RARRAY_AREF(body, i);
        if (!RB_INTEGER_TYPE_P(element)) rb_ary_push(code, element);
    }
    return code;
}

/* The methods' code as this Ruby compiles it: {name => code}. */
static VALUE
compiled_code(void)
{
    VALUE table = rb_hash_new();
    if (!rb_method_boundp(CLASS_OF(known.sequence_class), rb_intern("compile"), 0)) return table;
    VALUE sequence = rb_funcall(known.sequence_class, rb_intern("compile"), 1, rb_str_new_cstr(evaluated_code));
    VALUE body = rb_ary_entry(rb_funcallv(sequence, rb_intern("to_a"), 0, NULL), -1),
          word = ID2SYM(rb_intern("definemethod"));
    for (long i = 0; i < RARRAY_LEN(body); i++) {
        VALUE instruction = RARRAY_AREF(body, i);
        if (RB_TYPE_P(instruction, T_ARRAY) && rb_ary_entry(instruction, 0) == word)
            rb_hash_aset(table, rb_ary_entry(instruction, 1), code_of(rb_ary_entry(instruction, 2)));
    }
    return table;
}

static bool
is_evaluated(VALUE name, VALUE sequence)
{
    if (NIL_P(known.evaluated)) known.evaluated = compiled_code();
    VALUE code = rb_hash_lookup(known.evaluated, name);
    return !NIL_P(code) && RTEST(rb_equal(code, code_of(rb_funcallv(sequence, rb_intern("to_a"), 0, NULL))));
}

static bool
add_ruby(ws_psych_origin *origin, VALUE name, VALUE method, VALUE location)
{
    /* `of` returns nil for what attr_reader and the like have made. That has no code: what has this name and is made so
     * does the same, whoever made it. */
    VALUE sequence = rb_funcall(known.sequence_class, rb_intern("of"), 1, method), line = rb_ary_entry(location, 1);
    if (!NIL_P(sequence)) ws_add_watchable(origin->code, sequence);
    VALUE path =
        NIL_P(sequence) ? rb_ary_entry(location, 0) : rb_funcallv(sequence, rb_intern("absolute_path"), 0, NULL);
    if (!NIL_P(sequence) && !is_in_library(origin, path)) {
        rb_str_catf(origin->text, "evaluated:%ld\n", NUM2LONG(line));
        return is_evaluated(name, sequence);
    }
    if (!is_in_library(origin, path)) return false;
    add_place(origin, path, NIL_P(sequence) ? name : line);
    rb_str_catf(origin->text, " %ld\n", NUM2LONG(rb_funcallv(method, rb_intern("arity"), 0, NULL)));
    return true;
}

bool
ws_psych_origin_add(ws_psych_origin *origin, VALUE module, VALUE name, VALUE method)
{
    bool is_public = RTEST(rb_funcallv(module, rb_intern("public_method_defined?"), 1, &name));
    rb_str_catf(origin->text, "%s%" PRIsVALUE " ", is_public ? "" : "private ", rb_sym2str(name));
    if (NIL_P(method)) {
        rb_str_cat_cstr(origin->text, "-\n");
        return true;
    }
    if (rb_funcallv(method, rb_intern("original_name"), 0, NULL) != name) return false;
    VALUE owner = rb_funcallv(method, rb_intern("owner"), 0, NULL),
          location = rb_funcallv(method, rb_intern("source_location"), 0, NULL);
    if (is_rubys(owner, name)) {
        rb_str_cat_cstr(origin->text, "Ruby's\n");
        return true;
    }
    VALUE owner_name = name_of(origin, owner);
    if (NIL_P(owner_name)) return false;
    rb_str_catf(origin->text, "%" PRIsVALUE " ", owner_name);
    if (!NIL_P(location)) return add_ruby(origin, name, method, location);
    rb_str_cat_cstr(origin->text, "in C\n");
    return is_in_c(method, name);
}

bool
ws_psych_has_setting(ws_psych_origin *origin, VALUE module, VALUE name, VALUE method)
{
    static const char maker[] = "/forwardable.rb";
    size_t size = sizeof maker - 1;
    if (ws_own0(WS_OWN_METHOD_OWNER, method) != module || ws_own0(WS_OWN_METHOD_ORIGINAL_NAME, method) != name)
        return false;
    VALUE sequence = rb_funcall(known.sequence_class, rb_intern("of"), 1, method);
    if (!NIL_P(sequence)) ws_add_watchable(origin->code, sequence);
    VALUE path = NIL_P(sequence) ? rb_ary_entry(ws_own0(WS_OWN_METHOD_SOURCE_LOCATION, method), 0)
                                 : ws_own0(WS_OWN_ISEQ_ABSOLUTE_PATH, sequence);
    if (!RB_TYPE_P(path, T_STRING)) return false;
    const char *end = RSTRING_PTR(path) + RSTRING_LEN(path);
    return RTEST(rb_str_equal(path, origin->library)) ||
           ((size_t)RSTRING_LEN(path) > size && memcmp(end - size, maker, size) == 0);
}

/* ---- the whole ---- */

/* Adds the hash of each file. A file that somebody has changed after we were loaded may not be the one that Psych was
 * loaded from. */
static bool
hash_all(const ws_psych_origin *origin, uint64_t *hash)
{
    *hash = ws_hash64(RSTRING_PTR(origin->text), (size_t)RSTRING_LEN(origin->text), 0);
    for (long i = 0; i < RARRAY_LEN(origin->files); i++) {
        ws_hash128 contents;
        ws_stat stat;
        ws_error error;
        VALUE path = RARRAY_AREF(origin->files, i);
        if (ws_file_hash(StringValueCStr(path), &contents, &stat, &error) != WS_OK) return false;
        if (stat.mtime >= known.started || stat.ctime >= known.started) return false;
        *hash = ws_hash64(&contents, sizeof contents, *hash);
    }
    return true;
}

const char *
ws_psych_origin_differs(ws_psych_origin *origin)
{
    uint64_t hash;
    const char *reason = "psych_version";
    if (!RB_TYPE_P(origin->version, T_STRING) || !hash_all(origin, &hash)) return "psych";
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        if (strcmp(StringValueCStr(origin->version), versions[i].version) != 0) continue;
        if (hash == versions[i].hash) return NULL;
        reason = "psych";
    }
    return reason;
}

VALUE
ws_psych_origin_to_a(ws_psych_origin *origin, const char *reason)
{
    uint64_t hash = 0;
    bool hashed = hash_all(origin, &hash);
    return rb_ary_new_from_args(4, origin->version, hashed ? rb_sprintf("%016" PRIx64, hash) : Qnil, origin->text,
                                reason ? rb_str_new_cstr(reason) : Qnil);
}

void
ws_init_psych_origin(void)
{
    known.sequence_class = rb_path2class("RubyVM::InstructionSequence");
    known.started = ws_clock_wall();
    rb_gc_register_mark_object(known.sequence_class);
    rb_gc_register_address(&known.evaluated);
}
