/* Counts and reports hits, misses, stale and revalidated files; the lines that we print. */
#ifndef WARMSTART_RUBY_EVENTS_H
#define WARMSTART_RUBY_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <ruby.h>

#ifdef __MINGW_PRINTF_FORMAT
#define WS_PRINTF __MINGW_PRINTF_FORMAT
#else
#define WS_PRINTF printf
#endif

typedef enum ws_event { WS_EVENT_HIT, WS_EVENT_MISS, WS_EVENT_STALE, WS_EVENT_REVALIDATED, WS_EVENT_COUNT } ws_event;

/* Counts; calls Warmstart.instrumentation when one is set. reason: static text, or NULL. Never raises. */
void ws_event_report(ws_event event, const char *reason, const char *path, size_t path_size);
/* One line on stderr, "warmstart: ...", at most one a process unless WARMSTART_LOG. */
void ws_complain(const char *format, ...) __attribute__((format(WS_PRINTF, 1, 2)));
extern bool ws_log_enabled;
void ws_log(const char *format, ...) __attribute__((format(WS_PRINTF, 1, 2)));

void ws_init_events(VALUE native);

#endif
