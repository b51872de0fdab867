/* Validation by listings. Where a listing includes metadata (ws_listings_tell_metadata), one listing of a folder
 * answers for all of the folder's files that a boot is going to ask about, if it costs less than a call for each.
 *
 * validation_ahead.c uses it for the first load of a file whose metadata may be read ahead of time
 * (docs/loading.md says which files those are, and for how long). The costs are measured in this process: those of
 * calls by name, of the listing itself, and of the names in the folder that nobody asks about. A listing can only
 * confirm what the image knows about a file. If it does not confirm a file, the caller makes the call. There is one
 * offer at a time, and only one thread calls these functions. */
#ifndef WARMSTART_CORE_LISTING_VALIDATION_H
#define WARMSTART_CORE_LISTING_VALIDATION_H

#include "core/file_system/file_system.h"

typedef struct ws_expectations ws_expectations;

/* The size of the path's folder without its separator, or 0 if there is no folder. */
size_t ws_folder_size_of(const char *path, size_t size);

/* Adds what the image knows of a file's metadata: size and times. The path must live until ws_listings_end. If a path
 * is added twice, the last one counts. Returns false without memory; then more need not be added. */
bool ws_expect_file(ws_expectations *expectations, const char *path, size_t size, const ws_stat *stat);

/* Adds the files that the boot is going to ask about. */
typedef void (*ws_expectation_source)(ws_expectations *expectations);

/* Starts using this source, and ends what was offered before. */
void ws_listings_offer(ws_expectation_source source);
/* Forgets what was listed and not asked for, so that the next question starts again. Keeps what was measured. */
void ws_listings_forget(void);
void ws_listings_end(void);
/* For a fork's child, where these data must not be touched any more. Afterwards it is as if nothing had been
 * offered. */
void ws_listings_abandon_after_fork(void);

/* Is anything offered, so that asking makes sense? */
bool ws_listings_are_offered(void);

/* Notes how long a call by name took. */
void ws_listings_note_call(int64_t nanoseconds);
/* Is the file as the image knows it? A listing answers that was made since the offer, or that is worth making now. If
 * so, *stat is what the call by name would return. If it returns false, the caller makes the call. `threads` is how
 * many threads make calls by name at once. Ask once per path. */
bool ws_listings_answer(const char *path, uint32_t threads, ws_stat *stat);

/* What was done in this process. names: all names in the listings; answers: calls that were saved. */
typedef struct ws_listings_counts {
    uint64_t listings, names, answers;
} ws_listings_counts;
ws_listings_counts ws_listings_counts_get(void);

#endif
