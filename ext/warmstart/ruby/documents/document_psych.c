/* Checks the methods of Psych that are used to read a document without tags. document_call.c checks those that open
 * the file, by their frame. A program may have changed any of them: it may have prepended a module, reopened a class,
 * or defined its own method. Then Psych's result could differ from the document in the image.
 *
 * At the first document, each method must be defined in Psych's own files. The methods are remembered, and compared at
 * each further document. The program may change data that only tagged nodes use (domain types, load tags), because
 * documents with tags are not stored. */
#include <stdio.h>
#include <string.h>

#include "core/bytes/hash.h"
#include "ruby/documents/documents.h"
#include "ruby/private/needs.h"

#define VISITOR                                                                                                                \
    "accept visit dispatch initialize deserialize register register_empty revive_hash deduplicate resolve_class class_loader " \
    "visit_Psych_Nodes_Document visit_Psych_Nodes_Sequence visit_Psych_Nodes_Mapping visit_Psych_Nodes_Scalar visit_Psych_Nodes_Alias"
#define PLACE "start_line= start_column= end_line= end_column="

/* Methods are looked up from the class of the object, so that prepended and overriding ones are found. A method that a
 * version of Psych does not have must not appear later either. use: in which of Psych's methods. */
static const struct {
    const char *name;
    bool singleton;
    ws_psych_use use;
    const char *methods;
} table[] = {
    { "", true, PSYCH_ANY, "parse parse_stream" },
    { "", true, PSYCH_UNSAFE, "unsafe_load" },
    { "", true, PSYCH_SAFE, "load safe_load" },
    { "Parser", false, PSYCH_ANY, "initialize parse _native_parse strip_bom skip_io_bom" },
    { "Handlers::DocumentStream", false, PSYCH_ANY,
      "initialize start_stream start_document end_document start_sequence end_sequence start_mapping "
      "end_mapping scalar alias event_location push pop set_location set_start_location set_end_location" },
    { "Nodes::Document", false, PSYCH_ANY, "initialize implicit_end= root to_ruby children" },
    { "Nodes::Stream", false, PSYCH_ANY, "initialize start_line= start_column=" },
    { "Nodes::Sequence", false, PSYCH_ANY, "initialize children tag anchor " PLACE },
    { "Nodes::Mapping", false, PSYCH_ANY, "initialize children tag anchor " PLACE },
    { "Nodes::Scalar", false, PSYCH_ANY, "initialize value quoted tag anchor " PLACE },
    { "Nodes::Alias", false, PSYCH_ANY, "initialize anchor " PLACE },
    { "Visitors::ToRuby", true, PSYCH_ANY, "create new dispatch_cache" },
    { "Visitors::ToRuby", false, PSYCH_ANY, VISITOR },
    { "Visitors::NoAliasRuby", true, PSYCH_SAFE, "new" },
    { "Visitors::NoAliasRuby", false, PSYCH_SAFE, VISITOR },
    { "ScalarScanner", true, PSYCH_ANY, "new" },
    { "ScalarScanner", false, PSYCH_ANY, "initialize tokenize parse_int parse_time class_loader" },
    { "ClassLoader", false, PSYCH_UNSAFE, "initialize load find resolve symbolize symbol date path2class" },
    { "ClassLoader::Restricted", false, PSYCH_SAFE, "initialize load find resolve symbolize symbol date path2class" },
};
enum { GROUP_COUNT = sizeof table / sizeof *table, METHOD_MAXIMUM = 256 };

static VALUE groups[GROUP_COUNT]; /* the modules (or singleton classes) of the table */
static struct {
    int group;
    ID name;
    VALUE symbol, method;
} methods[METHOD_MAXIMUM]; /* method: nil if there is none */
static int method_count;
static VALUE scanner_constants = Qnil; /* [name, value, ...] of ScalarScanner: the patterns of numbers and times */
static uint64_t constants_hash;        /* hash of their names and patterns */
static VALUE the_psych = Qnil;         /* nil: nothing is verified */
static VALUE the_library = Qnil;       /* the real path of psych.rb */
static VALUE class_new;                /* Class#new */
static VALUE no_tag, no_type;          /* "!", and the domain type that Psych looks up for it */
static char version[64];
static ID id_instance_method, id_source_location, id_constants, id_load_tags, id_domain_types;

static const char *const method_names[PSYCH_METHOD_COUNT] = { "load_file", "unsafe_load_file", "safe_load_file" };

ws_psych_method
ws_psych_method_named(const char *name)
{
    int method = 0;
    while (method < PSYCH_METHOD_COUNT && strcmp(method_names[method], name) != 0) method++;
    return (ws_psych_method)method;
}

/* ---- looking ---- */

/* Returns the module with this name in Psych, such as "Visitors::ToRuby", or Qundef. */
static VALUE
module_named(VALUE psych, const char *name)
{
    VALUE module = ws_constant_named(psych, name);
    return module != Qundef && (RB_TYPE_P(module, T_MODULE) || RB_TYPE_P(module, T_CLASS)) ? module : Qundef;
}

static VALUE
method_of(VALUE module, ID name, VALUE symbol)
{
    return rb_method_boundp(module, name, 0) ? rb_funcallv(module, id_instance_method, 1, &symbol) : Qnil;
}

/* ---- the first time: is it Psych's own? ---- */

static bool
is_in(VALUE path, VALUE library)
{
    if (!RB_TYPE_P(path, T_STRING)) return false;
    if (RTEST(rb_str_equal(path, library))) return true;
    size_t stem = (size_t)RSTRING_LEN(library) - 3; /* "/lib/psych.rb" -> "/lib/psych/..." */
    return (size_t)RSTRING_LEN(path) > stem && memcmp(RSTRING_PTR(path), RSTRING_PTR(library), stem) == 0 &&
           RSTRING_PTR(path)[stem] == '/';
}

/* Psych's own methods that are not in a file of Psych's, or not in one that Ruby itself has opened. A method without a
 * file that is not in this table counts as another program's, because C code or the evaluation of a String may define a
 * method at any time. code: the hash of the body of a method that Psych 4.0 evaluates from a String without a path
 * (tree_builder.rb, class_loader.rb; later versions name their file), or 0 for a method in C. */
static const struct {
    const char *owner, *name;
    uint64_t code;
} without_file[] = {
    { "Parser", "_native_parse", 0 },
    { "Parser", "parse", 0 },
    { "ClassLoader", "path2class", 0 },
    { "TreeBuilder", "start_sequence", UINT64_C(0x52337ceb689e6362) },
    { "TreeBuilder", "end_sequence", UINT64_C(0x3759f7a6a9680d81) },
    { "TreeBuilder", "start_mapping", UINT64_C(0xe0c8b232ee4a9cbc) },
    { "TreeBuilder", "end_mapping", UINT64_C(0x3759f7a6a9680d81) },
    { "ClassLoader", "symbol", UINT64_C(0xd94bdd87c16da3ab) },
    { "ClassLoader", "date", UINT64_C(0xd0f693acf8ecba0a) },
};

/* Methods that attr_reader and the like have made in Psych. Such a method has no code. One of the same name does the
 * same, whoever made it. */
static const char *const attributes[] = { "implicit_end=", "children",  "tag",          "anchor",
                                          "value",         "quoted",    "class_loader", "start_line=",
                                          "start_column=", "end_line=", "end_column=" };

/* RubyVM::InstructionSequence.of, which returns nil for a method in C or an attribute. */
static VALUE
sequence_of(VALUE method)
{
    return rb_funcall(rb_path2class("RubyVM::InstructionSequence"), rb_intern("of"), 1, method);
}

/* The hash of a method's body in RubyVM::InstructionSequence#to_a, which contains no file names. */
static uint64_t
code_of(VALUE method)
{
    VALUE sequence = sequence_of(method);
    if (NIL_P(sequence)) return 0;
    VALUE body = rb_inspect(rb_ary_entry(rb_funcall(sequence, rb_intern("to_a"), 0), -1));
    uint64_t code = ws_hash64(RSTRING_PTR(body), (size_t)RSTRING_LEN(body), 0);
    RB_GC_GUARD(body);
    return code;
}

static bool
is_in_table(VALUE psych, VALUE owner, const char *name, VALUE method, bool evaluated)
{
    for (size_t i = 0; i < sizeof without_file / sizeof *without_file; i++) {
        if (strcmp(without_file[i].name, name) != 0 || module_named(psych, without_file[i].owner) != owner) continue;
        return evaluated ? code_of(method) == without_file[i].code : !without_file[i].code;
    }
    return false;
}

/* Later versions of Psych evaluate the table's methods with the name of their file. */
static bool
is_evaluated_in_file(VALUE psych, VALUE owner, const char *name)
{
    for (size_t i = 0; i < sizeof without_file / sizeof *without_file; i++)
        if (without_file[i].code && strcmp(without_file[i].name, name) == 0 &&
            module_named(psych, without_file[i].owner) == owner)
            return true;
    return false;
}

static bool
is_attribute(const char *name)
{
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (strcmp(attributes[i], name) == 0) return true;
    return false;
}

/* Is this Ruby's own Class#new, as it was when we were loaded? It is in C or (from Ruby 4.0 on) inside of Ruby. */
static bool
is_class_new(VALUE owner, const char *name)
{
    return owner == rb_cClass && strcmp(name, "new") == 0 &&
           RTEST(rb_equal(method_of(rb_cClass, rb_intern("new"), ID2SYM(rb_intern("new"))), class_new));
}

static bool
is_own(VALUE psych, const char *name, VALUE method, VALUE library)
{
    VALUE location = rb_funcallv(method, id_source_location, 0, NULL),
          owner = rb_funcall(method, rb_intern("owner"), 0);
    if (is_class_new(owner, name)) return true;
    if (NIL_P(location)) return is_in_table(psych, owner, name, method, false);
    /* The path can be any that an `eval` was given. Only Ruby's loader sets the real path, for code in a file. */
    VALUE path = rb_ary_entry(location, 0), sequence = sequence_of(method);
    if (NIL_P(sequence)) return is_attribute(name) && is_in(path, library);
    if (is_in(rb_funcall(sequence, rb_intern("absolute_path"), 0), library)) return true;
    return is_in(path, library) ? is_evaluated_in_file(psych, owner, name)
                                : is_in_table(psych, owner, name, method, true);
}

static bool
note_methods(VALUE psych, int group, VALUE library)
{
    const char *name = table[group].methods;
    for (; *name; name += strspn(name, " ")) {
        size_t size = strcspn(name, " ");
        ID id = rb_intern2(name, (long)size);
        VALUE symbol = ID2SYM(id), method = method_of(groups[group], id, symbol);
        if (method_count == METHOD_MAXIMUM || (!NIL_P(method) && !is_own(psych, rb_id2name(id), method, library)))
            return false;
        methods[method_count].group = group;
        methods[method_count].name = id;
        methods[method_count].symbol = symbol;
        methods[method_count++].method = method;
        name += size;
    }
    return true;
}

/* The constants may come from anywhere, because their origin can be faked. They are part of the version instead, so a
 * document belongs to one set of them. */
static bool
note_constants(VALUE scanner)
{
    VALUE own = Qfalse, names = rb_funcallv(scanner, id_constants, 1, &own), list = rb_ary_new();
    constants_hash = 0;
    for (long i = 0; i < RARRAY_LEN(names); i++) {
        VALUE name = RARRAY_AREF(names, i), value = rb_const_get_at(scanner, SYM2ID(name)), text = rb_sym2str(name);
        if (!RB_TYPE_P(value, T_REGEXP) || RBASIC_CLASS(value) != rb_cRegexp) return false;
        uint64_t hash = ws_hash64(RSTRING_PTR(text), (size_t)RSTRING_LEN(text), (uint64_t)rb_reg_options(value));
        constants_hash ^= ws_hash64(RREGEXP_SRC_PTR(value), (size_t)RREGEXP_SRC_LEN(value), hash); /* in any order */
        rb_ary_push(list, name);
        rb_ary_push(list, value);
    }
    scanner_constants = list;
    return true;
}

static bool
note_version(VALUE psych)
{
    VALUE text = rb_const_defined_at(psych, rb_intern("VERSION")) ? rb_const_get_at(psych, rb_intern("VERSION")) : Qnil;
    ID library = rb_intern("LIBYAML_VERSION"), backend = rb_intern("BACKEND");
    VALUE parser = rb_const_defined_at(psych, library) ? rb_const_get_at(psych, library) : Qnil;
    VALUE kind = rb_const_defined_at(psych, backend) ? rb_const_get_at(psych, backend) : Qnil;
    if (!RB_TYPE_P(text, T_STRING) || !RB_TYPE_P(parser, T_STRING)) return false;
    const char *kind_name = RB_TYPE_P(kind, T_STRING) ? StringValueCStr(kind) : "";
    int size = snprintf(version, sizeof version, "%s %s%s%s %016" PRIx64, StringValueCStr(text),
                        StringValueCStr(parser), *kind_name ? " " : "", kind_name, constants_hash);
    return size > 0 && (size_t)size < sizeof version;
}

static bool
verify(VALUE psych, VALUE library)
{
    if (RSTRING_LEN(library) < 9 || strcmp(RSTRING_PTR(library) + RSTRING_LEN(library) - 9, "/psych.rb") != 0)
        return false;
    the_psych = Qnil;
    method_count = 0;
    for (int group = 0; group < GROUP_COUNT; group++) {
        VALUE module = module_named(psych, table[group].name);
        if (module == Qundef) return false;
        groups[group] = table[group].singleton ? rb_singleton_class(module) : module;
        if (!note_methods(psych, group, library)) return false;
    }
    if (!note_constants(module_named(psych, "ScalarScanner")) || !note_version(psych)) return false;
    the_psych = psych;
    the_library = library;
    return true;
}

/* ---- each further time: is it still the same? ---- */

static bool
same_modules(void)
{
    for (int group = 0; group < GROUP_COUNT; group++) {
        VALUE module = module_named(the_psych, table[group].name);
        if (module == Qundef) return false;
        if (groups[group] != (table[group].singleton ? rb_singleton_class(module) : module)) return false;
    }
    return true;
}

static bool
same_methods(ws_psych_use use)
{
    for (int i = 0; i < method_count; i++) {
        if (!(table[methods[i].group].use & use)) continue;
        VALUE method = method_of(groups[methods[i].group], methods[i].name, methods[i].symbol);
        if (method != methods[i].method && (NIL_P(method) || !RTEST(rb_equal(method, methods[i].method)))) return false;
    }
    return true;
}

static bool
same_constants(void)
{
    VALUE scanner = module_named(the_psych, "ScalarScanner");
    for (long i = 0; i < RARRAY_LEN(scanner_constants); i += 2) {
        ID name = SYM2ID(RARRAY_AREF(scanner_constants, i));
        if (!rb_const_defined_at(scanner, name) ||
            rb_const_get_at(scanner, name) != RARRAY_AREF(scanner_constants, i + 1))
            return false;
    }
    return true;
}

static bool
is_plain_hash(VALUE object)
{
    return RB_TYPE_P(object, T_HASH) && RBASIC_CLASS(object) == rb_cHash;
}

/* Has the program given a meaning to nodes without a tag, or to the non-specific tag "!"? Psych looks up a class for
 * the tag nil, and a class and a domain type for "!". */
static bool
means_something(VALUE psych)
{
    VALUE tags = rb_funcallv(psych, id_load_tags, 0, NULL), types = rb_funcallv(psych, id_domain_types, 0, NULL);
    if (!is_plain_hash(tags) || !is_plain_hash(types)) return true;
    return !NIL_P(rb_hash_aref(tags, Qnil)) || !NIL_P(rb_hash_aref(tags, no_tag)) ||
           !NIL_P(rb_hash_lookup(types, no_type));
}

const char *
ws_psych_differs(VALUE psych, VALUE library, ws_psych_method method)
{
    ws_psych_use use = method == PSYCH_UNSAFE_LOAD_FILE ? PSYCH_UNSAFE : PSYCH_SAFE;
    bool same = psych == the_psych && RTEST(rb_str_equal(library, the_library)) && same_modules() &&
                same_methods(use) && same_constants();
    if (!same && !verify(psych, library)) return "psych";
    return means_something(psych) ? "psych" : NULL;
}

const char *
ws_psych_version(void)
{
    return version;
}

static void
mark(void *nothing)
{
    rb_gc_mark(the_psych);
    rb_gc_mark(the_library);
    rb_gc_mark(scanner_constants);
    for (int group = 0; group < GROUP_COUNT && !NIL_P(the_psych); group++) rb_gc_mark(groups[group]);
    for (int i = 0; i < method_count; i++) {
        rb_gc_mark(methods[i].symbol);
        rb_gc_mark(methods[i].method);
    }
}

static const rb_data_type_t marker_type = { .wrap_struct_name = "warmstart/psych", .function = { .dmark = mark } };

void
ws_init_document_psych(void)
{
    id_instance_method = rb_intern("instance_method");
    id_source_location = rb_intern("source_location");
    id_constants = rb_intern("constants");
    id_load_tags = rb_intern("load_tags");
    id_domain_types = rb_intern("domain_types");
    rb_gc_register_mark_object(class_new = method_of(rb_cClass, rb_intern("new"), ID2SYM(rb_intern("new"))));
    rb_gc_register_mark_object(no_tag = rb_interned_str_cstr("!"));
    rb_gc_register_mark_object(no_type = rb_interned_str_cstr("tag:"));
    rb_gc_register_mark_object(rb_data_typed_object_wrap(0, methods, &marker_type));
}
