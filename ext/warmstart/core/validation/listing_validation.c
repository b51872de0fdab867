/* One listing in place of calls for many files: see listing_validation.h.
 *
 * Files are kept by folder and name. When the first file of a folder is asked for, the costs decide. They compare a
 * listing with as many calls by name as the folder has files left. A listing costs a fixed amount and an amount for
 * each name, estimated by fitting a line to the listings so far. The first listing is a trial, of a folder with some of
 * our files. Each listing ends where it has cost as much as the calls would have. */
#include "core/validation/listing_validation.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"
#include "core/bytes/table.h"
#include "core/validation/listing_costs.h"
#include "core/bytes/string_pool.h"
#include "core/bytes/vector.h"
#include "core/system/clock.h"

#define CALLS_WATCHED 3u   /* calls before the first decision, because the very first call finds nothing in any cache */
#define OFFERS_MAXIMUM 32u /* a program that pauses so often is not booting */
#define NOBODY UINT32_MAX

typedef struct expected_file {
    const char *name;
    uint32_t name_size, folder;
    uint32_t next; /* the next file of the same folder, or NOBODY */
    bool confirmed, asked;
    ws_stat stat; /* what the image knows; once confirmed, what the call by name would return */
} expected_file;

typedef struct expected_folder {
    uint32_t first_file;
    uint32_t left; /* files that have not been asked for yet */
    bool is_decided;
} expected_folder;

struct ws_expectations {
    ws_string_pool names; /* names of the folders, whose numbers are those of their names; names that were only asked
                             for follow them */
    expected_folder *folders;
    uint32_t folder_count;
    size_t folder_capacity;
    expected_file *files;
    uint32_t count;
    size_t capacity;
    ws_table numbers; /* numbers of the files */
};

static struct {
    ws_expectation_source source; /* names the files */
    bool offered;
    uint32_t offers;          /* how often the files were named since they were offered */
    ws_expectations *current; /* NULL: they are named when the first of them is asked for */
    ws_listing_costs costs;
    ws_listings_counts counts;
} listings;

/* ---- The files ---- */

/* Returns WS_NO_NUMBER if no such file is expected. */
static uint32_t
file_number(const ws_expectations *expectations, uint32_t folder, const char *name, size_t size)
{
    uint32_t number;
    ws_probe probe = ws_table_probe(&expectations->numbers, ws_hash64(name, size, folder));
    while ((number = ws_table_next(&probe)) != WS_NO_NUMBER) {
        const expected_file *file = &expectations->files[number];
        if (file->folder == folder && file->name_size == size && memcmp(file->name, name, size) == 0) break;
    }
    return number;
}

size_t
ws_folder_size_of(const char *path, size_t size)
{
    while (size > 0 && path[size - 1] != '/') size--;
    return size > 1 ? size - 1 : 0;
}

bool
ws_expect_file(ws_expectations *expectations, const char *path, size_t size, const ws_stat *stat)
{
    size_t folder_size = ws_folder_size_of(path, size);
    if (folder_size == 0 || folder_size + 1 == size) return true;
    uint32_t folder = ws_string_pool_intern(&expectations->names, path, folder_size);
    if (folder == UINT32_MAX || !WS_RESERVE(expectations->folders, expectations->folder_capacity, folder + 1))
        return false;
    if (folder == expectations->folder_count)
        expectations->folders[expectations->folder_count++] = (expected_folder){ .first_file = NOBODY };

    const char *name = path + folder_size + 1;
    size_t name_size = size - folder_size - 1;
    uint32_t number = file_number(expectations, folder, name, name_size);
    if (number == WS_NO_NUMBER) {
        if (!ws_table_reserve(&expectations->numbers, 1) ||
            !WS_RESERVE(expectations->files, expectations->capacity, expectations->count + 1))
            return false;
        expected_folder *owner = &expectations->folders[folder];
        number = expectations->count++;
        expectations->files[number] = (expected_file){
            .name = name, .name_size = (uint32_t)name_size, .folder = folder, .next = owner->first_file
        };
        owner->first_file = number;
        owner->left++;
        ws_table_add(&expectations->numbers, ws_hash64(name, name_size, folder), number);
    }
    expectations->files[number].stat = *stat;
    return true;
}

static void
drop(void)
{
    if (!listings.current) return;
    ws_string_pool_free(&listings.current->names);
    free(listings.current->folders);
    free(listings.current->files);
    ws_table_free(&listings.current->numbers);
    free(listings.current);
    listings.current = NULL;
}

/* ---- Offering files ---- */

void
ws_listings_offer(ws_expectation_source source)
{
    ws_listings_end();
    listings.source = source;
    listings.offered = true;
    listings.offers = 0;
    ws_listing_costs_forget(&listings.costs);
}

void
ws_listings_forget(void)
{
    drop();
    if (listings.offers >= OFFERS_MAXIMUM) listings.offered = false;
}

void
ws_listings_end(void)
{
    drop();
    listings.offered = false;
}

void
ws_listings_abandon_after_fork(void)
{
    listings.current = NULL;
    listings.offered = false;
}

bool
ws_listings_are_offered(void)
{
    return listings.offered;
}

static bool
begin(void)
{
    if (listings.current) return true;
    listings.current = calloc(1, sizeof *listings.current);
    if (!listings.current) return false;
    listings.offers++;
    listings.source(listings.current);
    if (listings.current->count == 0) ws_listings_end();
    return listings.current != NULL;
}

/* ---- Listing ---- */

static bool
is_confirmed(const ws_stat *known, const ws_stat *told)
{
    return told->type == WS_TYPE_REGULAR && told->size == known->size && told->mtime == known->mtime &&
           told->ctime == known->ctime;
}

static void
confirm(ws_expectations *expectations, uint32_t folder, const ws_listing *listing)
{
    for (uint32_t row = 0; row < listing->count; row++) {
        uint32_t number =
            file_number(expectations, folder, ws_listing_name(listing, row), listing->rows[row].name_size);
        if (number == WS_NO_NUMBER) continue;
        expected_file *file = &expectations->files[number];
        ws_stat stat = listing->stats[row];
        stat.device = stat.inode = 0; /* unknown, as in a call by name on the systems whose listings tell metadata */
        /* Only a call by name tells what a link leads to, or what the system substitutes for a name. */
        if (ws_row_lacks(listing, &listing->rows[row]) || !(listing->rows[row].known & WS_ROW_IS_PLAIN)) continue;
        if (file->asked || !is_confirmed(&file->stat, &stat)) continue;
        file->confirmed = true;
        file->stat = stat;
    }
}

/* Returns false if the folder cannot be listed, or if its listing does not describe the files exactly. Another folder's
 * listing would hardly be better. */
static bool
list(ws_expectations *expectations, uint32_t number, uint32_t limit)
{
    ws_listing listing = { .fields = WS_FIELDS_IN_ROW | WS_FIELD_CTIME | WS_FIELD_MODE, .limit = limit };
    const char *path = ws_string_pool_get(&expectations->names, number);
    uint32_t ours = expectations->folders[number].left;
    ws_folder opened;

    int64_t began = ws_clock_now();
    if (ws_folder_open(WS_FOLDER_CURRENT, path, true, &opened) != 0) return false;
    bool is_listed = ws_folder_listing_is_exact(opened) && ws_folder_list(opened, &listing) == 0;
    if (is_listed) confirm(expectations, number, &listing);
    ws_folder_close(opened);
    ws_listing_costs_note(&listings.costs, listing.count, ours, ws_clock_now() - began);
    ws_stat_count(WS_CALLS_OF_A_LISTING);
    listings.counts.listings++;
    listings.counts.names += listing.count;
    ws_listing_free(&listing);
    return is_listed;
}

/* ---- Asking ---- */

void
ws_listings_note_call(int64_t nanoseconds)
{
    ws_listing_costs_note_call(&listings.costs, nanoseconds);
}

static expected_file *
find_file(const char *path)
{
    size_t size = strlen(path), folder_size = ws_folder_size_of(path, size);
    if (folder_size == 0) return NULL;
    uint32_t folder = ws_string_pool_intern(&listings.current->names, path, folder_size);
    if (folder >= listings.current->folder_count) return NULL;
    uint32_t number = file_number(listings.current, folder, path + folder_size + 1, size - folder_size - 1);
    return number == WS_NO_NUMBER || listings.current->files[number].asked ? NULL : &listings.current->files[number];
}

bool
ws_listings_answer(const char *path, uint32_t threads, ws_stat *stat)
{
    if (!listings.offered || listings.costs.calls < CALLS_WATCHED || !begin()) return false;
    expected_file *file = find_file(path);
    if (!file) return false;
    expected_folder *folder = &listings.current->folders[file->folder];
    uint32_t limit = folder->is_decided ? 0 : ws_listing_costs_decide(&listings.costs, folder->left, threads);
    folder->is_decided = folder->is_decided || limit > 0 || listings.costs.listings > 0;
    if (limit > 0 && !list(listings.current, file->folder, limit)) {
        ws_listings_end();
        return false;
    }
    file->asked = true;
    folder->left--;
    if (!file->confirmed) return false;
    *stat = file->stat;
    listings.counts.answers++;
    return true;
}

ws_listings_counts
ws_listings_counts_get(void)
{
    return listings.counts;
}
