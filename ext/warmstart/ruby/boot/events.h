/* Counts and reports hits, misses, stale and revalidated files, and prints Warmstart's messages. */
#ifndef WARMSTART_RUBY_EVENTS_H
#define WARMSTART_RUBY_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ruby.h>

#ifdef __MINGW_PRINTF_FORMAT
#define WS_PRINTF __MINGW_PRINTF_FORMAT
#else
#define WS_PRINTF printf
#endif

typedef enum ws_event { WS_EVENT_HIT, WS_EVENT_MISS, WS_EVENT_STALE, WS_EVENT_REVALIDATED, WS_EVENT_COUNT } ws_event;

/* How often each kind of thing has happened for each reason. Reasons are few and static; they are compared by content,
 * because the same reason may come from two places. A tally is all zeroes at first. A pair for which it has no room is
 * not counted. */
#define WS_TALLY_SIZE 64
typedef struct ws_tally {
    int kind;
    const char *reason;
    uint64_t count;
} ws_tally;
void ws_tally_count(ws_tally tally[WS_TALLY_SIZE], int kind, const char *reason_or_null);
/* {[:kind, :reason or nil] => count} */
VALUE ws_tally_hash(const ws_tally tally[WS_TALLY_SIZE], const char *const *kind_names);

/* Counts the event and calls Warmstart.instrumentation if that is set. reason: a static text, or NULL. An error of the
 * callback is not raised. */
void ws_event_report(ws_event event, const char *reason, const char *path, size_t path_size);
/* Prints one line on stderr, "warmstart: ...", and at most one in a process unless WARMSTART_LOG is set. */
void ws_complain(const char *format, ...) __attribute__((format(WS_PRINTF, 1, 2)));
extern bool ws_log_enabled;
void ws_log(const char *format, ...) __attribute__((format(WS_PRINTF, 1, 2)));

void ws_init_events(VALUE native);

#endif
