/* Tells people and tests about standbys. */
#include "client.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long
resident_megabytes(uint32_t pid)
{
    char path[32], text[128];
    long resident = 0;
    snprintf(path, sizeof path, "/proc/%u/statm", pid);
    ws_read_text(path, text, sizeof text);
    sscanf(text, "%*s %ld", &resident);
    return resident * (sysconf(_SC_PAGESIZE) / 1024) / 1024;
}

/* How many bytes the character has that begins here, in UTF-8. Where it is none, so many become one U+FFFD, as in
 * String#scrub. */
static size_t
character_size(const char *text, bool *valid)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t size = *at < 0x80 ? 1 : *at < 0xC2 ? 0 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : *at < 0xF5 ? 4 : 0, known = 1;
    unsigned char low = *at == 0xE0   ? 0xA0
                        : *at == 0xF0 ? 0x90
                                      : 0x80,
                  high = *at == 0xED   ? 0x9F
                         : *at == 0xF4 ? 0x8F
                                       : 0xBF;
    for (; known < size && at[known] >= low && at[known] <= high; known++) low = 0x80, high = 0xBF;
    *valid = known == size;
    return known;
}

static void
print_text(const char *text)
{
    putchar('"');
    bool valid;
    for (size_t size; *text; text += size) {
        size = character_size(text, &valid);
        if (!valid) printf("\xEF\xBF\xBD");
        else if (*text == '"' || *text == '\\') printf("\\%c", *text);
        else if ((unsigned char)*text < ' ') printf("\\u%04x", (unsigned char)*text);
        else printf("%.*s", (int)size, text);
    }
    putchar('"');
}

static int misses;

static void
count_misses(const char *reason, int count)
{
    misses += count;
}

static void
print_reason(const char *reason, int count)
{
    printf("  %5d  %s\n", count, reason);
}

static const char *between_reasons;

static void
print_reason_as_json(const char *reason, int count)
{
    printf("%s", between_reasons);
    print_text(reason);
    printf(": %d", count);
    between_reasons = ", ";
}

/* What is told about a standby. */
typedef struct ws_state {
    const char *name, *why; /* why: it can be no standby, or "" */
    long long seconds;      /* it has waited for so long */
    long megabytes;
} ws_state;

static ws_state
state_of(const ws_store_walk *walk)
{
    const ws_trace_header *header = walk->header;
    if (header->state == WS_TRACE_WAITING)
        return (ws_state){ "waits", "", (long long)(time(NULL) - header->waiting_since),
                           resident_megabytes(header->pid) };
    bool unfit = header->state == WS_TRACE_UNFIT && !ws_store_is_tried(walk->name);
    return (ws_state){ unfit ? "unfit" : "boots", unfit ? header->why : "", 0, 0 };
}

static void
print_as_json(const ws_store_walk *walk, bool first)
{
    ws_state state = state_of(walk);
    printf("%s\n  {\"command\": ", first ? "" : ",");
    print_text(walk->header->command);
    printf(", \"state\": \"%s\", \"pid\": %u, \"seconds\": %lld, \"megabytes\": %ld, \"commands\": %u, \"why\": ",
           state.name, walk->header->pid, state.seconds, state.megabytes, walk->header->hits);
    print_text(state.why);
    printf(", \"hits\": %d, \"misses\": {", ws_store_notes(walk->name, NULL));
    between_reasons = "";
    ws_store_notes(walk->name, print_reason_as_json);
    printf("}}");
}

/* A row of the table, and below it why commands were the ordinary ones, with how often. */
static void
print_row(const ws_store_walk *walk, int width)
{
    ws_state state = state_of(walk);
    char since[32] = "-", size[32] = "-";
    if (strcmp(state.name, "waits") == 0) {
        long long minutes = state.seconds / 60;
        if (minutes < 2) snprintf(since, sizeof since, "%lld s", state.seconds);
        else if (minutes < 120) snprintf(since, sizeof since, "%lld min", minutes);
        else snprintf(since, sizeof since, "%lld h", minutes / 60);
        snprintf(size, sizeof size, "%ld MB", state.megabytes);
    }
    misses = 0;
    int hits = ws_store_notes(walk->name, count_misses);
    printf("%-*s  %-5s  %7s  %7s  %5d  %6d\n", width, walk->header->command, state.name, since, size, hits, misses);
    if (*state.why) printf("         it can have none: %s\n", state.why);
    ws_store_notes(walk->name, print_reason);
}

enum { COMMAND_WIDTH = 60 }; /* a longer command moves the rest of its own row */

/* Goes to the next standby; one that was killed is cleared away. */
static bool
next_standby(ws_store_walk *walk)
{
    while (ws_store_next(walk)) {
        bool killed = walk->header->state == WS_TRACE_WAITING && !ws_store_is_running(walk->header);
        if (!killed) return true;
        ws_store_end(walk->name);
    }
    return false;
}

int
ws_standbys_tell(bool json)
{
    int count = 0, width = (int)strlen("command");
    bool there = ws_store_find(false);
    ws_store_walk walk = { 0 };
    while (there && !json && next_standby(&walk)) {
        int size = (int)strlen(walk.header->command);
        if (size > width && size <= COMMAND_WIDTH) width = size;
    }
    if (json) printf("[");
    for (walk = (ws_store_walk){ 0 }; there && next_standby(&walk); count++) {
        if (!json && count == 0) printf("%-*s  state    since   memory   hits  misses\n", width, "command");
        if (json) print_as_json(&walk, count == 0);
        else print_row(&walk, width);
    }
    if (json) printf("%s]\n", count ? "\n" : "");
    else if (count == 0) printf("no standbys\n");
    return 0;
}

void
ws_verdict_tell(const char *reason, bool json)
{
    const char *unchanged = "all that its boot has asked is unchanged";
    if (!json) {
        printf("%sfrom a standby: %s\n", reason ? "not " : "", reason ? reason : unchanged);
        return;
    }
    printf("{\"standby\": %s, \"why\": ", reason ? "false" : "true");
    print_text(reason ? reason : unchanged);
    printf("}\n");
}

int
ws_standbys_end(void)
{
    int count = 0;
    ws_store_walk walk = { 0 };
    if (ws_store_find(false)) {
        ws_store_mark_stop();
        for (; ws_store_next(&walk); count++) {
            /* (A boot has had no effect yet.) */
            if (walk.header->state == WS_TRACE_BOOTING) ws_store_kill(walk.header, false);
            ws_store_end(walk.name);
            unlink(ws_store_path(walk.name, "notes"));
        }
    }
    printf("ended: %d\n", count);
    return 0;
}

/* Everything that a standby has asked of the outside, for tests and for people who wonder. */
int
ws_inputs_tell(void)
{
    static const char *const WHAT[] = { "stat",     "lstat",    "open", "list",       "access",
                                        "readlink", "realpath", "same", "absent from" };
    ws_store_walk walk = { 0 };
    if (!ws_store_find(false)) return 0;
    while (ws_store_next(&walk)) {
        printf("%s\n", walk.header->command);
        bool whole = ws_store_is_whole(walk.name, walk.header);
        for (ws_asked *asked = NULL; whole && (asked = ws_asked_next(walk.header, asked));)
            printf("  %s %s%s%s\n", asked->what < WS_ASKED_COUNT ? WHAT[asked->what] : "?", asked->texts,
                   asked->error ? ": " : "", asked->error ? strerror(asked->error) : "");
    }
    return 0;
}
