/* Runs operations on the file system without Ruby's lock: Warmstart::FileSystem::Listing.scan and .stat, which
 * lib/warmstart/file_system.rb calls.
 *
 * A signal, Thread#raise or Timeout interrupts an operation within one system call. If that raises an exception,
 * everything is closed. Otherwise the operation goes on where it stopped. */
#include <errno.h>
#include <stdlib.h>

#include <ruby.h>
#include <ruby/encoding.h>
#include <ruby/thread.h>

#include "core/file_system/file_system.h"
#include "core/file_system/file_system_walk.h"
#include "ruby/file_system/listing.h"

/* ---- Running ---- */

typedef struct operation {
    VALUE self;
    ws_ruby_listing *listing;
    VALUE enter; /* called with each folder's Entry: should it be listed? nil: the options decide */
    bool raise_vanished;
    int result;
} operation;

static void *
run(void *argument)
{
    operation *own = argument;
    own->result = ws_walk_run(&own->listing->walk);
    return NULL;
}

static void
cancel(void *walk)
{
    ws_walk_cancel(walk);
}

static void
run_without_gvl(operation *own)
{
    do {
        ws_walk_continue(&own->listing->walk);
        own->listing->running = true;
        rb_thread_call_without_gvl(run, own, cancel, &own->listing->walk);
        own->listing->running = false;
        rb_thread_check_ints();
    } while (own->result == EINTR);
    if (own->result != 0) rb_memerror();
}

/* Asks the block about each folder found since `first`. The next run lists those for which it returns true. */
static bool
enter_folders(operation *own, uint32_t first)
{
    ws_walk *walk = &own->listing->walk;
    uint32_t known = walk->folder_count;
    for (uint32_t number = first; number < known; number++) {
        for (uint32_t row = 0; row < walk->folders[number]->listing.count; row++) {
            const ws_row *entry = &walk->folders[number]->listing.rows[row];
            if (entry->type != WS_LISTED_DIRECTORY || entry->error_number != 0) continue;
            VALUE given = ws_entry_new(own->self, UINT32_MAX, (ws_walk_place){ number, row });
            if (RTEST(rb_proc_call_with_block(own->enter, 1, &given, Qnil)) && !ws_walk_enter(walk, number, row))
                rb_memerror();
        }
    }
    return walk->folder_count > known;
}

static void
raise_failure(const operation *own)
{
    const ws_walk *walk = &own->listing->walk;
    if (walk->failed) {
        const ws_walk_folder *folder = walk->folders[walk->failed_at.folder];
        uint32_t row = walk->failed_at.row;
        rb_exc_raise(
            ws_listing_error(own->listing, walk->failed_at,
                             row == UINT32_MAX ? folder->error_number : folder->listing.rows[row].error_number));
    }
}

static void
raise_vanished(const operation *own)
{
    const ws_walk *walk = &own->listing->walk;
    for (uint32_t i = 0; i < walk->place_count; i++) {
        ws_walk_place place = walk->places[i];
        int error_number = walk->folders[place.folder]->listing.rows[place.row].error_number;
        if (error_number != 0) rb_exc_raise(ws_listing_error(own->listing, place, error_number));
    }
}

static VALUE
perform(VALUE argument)
{
    operation *own = (operation *)argument;
    ws_walk *walk = &own->listing->walk;
    for (uint32_t listed = 0;;) {
        uint32_t first = listed;
        listed = walk->folder_count;
        run_without_gvl(own);
        raise_failure(own);
        if (NIL_P(own->enter) || !enter_folders(own, first)) break;
    }
    if (!ws_walk_finish(walk)) rb_memerror();
    if (own->raise_vanished) raise_vanished(own);
    return own->self;
}

static VALUE
close_walk(VALUE argument)
{
    operation *own = (operation *)argument;
    own->listing->running = false;
    ws_walk_close(&own->listing->walk);
    return Qnil;
}

/* ---- What Ruby asks for ---- */

static uint32_t
fields_of(VALUE list)
{
    uint32_t fields = 0;
    Check_Type(list, T_ARRAY);
    for (long i = 0; i < RARRAY_LEN(list); i++) fields |= ws_field_of(RARRAY_AREF(list, i));
    return fields;
}

/* threads: nil or a number. Each flag is an argument of its own, which is easier to read than a String of letters. */
static ws_walk_options
options_of(VALUE fields, VALUE threads, VALUE keep_errors, VALUE vanished)
{
    ws_walk_options options = { .fields = fields_of(fields), .keep_errors = RTEST(keep_errors) };
    if (!NIL_P(threads)) {
        long count = NUM2LONG(threads);
        if (count < 1) rb_raise(rb_eArgError, "threads must be positive");
        options.threads = count < WS_WALK_THREADS_MAXIMUM ? (uint32_t)count : WS_WALK_THREADS_MAXIMUM;
    }
    ID policy = rb_sym2id(vanished);
    if (policy != rb_intern("skip") && policy != rb_intern("keep") && policy != rb_intern("raise"))
        rb_raise(rb_eArgError, "vanished must be :skip, :keep or :raise");
    options.keep_vanished = policy != rb_intern("skip");
    return options;
}

/* Takes a path as Dir and File do: it calls to_path, and refuses a NUL and encodings unlike ASCII. */
static VALUE
path_of(VALUE path)
{
    VALUE given = rb_get_path(path);
#ifdef _WIN32
    given = rb_str_conv_enc(given, rb_enc_get(given), rb_utf8_encoding());
#endif
    return rb_str_new_frozen(given);
}

static VALUE
new_listing(VALUE class, ws_ruby_listing **listing)
{
    VALUE self = TypedData_Make_Struct(class, ws_ruby_listing, &ws_listing_type, *listing);
    (*listing)->walk.root_folder = WS_FOLDER_NONE;
    (*listing)->root = (*listing)->paths = Qnil;
    return self;
}

/* call-seq: Listing.scan(directory, fields, recursive, enter, threads, keep_errors, vanished) -> Listing */
static VALUE
listing_scan(VALUE class, VALUE directory, VALUE fields, VALUE recursive, VALUE enter, VALUE threads, VALUE keep_errors,
             VALUE vanished)
{
    ws_walk_options options = options_of(fields, threads, keep_errors, vanished);
    options.recursive = RTEST(recursive) && NIL_P(enter);
    operation own = { .enter = enter, .raise_vanished = rb_sym2id(vanished) == rb_intern("raise") };
    VALUE root = path_of(directory);
    own.self = new_listing(class, &own.listing);
    RB_OBJ_WRITE(own.self, &own.listing->root, root);
    if (ws_walk_init(&own.listing->walk, StringValueCStr(root), &options) != 0) rb_memerror();
    return rb_ensure(perform, (VALUE)&own, close_walk, (VALUE)&own);
}

static void
init_paths(operation *own, VALUE paths, const ws_walk_options *options)
{
    uint32_t count = (uint32_t)RARRAY_LEN(paths);
    VALUE guard;
    const char **bytes = ALLOCV_N(const char *, guard, count > 0 ? 2 * (size_t)count : 1);
    size_t *sizes = (size_t *)(bytes + count);
    for (uint32_t i = 0; i < count; i++) {
        VALUE path = RARRAY_AREF(paths, i);
        bytes[i] = RSTRING_PTR(path);
        sizes[i] = (size_t)RSTRING_LEN(path);
    }
    own->listing->rows = malloc((count > 0 ? count : 1) * sizeof *own->listing->rows);
    int failed = own->listing->rows
                     ? ws_walk_init_paths(&own->listing->walk, bytes, sizes, count, options, own->listing->rows)
                     : ENOMEM;
    ALLOCV_END(guard);
    if (failed != 0) rb_memerror();
}

/* call-seq: Listing.stat(paths, fields, follow, threads, keep_errors, vanished) -> Listing */
static VALUE
listing_stat(VALUE class, VALUE list, VALUE fields, VALUE follow, VALUE threads, VALUE keep_errors, VALUE vanished)
{
    ws_walk_options options = options_of(fields, threads, keep_errors, vanished);
    operation own = { .enter = Qnil, .raise_vanished = rb_sym2id(vanished) == rb_intern("raise") };
    VALUE paths = rb_ary_new();
    Check_Type(list, T_ARRAY);
    for (long i = 0; i < RARRAY_LEN(list); i++) rb_ary_push(paths, path_of(RARRAY_AREF(list, i)));
    if (RARRAY_LEN(paths) >= INT32_MAX) rb_raise(rb_eArgError, "too many paths");
    options.follow = RTEST(follow);
    own.self = new_listing(class, &own.listing);
    RB_OBJ_WRITE(own.self, &own.listing->paths, rb_obj_freeze(paths));
    init_paths(&own, paths, &options);
    return rb_ensure(perform, (VALUE)&own, close_walk, (VALUE)&own);
}

void
ws_init_file_system(VALUE warmstart)
{
    VALUE file_system = rb_define_module_under(warmstart, "FileSystem");
    ws_init_file_system_listing(file_system);
    VALUE listing = rb_const_get(file_system, rb_intern("Listing"));
    rb_define_singleton_method(listing, "scan", listing_scan, 7);
    rb_define_singleton_method(listing, "stat", listing_stat, 6);
}
