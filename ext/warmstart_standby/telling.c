/* Tells people and tests about standbys. */
#include "client.h"

#include <signal.h>
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

static void
print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') printf("\\%c", *text);
        else if ((unsigned char)*text < ' ') printf("\\u%04x", (unsigned char)*text);
        else putchar(*text);
    }
    putchar('"');
}

static void
print_reason(const char *reason, int count)
{
    printf("  lately the ordinary command, %d %s: %s\n", count, count == 1 ? "time" : "times", reason);
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

static void
print_standby(const ws_store_walk *walk, bool json, bool first)
{
    const ws_record_header *header = walk->header;
    bool waits = header->state == WS_RECORD_WAITING;
    bool unfit = header->state == WS_RECORD_UNFIT && !ws_store_is_tried(walk->name);
    long long seconds = waits ? (long long)(time(NULL) - header->waiting_since) : 0;
    long size = waits ? resident_megabytes(header->pid) : 0;
    const char *state = waits ? "waits" : unfit ? "unfit" : "boots", *why = unfit ? header->why : "";
    if (json) {
        printf("%s\n  {\"command\": ", first ? "" : ",");
        print_text(header->command);
        printf(", \"state\": \"%s\", \"pid\": %u, \"seconds\": %lld, \"megabytes\": %ld, \"commands\": %u, \"why\": ",
               state, header->pid, seconds, size, header->hits);
        print_text(why);
        printf(", \"misses\": {");
        between_reasons = "";
        ws_store_notes(walk->name, print_reason_as_json);
        printf("}}");
        return;
    }
    printf("%s\n", header->command);
    if (waits)
        printf("  waits since %lld s (pid %u, %ld MB); commands from it: %u\n", seconds, header->pid, size,
               header->hits);
    else printf("  %s%s%s\n", state, unfit ? ": " : "", why);
    int hits = ws_store_notes(walk->name, NULL);
    printf("  lately from a standby: %d %s\n", hits, hits == 1 ? "time" : "times");
    ws_store_notes(walk->name, print_reason);
}

int
ws_standbys_tell(bool json)
{
    int count = 0;
    bool there = ws_store_find(false);
    ws_store_walk walk = { 0 };
    if (json) printf("[");
    while (there && ws_store_next(&walk)) {
        bool killed = walk.header->state == WS_RECORD_WAITING && !ws_store_is_running(walk.header);
        if (killed) ws_store_end(walk.name);
        else print_standby(&walk, json, count++ == 0);
    }
    if (json) printf("%s]\n", count ? "\n" : "");
    else if (count == 0) printf("no standbys\n");
    return 0;
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
            if (walk.header->state == WS_RECORD_BOOTING && ws_store_is_running(walk.header))
                kill((pid_t)walk.header->pid, SIGKILL);
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
