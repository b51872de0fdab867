/* Warmstart::FileSystem::Entry: one name of a listing. It points into the listing and makes Strings only when it is
 * asked. */
#include "core/file_system/file_system.h"
#include "core/file_system/file_system_walk.h"
#include "ruby/file_system/listing.h"

static VALUE entry_class;

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
    VALUE self = TypedData_Make_Struct(entry_class, entry, &entry_type, own);
    own->index = index;
    own->place = place;
    own->listing = listing; /* it is not write-barrier protected, so it is marked at each collection */
    return self;
}

static const ws_ruby_listing *
listing_of_entry(VALUE self, entry *own)
{
    *own = *(const entry *)rb_check_typeddata(self, &entry_type);
    return ws_listing_of(own->listing);
}

/* All facts have this one method, under the name of each. */
static VALUE
entry_fact(VALUE self)
{
    entry own;
    const ws_ruby_listing *listing = listing_of_entry(self, &own);
    return ws_listing_fact(listing, own.place, ID2SYM(rb_frame_this_func()));
}

static VALUE
entry_name(VALUE self)
{
    entry own;
    const ws_ruby_listing *listing = listing_of_entry(self, &own);
    return ws_listing_name_at(listing, own.index, own.place);
}

static VALUE
entry_path(VALUE self)
{
    entry own;
    const ws_ruby_listing *listing = listing_of_entry(self, &own);
    return NIL_P(listing->paths) ? ws_listing_path(listing, own.place.folder, own.place.row)
                                 : ws_listing_name_at(listing, own.index, own.place);
}

static const ws_row *
row_of(const ws_ruby_listing *listing, ws_walk_place place)
{
    return &listing->walk.folders[place.folder]->listing.rows[place.row];
}

static VALUE
entry_error(VALUE self)
{
    entry own;
    const ws_ruby_listing *listing = listing_of_entry(self, &own);
    int error_number = row_of(listing, own.place)->error_number;
    return error_number == 0 ? Qnil : ws_listing_error(listing, own.place, error_number);
}

void
ws_init_file_system_entry(VALUE file_system)
{
    static const char *const facts[] = { "type", "size",  "mtime", "ctime", "inode", "device",
                                         "mode", "links", "owner", "group", "acl" };
    entry_class = rb_define_class_under(file_system, "Entry", rb_cObject);
    rb_undef_alloc_func(entry_class);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) rb_define_method(entry_class, facts[i], entry_fact, 0);
    rb_define_method(entry_class, "name", entry_name, 0);
    rb_define_method(entry_class, "path", entry_path, 0);
    rb_define_method(entry_class, "error", entry_error, 0);
    rb_gc_register_mark_object(entry_class);
}
