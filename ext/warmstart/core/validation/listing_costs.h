/* What a listing costs, and what calls by name cost, as measured in this process; and which is cheaper. Pure. Who
 * calls: listing_validation.c. */
#ifndef WARMSTART_CORE_LISTING_COSTS_H
#define WARMSTART_CORE_LISTING_COSTS_H

#include <stdbool.h>
#include <stdint.h>

/* Times in nanoseconds. */
typedef struct ws_listing_costs {
    uint64_t calls; /* by name, that were measured */
    double call;    /* what one costs: a mean in which the latest counts a quarter */
    uint64_t listings;
    double names, ours, time, names_squared, names_time; /* sums over the listings */
} ws_listing_costs;

void ws_listing_costs_forget(ws_listing_costs *costs);
void ws_listing_costs_note_call(ws_listing_costs *costs, int64_t took);
/* A listing told `names`, `ours` of which were going to be asked for; it took so long. */
void ws_listing_costs_note(ws_listing_costs *costs, uint64_t names, uint64_t ours, int64_t took);

/* Is a folder's listing worth it, if so many of its files are going to be asked for, and so many threads make calls by
 * name at once? How many names it may tell before it costs more than it saves; 0: it is not worth it. */
uint32_t ws_listing_costs_decide(const ws_listing_costs *costs, uint32_t files, uint32_t threads);

/* What a listing of so many names costs. */
double ws_listing_costs_of(const ws_listing_costs *costs, double names);

#endif
