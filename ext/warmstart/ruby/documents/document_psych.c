/* Checks the methods of Psych that are used to read a document without tags. document_call.c checks those that open
 * the file, by their frame. A program may have changed any of them: it may have prepended a module, reopened a class,
 * or defined its own method. Then Psych's result could differ from the document in the image.
 *
 * At the first document, each method must be what this version of Psych has there (psych_origin.c). The methods are
 * remembered, and compared at each further document. The program may change data that only tagged nodes use (domain
 * types, load tags), because documents with tags are not stored. */
#include <stdio.h>
#include <string.h>

#include <ruby.h>
#include <ruby/ractor.h>

#include "core/bytes/hash.h"
#include "ruby/documents/documents.h"
#include "ruby/private/needs.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/traced.h"

#define VISITOR                                                                                                                \
    "accept visit dispatch initialize deserialize register register_empty revive_hash deduplicate resolve_class class_loader " \
    "visit_Psych_Nodes_Document visit_Psych_Nodes_Sequence visit_Psych_Nodes_Mapping visit_Psych_Nodes_Scalar visit_Psych_Nodes_Alias"
#define PLACE "start_line= start_column= end_line= end_column="

/* Methods are looked up from the class of the object, so that prepended and overriding ones are found; those that are
 * called by `super`, from the class above it, too (and nothing may come between the two: same_ancestors). A method that
 * a version of Psych does not have must not appear later either. (The rows and their order are part
 * of what has a hash for each version in psych_origin.c.) */
enum kind {
    PSYCHS,   /* what psych_origin.c knows */
    RUBYS,    /* Psych calls Ruby's own, so Psych's classes have none */
    SETTINGS, /* what Psych is asked for here, too: in psych.rb, or made by the forwardable.rb that it uses */
};
static const struct {
    const char *name;
    bool singleton;
    const char *methods;
    enum kind kind;
} table[] = {
    { "", true, "parse parse_stream", PSYCHS },
    { "", true, "unsafe_load", PSYCHS },
    { "", true, "load safe_load", PSYCHS },
    { "Parser", true, "new", PSYCHS },
    { "Parser", false, "initialize parse _native_parse strip_bom skip_io_bom", PSYCHS },
    { "TreeBuilder", false, "initialize", PSYCHS },
    { "Handlers::DocumentStream", true, "new", PSYCHS },
    { "Handlers::DocumentStream", false,
      "initialize start_stream start_document end_document start_sequence end_sequence start_mapping "
      "end_mapping scalar alias streaming? event_location push pop set_location set_start_location set_end_location",
      PSYCHS },
    { "Nodes::Node", false, "initialize", PSYCHS },
    { "Nodes::Document", true, "new name", PSYCHS },
    { "Nodes::Document", false, "initialize implicit_end= root to_ruby children tag class", PSYCHS },
    { "Nodes::Stream", true, "new", PSYCHS },
    { "Nodes::Stream", false, "initialize children start_line= start_column=", PSYCHS },
    { "Nodes::Sequence", true, "new name ===", PSYCHS },
    { "Nodes::Sequence", false, "initialize children tag anchor class " PLACE, PSYCHS },
    { "Nodes::Mapping", true, "new name ===", PSYCHS },
    { "Nodes::Mapping", false, "initialize children tag anchor class " PLACE, PSYCHS },
    { "Nodes::Scalar", true, "new name", PSYCHS },
    { "Nodes::Scalar", false, "initialize value quoted tag anchor class " PLACE, PSYCHS },
    { "Nodes::Alias", true, "new name ===", PSYCHS },
    { "Nodes::Alias", false, "initialize anchor tag class " PLACE, PSYCHS },
    { "Visitors::Visitor", true, "dispatch_cache", PSYCHS },
    { "Visitors::Visitor", false, "accept initialize", PSYCHS },
    { "Visitors::ToRuby", true, "create new", PSYCHS },
    { "Visitors::ToRuby", false, VISITOR, PSYCHS },
    { "Visitors::NoAliasRuby", true, "new", PSYCHS },
    { "Visitors::NoAliasRuby", false, VISITOR, PSYCHS },
    { "ScalarScanner", true, "new", PSYCHS },
    { "ScalarScanner", false, "initialize tokenize parse_int parse_time class_loader", PSYCHS },
    { "ClassLoader", true, "new", PSYCHS },
    { "ClassLoader", false, "initialize load find resolve symbolize symbol date path2class", PSYCHS },
    { "ClassLoader::Restricted", true, "new", PSYCHS },
    { "ClassLoader::Restricted", false, "initialize load find resolve symbolize symbol date path2class", PSYCHS },
    { "", true, "block_given?", RUBYS },
    { "Visitors::ToRuby", false, "send", RUBYS },
    { "Visitors::NoAliasRuby", false, "send", RUBYS },
    { "ScalarScanner", false, "Float Integer", RUBYS },
    { "", true, "config load_tags domain_types", SETTINGS },
    { "Config", false, "load_tags domain_types", SETTINGS }, /* (in Psych's singleton class) */
};
enum { GROUP_COUNT = sizeof table / sizeof *table, METHOD_MAXIMUM = 256 };

/* Constants that Psych's methods name. Psych has none of these names in these places: one that a program defined there
 * would hide the constant that Psych means. */
static const struct {
    const char *scope, *names;
} hiding[] = {
    { "", "Psych Date File Float Hash Integer Ractor String Symbol" },
    { "Parser", "Psych Handler Parser" },
    { "Handlers", "Psych Nodes" },
    { "Handlers::DocumentStream", "Psych Nodes" },
    { "TreeBuilder", "Psych Nodes" },
    { "Nodes", "Psych Visitors" },
    { "Nodes::Node", "Psych Visitors" },
    { "Visitors", "Psych ClassLoader Hash Nodes Ractor ScalarScanner String" },
    { "Visitors::Visitor", "Psych ClassLoader Hash Nodes Ractor ScalarScanner String Visitor" },
    { "Visitors::ToRuby", "Psych ClassLoader Hash Nodes Ractor ScalarScanner String" },
    { "Visitors::NoAliasRuby", "Psych ClassLoader Hash Nodes Ractor ScalarScanner String" },
    { "ScalarScanner", "Psych Date Float Integer String Symbol" },
    { "ClassLoader", "Psych" },
};
enum { SCOPE_COUNT = sizeof hiding / sizeof *hiding, HIDING_MAXIMUM = 128 };

static struct {
    VALUE psych;         /* nil: nothing is verified */
    VALUE refused;       /* one that has been changed, and is not looked at again */
    const char *refusal; /* why it was refused */
    VALUE library;       /* the real path of psych.rb */
    char version[64];
    VALUE groups[GROUP_COUNT];    /* the modules (or singleton classes) of the table */
    VALUE ancestors[GROUP_COUNT]; /* of each class: what is below Object's ancestors */
    struct {
        int group;
        ID name;
        VALUE symbol, method; /* method: nil if there is none */
        int visible;          /* to respond_to? */
        bool basic;           /* Ruby has begun with it (METHOD_ENTRY_BASIC) */
    } methods[METHOD_MAXIMUM];
    int method_count;
    struct {
        int scope;
        ID name;
    } hiding_names[HIDING_MAXIMUM];
    int hiding_count;
    VALUE class_cache;       /* ClassLoader::CACHE, which has Symbol and may have Date */
    VALUE scanner_constants; /* [name, value, ...] of ScalarScanner: the patterns of numbers and times */
    uint64_t constants_hash; /* hash of their names and patterns */
    VALUE code;              /* of all methods, for ws_is_one_watched */
    VALUE no_tag, no_type;   /* "!", and the domain type that Psych looks up for it */
} known = {
    .psych = Qnil, .refused = Qnil, .library = Qnil, .class_cache = Qnil, .scanner_constants = Qnil, .code = Qnil
};

/* ---- looking ---- */

/* Returns the module with this name in Psych, such as "Visitors::ToRuby", or Qundef. */
static VALUE
module_named(VALUE psych, const char *name)
{
    VALUE module = ws_constant_named(psych, name);
    return module != Qundef && (RB_TYPE_P(module, T_MODULE) || RB_TYPE_P(module, T_CLASS)) ? module : Qundef;
}

/* The module of a row of the table, or Qundef. */
static VALUE
module_of(VALUE psych, int group)
{
    bool in_singleton = table[group].kind == SETTINGS && !table[group].singleton;
    return module_named(in_singleton ? rb_singleton_class(psych) : psych, table[group].name);
}

/* rb_method_boundp's question of respond_to? (internal/vm.h: BOUND_PRIVATE | BOUND_RESPONDS): not a private method, nor
 * a protected one. */
enum { RESPONDS = 3 };

static VALUE
method_of(VALUE module, ID name, VALUE symbol)
{
    return rb_method_boundp(module, name, 0) ? ws_own1(WS_OWN_MODULE_INSTANCE_METHOD, module, symbol) : Qnil;
}

/* ---- the first time: is it Psych's own? ---- */

/* Is this one of the methods that each object has from Kernel? (core_methods.c knows that those are Ruby's.) An alias
 * has the owner of what it stands for, but not its name. */
static bool
is_of_kernel(VALUE method, VALUE symbol)
{
    return ws_own0(WS_OWN_METHOD_OWNER, method) == rb_mKernel && ws_own0(WS_OWN_METHOD_ORIGINAL_NAME, method) == symbol;
}

static bool
is_as_expected(ws_psych_origin *origin, int group, VALUE symbol, VALUE method)
{
    switch (table[group].kind) {
        case RUBYS: return !NIL_P(method) && is_of_kernel(method, symbol);
        case SETTINGS: return !NIL_P(method) && ws_psych_has_setting(origin, known.groups[group], symbol, method);
        default: return ws_psych_origin_add(origin, known.groups[group], symbol, method);
    }
}

static bool
note_methods(ws_psych_origin *origin, int group)
{
    const char *name = table[group].methods;
    for (; *name; name += strspn(name, " ")) {
        size_t size = strcspn(name, " ");
        ID id = rb_intern2(name, (long)size);
        VALUE symbol = ID2SYM(id), method = method_of(known.groups[group], id, symbol);
        if (known.method_count == METHOD_MAXIMUM || !is_as_expected(origin, group, symbol, method)) return false;
        known.methods[known.method_count].group = group;
        known.methods[known.method_count].name = id;
        known.methods[known.method_count].symbol = symbol;
        known.methods[known.method_count].visible = rb_method_boundp(known.groups[group], id, RESPONDS);
        known.methods[known.method_count].basic = rb_method_basic_definition_p(known.groups[group], id) != 0;
        known.methods[known.method_count++].method = method;
        name += size;
    }
    return true;
}

/* The constants may come from anywhere, because their origin can be faked. They are part of the version instead, so a
 * document belongs to one set of them. */
static bool
note_constants(VALUE scanner)
{
    VALUE own = Qfalse, names = rb_funcallv(scanner, rb_intern("constants"), 1, &own), list = rb_ary_new();
    known.constants_hash = 0;
    for (long i = 0; i < RARRAY_LEN(names); i++) {
        VALUE name = RARRAY_AREF(names, i), value = rb_const_get_at(scanner, SYM2ID(name)), text = rb_sym2str(name);
        if (!RB_TYPE_P(value, T_REGEXP) || RBASIC_CLASS(value) != rb_cRegexp) return false;
        uint64_t hash = ws_hash64(RSTRING_PTR(text), (size_t)RSTRING_LEN(text), (uint64_t)rb_reg_options(value));
        known.constants_hash ^=
            ws_hash64(RREGEXP_SRC_PTR(value), (size_t)RREGEXP_SRC_LEN(value), hash); /* in any order */
        rb_ary_push(list, name);
        rb_ary_push(list, value);
    }
    known.scanner_constants = list;
    return true;
}

/* Does no constant of the program's hide one that Psych's methods name? */
static bool
is_nothing_hidden(VALUE psych)
{
    VALUE scopes[SCOPE_COUNT];
    for (int i = 0; i < SCOPE_COUNT; i++)
        if ((scopes[i] = module_named(psych, hiding[i].scope)) == Qundef) return false;
    for (int i = 0; i < known.hiding_count; i++)
        if (rb_const_defined_at(scopes[known.hiding_names[i].scope], known.hiding_names[i].name)) return false;
    return true;
}

/* The classes that a ClassLoader knows when it is made. */
static bool
note_class_cache(VALUE psych)
{
    VALUE cache = ws_constant_named(psych, "ClassLoader::CACHE");
    if (!RB_TYPE_P(cache, T_HASH) || RBASIC_CLASS(cache) != rb_cHash || !OBJ_FROZEN(cache)) return false;
    if (rb_hash_lookup(cache, rb_interned_str_cstr("Symbol")) != rb_cSymbol) return false;
    VALUE date = rb_hash_lookup(cache, rb_interned_str_cstr("Date"));
    if (!NIL_P(date) && date != ws_constant_named(rb_cObject, "Date")) return false;
    known.class_cache = cache;
    return true;
}

static bool
note_version(VALUE psych)
{
    VALUE text = ws_constant_named(psych, "VERSION"), parser = ws_constant_named(psych, "LIBYAML_VERSION");
    VALUE kind = ws_constant_named(psych, "BACKEND");
    if (!RB_TYPE_P(text, T_STRING) || !RB_TYPE_P(parser, T_STRING)) return false;
    const char *kind_name = RB_TYPE_P(kind, T_STRING) ? StringValueCStr(kind) : "";
    int size = snprintf(known.version, sizeof known.version, "%s %s%s%s %016" PRIx64, StringValueCStr(text),
                        StringValueCStr(parser), *kind_name ? " " : "", kind_name, known.constants_hash);
    return size > 0 && (size_t)size < sizeof known.version;
}

/* Returns NULL or why this is no Psych that we know. */
static const char *
verify(VALUE psych, VALUE library, ws_psych_origin *origin)
{
    static const char end[] = "/psych.rb";
    long size = sizeof end - 1;
    known.psych = Qnil;
    known.method_count = 0;
    if (RSTRING_LEN(library) < size || strcmp(RSTRING_PTR(library) + RSTRING_LEN(library) - size, end) != 0)
        return "psych";
    ws_psych_origin_begin(origin, psych, library);
    for (int group = 0; group < GROUP_COUNT; group++) {
        VALUE module = module_of(psych, group);
        if (module == Qundef || !ws_core_can_ask(module)) return "psych";
        known.groups[group] = table[group].singleton ? rb_singleton_class(module) : module;
        known.ancestors[group] = ws_psych_ancestors(module);
        if (table[group].kind == PSYCHS && !ws_psych_origin_add_module(origin, module)) return "psych";
        if (!note_methods(origin, group)) return "psych";
    }
    const char *reason = ws_psych_origin_differs(origin);
    if (reason) return reason;
    if (!note_constants(module_named(psych, "ScalarScanner")) || !note_class_cache(psych) || !is_nothing_hidden(psych))
        return "psych";
    if (!note_version(psych)) return "psych";
    static const char *const loaders[] = { "load_file", "unsafe_load_file", "safe_load_file" };
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) {
        ID name = rb_intern(loaders[i]);
        ws_psych_origin_add_code(origin, method_of(rb_singleton_class(psych), name, ID2SYM(name)));
    }
    known.code = origin->code;
    known.psych = psych;
    known.library = library;
    return NULL;
}

/* ---- each further time: is it still the same? ---- */

static bool
same_modules(void)
{
    for (int group = 0; group < GROUP_COUNT; group++) {
        VALUE module = module_of(known.psych, group);
        if (module == Qundef || !ws_core_can_ask(module)) return false;
        if (known.groups[group] != (table[group].singleton ? rb_singleton_class(module) : module)) return false;
    }
    return true;
}

/* Would `super` still find the same? */
static bool
same_ancestors(void)
{
    long objects = RARRAY_LEN(rb_mod_ancestors(rb_cObject));
    for (int group = 0; group < GROUP_COUNT; group++) {
        if (table[group].singleton) continue;
        VALUE list = rb_mod_ancestors(known.groups[group]);
        long count = RARRAY_LEN(known.ancestors[group]);
        if (RARRAY_LEN(list) != count + objects) return false;
        for (long i = 0; i < count; i++)
            if (RARRAY_AREF(list, i) != RARRAY_AREF(known.ancestors[group], i)) return false;
    }
    return true;
}

static bool
same_methods(void)
{
    for (int i = 0; i < known.method_count; i++) {
        if (rb_method_boundp(known.groups[known.methods[i].group], known.methods[i].name, RESPONDS) !=
            known.methods[i].visible)
            return false;
        if (known.methods[i].basic) {
            if (!rb_method_basic_definition_p(known.groups[known.methods[i].group], known.methods[i].name))
                return false;
            continue;
        }
        VALUE method = method_of(known.groups[known.methods[i].group], known.methods[i].name, known.methods[i].symbol);
        if (method != known.methods[i].method && (NIL_P(method) || !RTEST(rb_equal(method, known.methods[i].method))))
            return false;
    }
    return true;
}

static bool
same_constants(void)
{
    VALUE scanner = module_named(known.psych, "ScalarScanner");
    for (long i = 0; i < RARRAY_LEN(known.scanner_constants); i += 2) {
        ID name = SYM2ID(RARRAY_AREF(known.scanner_constants, i));
        if (!rb_const_defined_at(scanner, name) ||
            rb_const_get_at(scanner, name) != RARRAY_AREF(known.scanner_constants, i + 1))
            return false;
    }
    return ws_constant_named(known.psych, "ClassLoader::CACHE") == known.class_cache && is_nothing_hidden(known.psych);
}

static bool
is_plain_hash(VALUE object)
{
    return RB_TYPE_P(object, T_HASH) && RBASIC_CLASS(object) == rb_cHash;
}

/* May a hash call something of the program's for a key that it does not have, or answer other than nil? */
static bool
has_default(VALUE hash)
{
    return !NIL_P(rb_funcallv(hash, rb_intern("default_proc"), 0, NULL)) ||
           !NIL_P(rb_funcallv(hash, rb_intern("default"), 0, NULL));
}

/* Has the program given a meaning to nodes without a tag, or to the non-specific tag "!"? Psych looks up a class for
 * the tag nil, and a class and a domain type for "!". */
static bool
means_something(VALUE psych)
{
    VALUE tags = rb_funcallv(psych, rb_intern("load_tags"), 0, NULL),
          types = rb_funcallv(psych, rb_intern("domain_types"), 0, NULL);
    if (!is_plain_hash(tags) || !is_plain_hash(types) || has_default(tags)) return true;
    return !NIL_P(rb_hash_aref(tags, Qnil)) || !NIL_P(rb_hash_aref(tags, known.no_tag)) ||
           !NIL_P(rb_hash_lookup(types, known.no_type));
}

static VALUE
visits_of(VALUE ractor)
{
    VALUE name = ID2SYM(rb_intern("Psych_Visitors_Visitor"));
    return rb_funcallv(ractor, rb_intern("[]"), 1, &name);
}

/* Psych keeps two things in the Ractor, where a program may have put its own, or changed what is in Psych's: the hash
 * that Visitor#dispatch asks for the method that visits a node, and the Config that Psych.load_tags asks. */
static bool
is_ractor_changed(VALUE psych, VALUE library)
{
    static const char *const nodes[] = { "Document", "Sequence", "Mapping", "Scalar", "Alias" };
    ID read = rb_intern("[]");
    VALUE ractor = rb_funcallv(rb_cRactor, rb_intern("current"), 0, NULL);
    VALUE of_config = ID2SYM(rb_intern("PsychConfig"));
    VALUE config = rb_funcallv(ractor, read, 1, &of_config), visits = visits_of(ractor);
    if (!NIL_P(config) &&
        (!RB_TYPE_P(config, T_OBJECT) || RBASIC_CLASS(config) != module_named(rb_singleton_class(psych), "Config")))
        return true;
    if (NIL_P(visits)) return false; /* Psych makes one */
    if (!is_plain_hash(visits) || !RTEST(rb_funcallv(visits, rb_intern("compare_by_identity?"), 0, NULL))) return true;
    VALUE made_by = rb_funcallv(visits, rb_intern("default_proc"), 0, NULL), scope = module_named(psych, "Nodes");
    if (!ws_psych_has_block(library, "/visitors/visitor.rb", made_by)) return true;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        VALUE visit = rb_hash_lookup2(visits, module_named(scope, nodes[i]), Qundef);
        char name[64];
        snprintf(name, sizeof name, "visit_Psych_Nodes_%s", nodes[i]);
        if (visit != Qundef && visit != ID2SYM(rb_intern(name))) return true;
    }
    return false;
}

const char *
ws_psych_differs(VALUE psych, VALUE library)
{
    bool same = psych == known.psych && RTEST(rb_str_equal(library, known.library)) && same_modules() &&
                same_ancestors() && same_methods() && same_constants();
    if (!same) {
        ws_psych_origin origin;
        if (psych == known.refused) return known.refusal;
        known.refusal = verify(psych, library, &origin);
        if (known.refusal) {
            known.refused = psych;
            return known.refusal;
        }
    }
    if (ws_is_one_watched(known.code)) return "traced";
    return is_ractor_changed(psych, library) || means_something(psych) ? "psych" : NULL;
}

/* ---- what Psych remembers ---- */

/* The visits that are looked up, in the order of Psych's. */
typedef struct ws_visits {
    VALUE table, mapping, sequence, scalar;
} ws_visits;

static void note_visits(ws_visits *visits, VALUE value);

static int
note_pair(VALUE key, VALUE value, VALUE visits)
{
    note_visits((ws_visits *)visits, key);
    note_visits((ws_visits *)visits, value);
    return ST_CONTINUE;
}

static void
note_visits(ws_visits *visits, VALUE value)
{
    if (RB_TYPE_P(value, T_HASH)) {
        rb_hash_aref(visits->table, visits->mapping);
        rb_hash_foreach(value, note_pair, (VALUE)visits);
    }
    else if (RB_TYPE_P(value, T_ARRAY)) {
        rb_hash_aref(visits->table, visits->sequence);
        for (long i = 0; i < RARRAY_LEN(value); i++) note_visits(visits, RARRAY_AREF(value, i));
    }
    else rb_hash_aref(visits->table, visits->scalar);
}

/* Visitor#dispatch makes a table in the Ractor, whose block looks up the name of each class of nodes that is visited.
 * Later, when Psych reads something itself, another name or a String#gsub of the program's must not change what it has
 * looked up before. So Psych's own method makes the table, and its block fills it, with the nodes that a document
 * shows. (Aliases, and values that were left out of the result, it does not show.) */
void
ws_psych_remember(VALUE document)
{
    VALUE ractor = rb_funcallv(rb_cRactor, rb_intern("current"), 0, NULL), nodes = module_named(known.psych, "Nodes");
    ws_visits visits = { visits_of(ractor), module_named(nodes, "Mapping"), module_named(nodes, "Sequence"),
                         module_named(nodes, "Scalar") };
    if (NIL_P(visits.table)) {
        visits.table =
            rb_funcallv(module_named(known.psych, "Visitors::Visitor"), rb_intern("dispatch_cache"), 0, NULL);
        VALUE arguments[] = { ID2SYM(rb_intern("Psych_Visitors_Visitor")), visits.table };
        rb_funcallv(ractor, rb_intern("[]="), 2, arguments);
    }
    rb_hash_aref(visits.table, module_named(nodes, "Document"));
    if (NIL_P(rb_hash_lookup(visits.table, visits.mapping)) || NIL_P(rb_hash_lookup(visits.table, visits.sequence)) ||
        NIL_P(rb_hash_lookup(visits.table, visits.scalar)))
        note_visits(&visits, document);
}

const char *
ws_psych_version(void)
{
    return known.version;
}

static void
mark(void *nothing)
{
    rb_gc_mark(known.psych);
    rb_gc_mark(known.refused);
    rb_gc_mark(known.library);
    rb_gc_mark(known.scanner_constants);
    rb_gc_mark(known.class_cache);
    rb_gc_mark(known.code);
    for (int group = 0; group < GROUP_COUNT; group++) { /* (also while Psych is still being verified) */
        rb_gc_mark(known.groups[group]);
        rb_gc_mark(known.ancestors[group]);
    }
    for (int i = 0; i < known.method_count; i++) {
        rb_gc_mark(known.methods[i].symbol);
        rb_gc_mark(known.methods[i].method);
    }
}

static const rb_data_type_t marker_type = { .wrap_struct_name = "warmstart/psych", .function = { .dmark = mark } };

/* call-seq: Native.psych_origin(psych, library) -> [version, hash, text, reason] or nil
 * What ws_psych_origin_differs compares: of the Psych that was loaded from the file `library`. */
static VALUE
get_psych_origin(VALUE self, VALUE psych, VALUE library)
{
    ws_psych_origin origin = { .text = Qnil };
    const char *reason = verify(psych, library, &origin);
    return NIL_P(origin.text) ? Qnil : ws_psych_origin_to_a(&origin, reason);
}

void
ws_init_document_psych(VALUE native)
{
    rb_define_singleton_method(native, "psych_origin", get_psych_origin, 2);
    for (int scope = 0; scope < SCOPE_COUNT; scope++) {
        const char *name = hiding[scope].names;
        for (size_t size; *name && known.hiding_count < HIDING_MAXIMUM; name += size, name += strspn(name, " ")) {
            size = strcspn(name, " ");
            known.hiding_names[known.hiding_count].scope = scope;
            known.hiding_names[known.hiding_count++].name = rb_intern2(name, (long)size);
        }
    }
    ws_init_psych_origin();
    ws_init_core_methods();
    rb_gc_register_mark_object(known.no_tag = rb_interned_str_cstr("!"));
    rb_gc_register_mark_object(known.no_type = rb_interned_str_cstr("tag:"));
    rb_gc_register_mark_object(rb_data_typed_object_wrap(0, known.methods, &marker_type));
}
