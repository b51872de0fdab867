/* The key of a command: all that has to be the same for a standby to be its own. */
#include "client.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts.h"
#include "program.h"

extern char **environ;

typedef struct ws_digest {
    uint64_t one, other;
} ws_digest;

/* FNV-1a, twice. Nobody but the user chooses what goes in. */
static void
add(ws_digest *digest, const char *text)
{
    do {
        digest->one = (digest->one ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
        digest->other = (digest->other ^ (unsigned char)*text ^ 0x5a) * UINT64_C(0x100000001b3);
    } while (*text++);
}

/* A shell sets these anew for each command. What else of the environment differs makes another standby. */
static bool
is_passing(const char *entry)
{
    static const char *const NAMES[] = { "_=", "OLDPWD=", "WARMSTART_LOG=", NULL };
    for (const char *const *name = NAMES; *name; name++)
        if (strncmp(entry, *name, strlen(*name)) == 0) return true;
    return false;
}

static int
by_text(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* The session of the terminal that this process is controlled by, or 0. */
pid_t
ws_terminal_session(void)
{
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return 0;
    close(terminal);
    return getsid(0);
}

static void
add_fact(void *digest, const char *name, const char *text)
{
    add(digest, name);
    add(digest, text);
}

bool
ws_key_make(char **command)
{
    ws_digest digest = { UINT64_C(0xcbf29ce484222325), UINT64_C(0x84222325cbf29ce4) };
    char text[64], path[PATH_MAX];
    if (ws_program_find(*command, getenv("PATH"), path, NULL)) add(&digest, path);
    for (char **argument = command; *argument; argument++) add(&digest, *argument);
    add(&digest, "");
    size_t count = 0;
    while (environ[count]) count++;
    char **sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted) return false;
    memcpy(sorted, environ, (count + 1) * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_text);
    bool twice = false; /* which of the two counts depends on who asks */
    for (size_t i = 0; i < count; i++) {
        size_t name = strcspn(sorted[i], "=") + 1;
        twice = twice || (i > 0 && strncmp(sorted[i - 1], sorted[i], name) == 0);
        if (!is_passing(sorted[i])) add(&digest, sorted[i]);
    }
    free(sorted);
    if (twice) ws_the_client.reason = "a variable is in the environment twice";
    if (twice) return false;
    ws_each_fact(add_fact, &digest);
    snprintf(text, sizeof text, "%d %d %d%d%d", WS_RECORD_VERSION, (int)ws_terminal_session(), isatty(0), isatty(1),
             isatty(2));
    add(&digest, text);
    snprintf(ws_the_client.key, sizeof ws_the_client.key, "%016llx%016llx", (unsigned long long)digest.one,
             (unsigned long long)digest.other);
    return true;
}
