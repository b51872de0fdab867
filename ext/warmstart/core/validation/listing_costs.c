/* Decides whether a listing or calls by name are cheaper: see listing_costs.h. */
#include "core/validation/listing_costs.h"

#include "core/file_system/file_system.h"

#define CALL_MAXIMUM 8.0    /* times the mean so far: a call that took longer waited for something else */
#define NAMES_AT_LEAST 64.0 /* a listing may always read so many names: one block of the system's has more */
#define TRIAL_NAMES 16.0    /* the first listing may have so many names for each of our files */

void
ws_listing_costs_forget(ws_listing_costs *costs)
{
    *costs = (ws_listing_costs){ .calls = 0 };
}

void
ws_listing_costs_note_call(ws_listing_costs *costs, int64_t took)
{
    double time = took > 0 ? (double)took : 0;

    /* The first call finds nothing in any cache, so its time is only used until there is a second one. */
    if (costs->calls < 2) costs->call = time;
    else {
        if (time > CALL_MAXIMUM * costs->call) time = CALL_MAXIMUM * costs->call;
        costs->call = (3 * costs->call + time) / 4;
    }
    costs->calls++;
}

void
ws_listing_costs_note(ws_listing_costs *costs, uint64_t names, uint64_t ours, int64_t took)
{
    double count = (double)names, time = took > 0 ? (double)took : 0;

    costs->listings++;
    costs->names += count;
    costs->ours += (double)ours;
    costs->time += time;
    costs->names_squared += count * count;
    costs->names_time += count * time;
}

/* Fits a line to the measurements: *base is the cost of the listing itself, *each that of one name. One listing, or
 * several with the same number of names, cannot separate the two; then each gets half of the time. */
static void
fit(const ws_listing_costs *costs, double *base, double *each)
{
    double count = (double)costs->listings, mean_names = costs->names / count, mean_time = costs->time / count;
    double spread = costs->names_squared - costs->names * mean_names;

    *each = spread > mean_names ? (costs->names_time - costs->names * mean_time) / spread
            : mean_names > 0    ? mean_time / 2 / mean_names
                                : 0;
    if (*each < 0) *each = 0;
    *base = mean_time - *each * mean_names;
    if (*base < 0) {
        *base = 0;
        *each = mean_names > 0 ? mean_time / mean_names : 0;
    }
}

uint32_t
ws_listing_costs_decide(const ws_listing_costs *costs, uint32_t files, uint32_t threads)
{
    double base, each;

    if (threads < 1) threads = 1;
    if (costs->listings == 0) {
        /* Could the very first listing be cheaper, if each of its calls costs as much as a call by name? */
        if (files <= WS_CALLS_OF_A_LISTING * threads) return 0;
        return (uint32_t)(TRIAL_NAMES * files + NAMES_AT_LEAST);
    }
    fit(costs, &base, &each);
    double gain = files * costs->call / threads;
    double names = files * (costs->ours > 0 && costs->names > costs->ours ? costs->names / costs->ours : 1);
    if (base + each * names >= gain) return 0;
    double limit = each > 0 ? (gain - base) / each : gain;
    if (limit < NAMES_AT_LEAST) limit = NAMES_AT_LEAST;
    return limit < UINT32_MAX / 2 ? (uint32_t)limit : UINT32_MAX / 2;
}
