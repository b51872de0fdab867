/* The costs of listings and of calls by name, as measured in this process, and the decision which are cheaper. Pure.
 * listing_validation.c and the threads of validation ahead use it. */
#ifndef WARMSTART_CORE_LISTING_COSTS_H
#define WARMSTART_CORE_LISTING_COSTS_H

#include <stdbool.h>
#include <stdint.h>

/* Times are in nanoseconds. */
typedef struct ws_listing_costs {
    uint64_t calls; /* the number of calls by name that were measured */
    double call;    /* the cost of one call: a mean in which the latest counts for a quarter */
    uint64_t listings;
    double names, ours, time, names_squared, names_time; /* sums over the listings */
} ws_listing_costs;

void ws_listing_costs_forget(ws_listing_costs *costs);
void ws_listing_costs_note_call(ws_listing_costs *costs, int64_t took);
/* Notes that a listing had `names` names, that we were going to ask about `ours` of them, and that it took so long. */
void ws_listing_costs_note(ws_listing_costs *costs, uint64_t names, uint64_t ours, int64_t took);

/* Is listing a folder worthwhile, if we are going to ask about so many of its files, and so many threads make calls by
 * name at once? Returns how many names the listing may have before it costs more than it saves; 0 if it is not
 * worthwhile. */
uint32_t ws_listing_costs_decide(const ws_listing_costs *costs, uint32_t files, uint32_t threads);

#endif
