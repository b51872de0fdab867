/* Tells people and tests about standbys. */
#include "client.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static long
resident_megabytes(uint32_t pid)
{
    char path[32];
    long all, resident = 0;
    snprintf(path, sizeof path, "/proc/%u/statm", pid);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
    fclose(file);
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

static int told;

static void
print_reason(const char *reason, int count)
{
    printf("  lately the ordinary command, %d %s: %s\n", count, count == 1 ? "time" : "times", reason);
}

static void
print_reason_as_json(const char *reason, int count)
{
    printf("%s", told++ ? ", " : "");
    print_text(reason);
    printf(": %d", count);
}

static void
print_standby(const char *name, ws_record_header *header, bool json, bool first)
{
    static const char *const STATES[] = { "boots", "waits", "unfit" };
    bool waits = header->state == WS_RECORD_WAITING;
    long long seconds = waits ? (long long)(time(NULL) - header->waiting_since) : 0;
    long size = waits ? resident_megabytes(header->pid) : 0;
    bool unfit = header->state == WS_RECORD_UNFIT && !ws_store_is_tried(name);
    const char *state = waits ? STATES[WS_RECORD_WAITING] : STATES[unfit ? WS_RECORD_UNFIT : WS_RECORD_BOOTING];
    if (json) {
        printf("%s\n  {\"command\": ", first ? "" : ",");
        print_text(header->command);
        printf(", \"state\": \"%s\", \"pid\": %u, \"seconds\": %lld, \"megabytes\": %ld, \"commands\": %u, \"why\": ",
               state, header->pid, seconds, size, header->hits);
        print_text(unfit ? header->why : "");
        printf(", \"misses\": {");
        told = 0;
        ws_store_notes(name, print_reason_as_json);
        printf("}}");
        return;
    }
    printf("%s\n", header->command);
    if (waits)
        printf("  waits since %lld s (pid %u, %ld MB); commands from it: %u\n", seconds, header->pid, size,
               header->hits);
    else printf("  %s%s%s\n", state, unfit ? ": " : "", unfit ? header->why : "");
    int hits = ws_store_notes(name, NULL);
    printf("  lately from a standby: %d %s\n", hits, hits == 1 ? "time" : "times");
    ws_store_notes(name, print_reason);
}

int
ws_standbys_tell(bool stop, bool json)
{
    int count = 0;
    DIR *list = ws_store_find(false) ? opendir(ws_the_client.folder) : NULL;
    if (json) printf("[");
    if (stop && list) {
        int mark = open(ws_store_path(WS_ALL, "stopped"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
        struct timespec now[2];
        clock_gettime(CLOCK_REALTIME, &now[0]); /* (the kernel's own would be up to 10 ms old) */
        now[1] = now[0];
        if (mark >= 0) futimens(mark, now);
        if (mark >= 0) close(mark);
    }
    for (struct dirent *entry; list && (entry = readdir(list));) {
        char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".record") != 0) continue;
        *end = 0;
        ws_record_header *header = ws_store_map(entry->d_name);
        if (!header) continue;
        if (stop) {
            /* (A boot has had no effect yet.) */
            if (header->state == WS_RECORD_BOOTING && ws_store_is_running(header)) kill((pid_t)header->pid, SIGKILL);
            ws_store_end(entry->d_name);
            ws_store_remove(entry->d_name);
        }
        else print_standby(entry->d_name, header, json, count == 0);
        count++;
        munmap(header, WS_RECORD_ROOM);
    }
    if (list) closedir(list);
    if (json) printf("%s]\n", count ? "\n" : "");
    else if (stop) printf("ended: %d\n", count);
    else if (count == 0) printf("no standbys\n");
    return 0;
}

/* Everything that a standby has asked of the outside, for tests and for people who wonder. */
int
ws_inputs_tell(void)
{
    static const char *const WHAT[] = { "stat",     "lstat",    "open", "list",       "access",
                                        "readlink", "realpath", "same", "absent from" };
    DIR *list = ws_store_find(false) ? opendir(ws_the_client.folder) : NULL;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".record") != 0) continue;
        *end = 0;
        ws_record_header *header = ws_store_map(entry->d_name);
        if (!header) continue;
        printf("%s\n", header->command);
        for (ws_asked *asked = NULL; (asked = ws_asked_next(header, asked));)
            printf("  %s %s%s%s\n", asked->what < WS_ASKED_COUNT ? WHAT[asked->what] : "?", asked->texts,
                   asked->error ? ": " : "", asked->error ? strerror(asked->error) : "");
        munmap(header, WS_RECORD_ROOM);
    }
    if (list) closedir(list);
    return 0;
}
