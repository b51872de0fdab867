/* Validation by listings: where a listing brings metadata along (ws_listings_tell_metadata), one of a folder answers
 * for all of its files that a boot is going to ask about, if that costs less than a call for each.
 *
 * Who calls: validation_ahead.c, for the first load of a file whose metadata may be had before its turn
 * (docs/invalidation.md says which those are, and how long). What costs less is measured, here and now: calls by name,
 * the listing itself, and names in the folder that nobody asks about. A listing can only confirm what the image knows
 * of a file; whoever does not find that confirmed makes the call. One at a time, from one thread. */
#ifndef WARMSTART_CORE_LISTING_VALIDATION_H
#define WARMSTART_CORE_LISTING_VALIDATION_H

#include "core/file_system/file_system.h"

typedef struct ws_expectations ws_expectations;

/* What the image knows of a file's metadata: size and times. The path must live until ws_listings_end. Of a path
 * that is added twice the last one counts. False: no memory; more need not be added. */
bool ws_expect_file(ws_expectations *expectations, const char *path, size_t size, const ws_stat *stat);

/* Adds the files that the boot is going to ask about. */
typedef void (*ws_expectation_source)(void *data, ws_expectations *expectations);

/* From now on. Ends what was offered before. */
void ws_listings_offer(ws_expectation_source source, void *data);
/* What was listed and not asked for is forgotten; the next question begins anew. What was measured stays. */
void ws_listings_forget(void);
void ws_listings_end(void);
/* In a fork's child, where nothing of it can be touched any more: as if nothing had been offered. */
void ws_listings_abandon_after_fork(void);

/* Is there anything to be asked? */
bool ws_listings_are_offered(void);

/* A call by name took so long. */
void ws_listings_note_call(int64_t nanoseconds);
/* Is the file as the image knows it, as a listing tells that was made since the offer, or that is worth making now?
 * *stat is then what the call by name would tell. threads: how many make calls by name at once. False: make the call.
 * To be asked once a path. */
bool ws_listings_answer(const char *path, uint32_t threads, ws_stat *stat);

/* What was done in this process. names: all that the listings told; answers: calls that were not made. */
typedef struct ws_listings_counts {
    uint64_t listings, names, answers;
} ws_listings_counts;
ws_listings_counts ws_listings_counts_get(void);

#endif
