/* Warmstart::FileSystem::Listing, which shows the results of an operation to Ruby. The facts stay in C memory. A column
 * is one Array of immediate values (of Strings for names). An Entry is one name of a listing: one object that
 * points into it and makes Strings only when it is asked. */
#include "ruby/file_system/listing.h"

#include <stdlib.h>
#include <string.h>

#include "core/file_system/file_system.h"
#include "core/system/file.h"

/* ---- Listing ---- */

static void
mark_listing(void *pointer)
{
    const ws_ruby_listing *listing = pointer;
    rb_gc_mark(listing->root);
    rb_gc_mark(listing->paths);
}

static void
free_listing(void *pointer)
{
    ws_ruby_listing *listing = pointer;
    ws_walk_free(&listing->walk);
    free(listing->rows);
    xfree(listing);
}

static size_t
size_of_listing(const void *pointer)
{
    const ws_ruby_listing *listing = pointer;
    size_t size = sizeof *listing + listing->walk.place_count * sizeof(ws_walk_place);
    for (uint32_t i = 0; !listing->running && i < listing->walk.folder_count; i++) {
        const ws_listing *rows = &listing->walk.folders[i]->listing;
        size += sizeof(ws_walk_folder) + rows->names_capacity +
                rows->capacity * (sizeof(ws_row) + (rows->stats ? sizeof(ws_stat) : 0));
    }
    return size;
}

const rb_data_type_t ws_listing_type = {
    .wrap_struct_name = "warmstart/listing",
    .function = { .dmark = mark_listing, .dfree = free_listing, .dsize = size_of_listing },
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

/* Raises ThreadError while the operation is running. */
static ws_ruby_listing *
listing_of(VALUE self)
{
    ws_ruby_listing *listing = rb_check_typeddata(self, &ws_listing_type);
    if (listing->running) rb_raise(rb_eThreadError, "the file system is still being asked");
    return listing;
}

static uint32_t
count_of(const ws_ruby_listing *listing)
{
    return NIL_P(listing->paths) ? listing->walk.place_count : (uint32_t)RARRAY_LEN(listing->paths);
}

static ws_walk_place
place_of(const ws_ruby_listing *listing, uint32_t index)
{
    return NIL_P(listing->paths) ? listing->walk.places[index] : (ws_walk_place){ 0, listing->rows[index] };
}

/* ---- One fact of one row ---- */

static const struct {
    const char *name;
    uint32_t field;
} fields[] = { { "type", WS_FIELD_TYPE },   { "size", WS_FIELD_SIZE },   { "mtime", WS_FIELD_MTIME },
               { "ctime", WS_FIELD_CTIME }, { "inode", WS_FIELD_INODE }, { "device", WS_FIELD_DEVICE },
               { "mode", WS_FIELD_MODE },   { "links", WS_FIELD_LINKS }, { "owner", WS_FIELD_OWNER },
               { "group", WS_FIELD_OWNER }, { "acl", WS_FIELD_ACL } };
enum { FIELD_COUNT = sizeof fields / sizeof *fields, FIELD_GROUP = 9 };

/* What Ruby has of them. */
static struct {
    ID fields[FIELD_COUNT];
    VALUE types[8]; /* by WS_LISTED_* */
    VALUE entry;    /* the class */
} rubys;

static int
number_of_field(VALUE symbol)
{
    Check_Type(symbol, T_SYMBOL);
    for (int i = 0; i < FIELD_COUNT; i++) {
        if (rb_sym2id(symbol) == rubys.fields[i]) return i;
    }
    rb_raise(rb_eArgError, "unknown field %+" PRIsVALUE, symbol);
}

uint32_t
ws_field_of(VALUE symbol)
{
    return fields[number_of_field(symbol)].field;
}

/* The types' names are those that File.ftype uses. */
static void
intern_names(void)
{
    static const char *const names[] = { "unknown", "file",   "directory",        "link",
                                         "fifo",    "socket", "characterSpecial", "blockSpecial" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) rubys.types[i] = ID2SYM(rb_intern(names[i]));
    for (int i = 0; i < FIELD_COUNT; i++) rubys.fields[i] = rb_intern(fields[i].name);
}

static VALUE
text_or_nil(const char *text)
{
    return text ? rb_utf8_str_new_cstr(text) : Qnil;
}

static VALUE
owner_of(const ws_listing *listing, uint32_t row, bool group)
{
    if (listing->accesses && ws_owners_are_sids)
        return text_or_nil(group ? listing->accesses[row].group : listing->accesses[row].owner);
    return UINT2NUM(group ? listing->stats[row].group : listing->stats[row].owner);
}

/* Returns nil if the row's metadata could not be read. */
static VALUE
fact_of_row(const ws_listing *listing, uint32_t number, int field)
{
    const ws_row *row = &listing->rows[number];
    const ws_stat *stat = listing->stats ? &listing->stats[number] : NULL;

    if (fields[field].field != WS_FIELD_TYPE && row->error_number != 0) return Qnil;
    switch (fields[field].field) {
        case WS_FIELD_TYPE:
            return row->type == WS_LISTED_UNKNOWN && row->error_number != 0 ? Qnil : rubys.types[row->type];
        case WS_FIELD_SIZE: return ULL2NUM(row->size);
        case WS_FIELD_MTIME: return LL2NUM(row->mtime);
        case WS_FIELD_CTIME: return LL2NUM(stat->ctime);
        case WS_FIELD_INODE: return ULL2NUM(stat->inode);
        case WS_FIELD_DEVICE: return ULL2NUM(stat->device);
        case WS_FIELD_MODE: return UINT2NUM(stat->mode);
        case WS_FIELD_LINKS: return UINT2NUM(stat->links);
        case WS_FIELD_OWNER: return owner_of(listing, number, field == FIELD_GROUP);
        default: return text_or_nil(listing->accesses[number].acl);
    }
}

/* Raises ArgumentError if the fact was not asked for. */
static void
check_asked(const ws_ruby_listing *listing, int field)
{
    if (listing->walk.options.fields & fields[field].field) return;
    rb_raise(rb_eArgError, "%s was not asked for: fields: [:%s, ...]", fields[field].name, fields[field].name);
}

static VALUE
name_string(const char *bytes, size_t size)
{
    return rb_external_str_new_with_enc(bytes, (long)size, rb_filesystem_encoding());
}

/* Returns the index of the names' encoding if a name can take its bytes unchanged. Returns -1 if name_string must
 * convert each name, either to the default internal encoding, or to binary when the file system is US-ASCII and the
 * name is not. */
static int
encoding_of_names(void)
{
    rb_encoding *encoding = rb_filesystem_encoding(), *internal = rb_default_internal_encoding();
    int index = rb_enc_to_index(encoding);
    bool plain =
        (!internal || internal == encoding) && index != rb_usascii_encindex() && index < RUBY_ENCODING_INLINE_MAX;
    return plain ? index : -1;
}

/* encoding: the result of encoding_of_names(). */
static VALUE
name_of_row(const ws_walk_folder *folder, uint32_t number, int encoding)
{
    const ws_row *row = &folder->listing.rows[number];
    size_t before = folder->path_size > 0 ? folder->path_size + 1 : 0;
    VALUE string = rb_str_new(NULL, (long)(before + row->name_size));
    char *bytes = RSTRING_PTR(string);
    if (before > 0) {
        memcpy(bytes, folder->path, folder->path_size);
        bytes[folder->path_size] = '/';
    }
    memcpy(bytes + before, ws_listing_name(&folder->listing, number), row->name_size);
    VALUE name = string;
    if (encoding < 0) name = name_string(bytes, before + row->name_size);
    else RB_ENCODING_SET_INLINED(string, encoding);
    RB_GC_GUARD(string);
    return name;
}

/* index: as for ws_entry_new. */
static VALUE
name_at(const ws_ruby_listing *listing, uint32_t index, ws_walk_place place)
{
    if (!NIL_P(listing->paths) && index != UINT32_MAX) return RARRAY_AREF(listing->paths, index);
    return name_of_row(listing->walk.folders[place.folder], place.row, encoding_of_names());
}

/* row: UINT32_MAX for the folder itself. */
static VALUE
path_at(const ws_ruby_listing *listing, uint32_t folder, uint32_t row)
{
    if (row == UINT32_MAX && listing->walk.folders[folder]->path_size == 0) return listing->root;
    char *path = ws_walk_path(&listing->walk, listing->walk.folders[folder], row);
    if (!path) rb_memerror();
    VALUE string = name_string(path, strlen(path));
    free(path);
    return string;
}

VALUE
ws_listing_error(const ws_ruby_listing *listing, ws_walk_place place, int error_number)
{
    const char *function = place.row == UINT32_MAX        ? "dir_initialize"
                           : listing->walk.options.follow ? "rb_file_s_stat"
                                                          : "rb_file_s_lstat";
    VALUE arguments[2] = { path_at(listing, place.folder, place.row), rb_str_new_cstr(function) };
    return rb_class_new_instance(2, arguments, rb_obj_class(rb_syserr_new(error_number, NULL)));
}

/* ---- Entry ---- */

typedef struct entry {
    VALUE listing;
    uint32_t index;
    ws_walk_place place;
} entry;

static void
mark_entry(void *pointer)
{
    rb_gc_mark(((const entry *)pointer)->listing);
}

static const rb_data_type_t entry_type = {
    .wrap_struct_name = "warmstart/listing/entry",
    .function = { .dmark = mark_entry, .dfree = RUBY_TYPED_DEFAULT_FREE },
#ifdef RUBY_TYPED_EMBEDDABLE
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_EMBEDDABLE,
#else
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
#endif
};

VALUE
ws_entry_new(VALUE listing, uint32_t index, ws_walk_place place)
{
    entry *own;
    VALUE self = TypedData_Make_Struct(rubys.entry, entry, &entry_type, own);
    own->index = index;
    own->place = place;
    own->listing = listing; /* it is not write-barrier protected, so it is marked at each collection */
    return self;
}

static const ws_ruby_listing *
listing_of_entry(VALUE self, entry *own)
{
    *own = *(const entry *)rb_check_typeddata(self, &entry_type);
    return listing_of(own->listing);
}

/* All facts have this one method, under the name of each. */
static VALUE
entry_fact(VALUE self)
{
    entry own;
    const ws_ruby_listing *listing = listing_of_entry(self, &own);
    int field = number_of_field(ID2SYM(rb_frame_this_func()));
    check_asked(listing, field);
    return fact_of_row(&listing->walk.folders[own.place.folder]->listing, own.place.row, field);
}

static VALUE
entry_name(VALUE self)
{
    entry own;
    const ws_ruby_listing *listing = listing_of_entry(self, &own);
    return name_at(listing, own.index, own.place);
}

static VALUE
entry_path(VALUE self)
{
    entry own;
    const ws_ruby_listing *listing = listing_of_entry(self, &own);
    return NIL_P(listing->paths) ? path_at(listing, own.place.folder, own.place.row)
                                 : name_at(listing, own.index, own.place);
}

static VALUE
entry_error(VALUE self)
{
    entry own;
    const ws_ruby_listing *listing = listing_of_entry(self, &own);
    int error_number = listing->walk.folders[own.place.folder]->listing.rows[own.place.row].error_number;
    return error_number == 0 ? Qnil : ws_listing_error(listing, own.place, error_number);
}

static void
init_entry(VALUE file_system)
{
    rubys.entry = rb_define_class_under(file_system, "Entry", rb_cObject);
    rb_undef_alloc_func(rubys.entry);
    for (int i = 0; i < FIELD_COUNT; i++) rb_define_method(rubys.entry, fields[i].name, entry_fact, 0);
    rb_define_method(rubys.entry, "name", entry_name, 0);
    rb_define_method(rubys.entry, "path", entry_path, 0);
    rb_define_method(rubys.entry, "error", entry_error, 0);
    rb_gc_register_mark_object(rubys.entry);
}

/* ---- Listing's methods ---- */

static VALUE
listing_size(VALUE self)
{
    return UINT2NUM(count_of(listing_of(self)));
}

/* Columns are filled in portions, because rb_ary_push checks its room for each value. */
enum { VALUES_AT_ONCE = 128 };

typedef struct portion {
    VALUE column;
    long count;
    VALUE values[VALUES_AT_ONCE];
} portion;

static void
flush(portion *own)
{
    rb_ary_cat(own->column, own->values, own->count);
    own->count = 0;
}

static void
add(portion *own, VALUE value)
{
    own->values[own->count++] = value;
    if (own->count == VALUES_AT_ONCE) flush(own);
}

/* Returns the names in the order of all columns. They are as Dir.children gives them, for files in sub-folders with the
 * path from the scanned folder, and for a list the paths as given. */
static VALUE
listing_names(VALUE self)
{
    const ws_ruby_listing *listing = listing_of(self);
    if (!NIL_P(listing->paths)) return rb_ary_dup(listing->paths);
    uint32_t count = count_of(listing);
    int encoding = encoding_of_names();
    portion own = { .column = rb_ary_new_capa(count) };
    for (uint32_t i = 0; i < count; i++) {
        ws_walk_place place = listing->walk.places[i];
        add(&own, name_of_row(listing->walk.folders[place.folder], place.row, encoding));
    }
    flush(&own);
    RB_GC_GUARD(self);
    return own.column;
}

static VALUE
listing_column(VALUE self, VALUE symbol)
{
    const ws_ruby_listing *listing = listing_of(self);
    int field = number_of_field(symbol);
    check_asked(listing, field);
    uint32_t count = count_of(listing);
    portion own = { .column = rb_ary_new_capa(count) };
    for (uint32_t i = 0; i < count; i++) {
        ws_walk_place place = place_of(listing, i);
        add(&own, fact_of_row(&listing->walk.folders[place.folder]->listing, place.row, field));
    }
    flush(&own);
    RB_GC_GUARD(self);
    return own.column;
}

static VALUE
listing_enumerator_size(VALUE self, VALUE arguments, VALUE enumerator)
{
    return listing_size(self);
}

static VALUE
listing_each(VALUE self)
{
    RETURN_SIZED_ENUMERATOR(self, 0, 0, listing_enumerator_size);
    const ws_ruby_listing *listing = listing_of(self);
    for (uint32_t i = 0; i < count_of(listing); i++) rb_yield(ws_entry_new(self, i, place_of(listing, i)));
    return self;
}

static VALUE
listing_at(VALUE self, VALUE index)
{
    const ws_ruby_listing *listing = listing_of(self);
    long at = NUM2LONG(index), count = (long)count_of(listing);
    if (at < 0) at += count;
    return at < 0 || at >= count ? Qnil : ws_entry_new(self, (uint32_t)at, place_of(listing, (uint32_t)at));
}

/* Returns the errors of folders that could not be listed (errors: :keep), as exceptions. */
static VALUE
listing_folder_errors(VALUE self)
{
    const ws_ruby_listing *listing = listing_of(self);
    VALUE errors = rb_ary_new();
    for (uint32_t i = 0; i < listing->walk.folder_count; i++) {
        int error_number = listing->walk.folders[i]->error_number;
        if (error_number != 0 && !ws_walk_is_vanished(error_number))
            rb_ary_push(errors, ws_listing_error(listing, (ws_walk_place){ i, UINT32_MAX }, error_number));
    }
    return errors;
}

static VALUE
listing_thread_count(VALUE self)
{
    return UINT2NUM(listing_of(self)->walk.thread_count);
}

void
ws_init_file_system_listing(VALUE file_system)
{
    VALUE listing = rb_define_class_under(file_system, "Listing", rb_cObject);
    rb_undef_alloc_func(listing);
    rb_include_module(listing, rb_mEnumerable);
    rb_define_method(listing, "size", listing_size, 0);
    rb_define_method(listing, "names", listing_names, 0);
    rb_define_method(listing, "each", listing_each, 0);
    rb_define_method(listing, "folder_errors", listing_folder_errors, 0);
    rb_define_method(listing, "thread_count", listing_thread_count, 0);
    rb_define_method(listing, "[]", listing_at, 1);
    rb_define_method(listing, "column", listing_column, 1);
    intern_names();
    init_entry(file_system);
}
