/* The client: runs a command from its standby, or else becomes the ordinary command, and then has a standby made for
 * the next time. It starts no Ruby.
 *
 *     standby [--] COMMAND [ARGUMENTS]     run it
 *     standby --why [--json] [--] COMMAND  tell whether it would come from a standby now
 *     standby --status [--json]            tell about all standbys of this user
 *     standby --inputs                     list what their boots have asked of the outside
 *     standby --stop                       end them */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

ws_client ws_the_client;

__attribute__((noreturn)) static void
become_ordinary(char **command)
{
    if (ws_the_client.logs) fprintf(stderr, "warmstart: not from a standby: %s\n", ws_the_client.reason);
    execvp(*command, command);
    int error = errno;
    fprintf(stderr, "warmstart: cannot run %s: %s\n", *command, strerror(error));
    _exit(error == ENOENT ? 127 : 126);
}

/* Whoever types the first command learns that something stays behind. (A program that reads what the command says is
 * told nothing: nobody would read it.) */
static void
introduce(void)
{
    if (ws_the_client.is_first && isatty(STDERR_FILENO))
        fprintf(stderr, "warmstart: a standby is made behind this command, so that it starts at once the next time; "
                        "see `warmstart standby status`, or turn this off by WARMSTART_STANDBY=0\n");
}

/* What turns a variable off that is a boolean (Configuration). */
static const char *const OFF[] = { "0", "false", "off", "no", NULL };

static bool
is_word(const char *value, const char *const *words)
{
    for (; value && *words; words++)
        if (strcasecmp(value, *words) == 0) return true;
    return false;
}

/* Where a standby cannot help, or nobody would be there to use it. WARMSTART_STANDBY=1 says that somebody is. */
static const char *
is_off(void)
{
    const char *wanted = getenv("WARMSTART_STANDBY"), *all = getenv("WARMSTART");
    if (is_word(all, OFF)) return "WARMSTART turns everything off";
    if (is_word(wanted, OFF)) return "WARMSTART_STANDBY turns it off";
    if (wanted && *wanted) return NULL;
    static const char *const NAMES[] = { "RAILS_ENV", "RACK_ENV", "APP_ENV", NULL };
    for (const char *const *name = NAMES; *name; name++) {
        const char *value = getenv(*name);
        if (value && strcmp(value, "production") == 0) return "this is production (WARMSTART_STANDBY=1 turns it on)";
    }
    const char *integration = getenv("CI");
    if (integration && *integration && !is_word(integration, OFF)) return "CI is set (WARMSTART_STANDBY=1 turns it on)";
    if (geteuid() == 0) return "root has none (WARMSTART_STANDBY=1 turns it on)";
    return NULL;
}

/* What there is for a command. */
typedef enum ws_verdict { NOTHING, BOOTS, UNFIT, STALE, FITS } ws_verdict;

/* Sets the reason if it is not FITS. */
static ws_verdict
judge(void)
{
    static char why[sizeof((ws_trace_header *)NULL)->why];
    ws_trace_header *header = ws_store_map(ws_the_client.key);
    ws_the_client.reason = "there is none yet";
    if (!header) return NOTHING;
    if (header->state == WS_TRACE_BOOTING) {
        ws_the_client.reason = "it boots";
        return ws_store_is_tried(ws_the_client.key) ? BOOTS : NOTHING; /* (somebody has killed it) */
    }
    ws_the_client.standby = header->pid;
    bool whole = ws_store_is_whole(ws_the_client.key, header);
    const char *difference = whole ? ws_trace_check(header) : "its trace is not whole";
    snprintf(why, sizeof why, "%s", header->why);
    ws_the_client.reason = difference ? difference : header->state == WS_TRACE_UNFIT ? why : NULL;
    return difference ? STALE : header->state == WS_TRACE_UNFIT ? UNFIT : FITS;
}

/* A script that `warmstart init --standby` has changed has a shell call this client for `ruby SCRIPT`
 * (lib/warmstart/cli/init/standby_scripts.rb). So that is the command which has a standby; the shell could have none.
 */
static char **
without_shell(int count, char **command)
{
    static const char BEGINNING[] = "#!/bin/sh\n=begin 2>/dev/null\n# From a process that has booted this already";
    char text[sizeof BEGINNING];
    if (!strchr(*command, '/') || access(*command, X_OK) != 0) return command;
    ws_read_text(*command, text, sizeof text);
    char **longer = strcmp(text, BEGINNING) == 0 ? calloc((size_t)count + 2, sizeof *longer) : NULL;
    if (!longer) return command;
    *longer = "ruby";
    for (int i = 0; command[i]; i++) longer[i + 1] = command[i];
    return longer;
}

/* Notes where the command line is, which becomes another one when the command runs (command.c), and takes the command
 * out of it. */
static void
note_line(int count, char **arguments, char **command)
{
    ws_the_client.line = *arguments;
    ws_the_client.line_size = (size_t)(arguments[count - 1] - *arguments) + strlen(arguments[count - 1]) + 1;
    for (; *command; command++) {
        char *copy = strdup(*command);
        if (copy) *command = copy;
        else ws_the_client.line_size = 0;
    }
}

/* Returns if the command is to be the ordinary one. */
static void
use_standby(char **command)
{
    ws_verdict verdict = judge();
    bool refused = false;
    if (verdict == FITS) {
        utimensat(AT_FDCWD, ws_store_path(ws_the_client.key, "trace"), NULL, 0); /* it was used now */
        refused = ws_command_run(ws_terminal_session() != 0);
    }
    bool stays = refused || verdict == BOOTS || verdict == UNFIT;
    if (!stays && verdict != NOTHING) ws_store_end(ws_the_client.key);
    if (!stays && !ws_standby_have_made(command)) return;
    if (!stays) introduce();
    ws_store_note(ws_the_client.reason);
}

static const char *
last_part(const char *path)
{
    const char *name = path ? strrchr(path, '/') : NULL;
    return name ? name + 1 : path;
}

/* Solid Queue's script, which any program may be called like without its folder. */
static bool
is_bin_jobs(const char *path)
{
    static const char NAME[] = "/bin/jobs";
    size_t length = strlen(path);
    size_t size = sizeof NAME - 1;
    return strcmp(path, NAME + 1) == 0 || (length >= size && strcmp(path + length - size, NAME) == 0);
}

/* A server starts once and lives for long, and writes its process number to a file. WARMSTART_STANDBY=1 does not matter
 * here. */
static bool
is_server(char **command)
{
    static const char *const SERVERS[] = {
        "puma", "unicorn", "falcon", "thin", "rackup", "passenger", "sidekiq", NULL
    };
    static const char *const WORDS[] = { "server", "s", NULL };
    if (is_word(last_part(*command), (const char *const[]){ "ruby", NULL }) && command[1]) command++;
    if (strcmp(last_part(*command), "bundle") == 0 && command[1] && strcmp(command[1], "exec") == 0 && command[2])
        command += 2;
    return is_word(last_part(*command), SERVERS) || is_bin_jobs(*command) ||
           (strcmp(last_part(*command), "rails") == 0 && is_word(command[1], WORDS));
}

/* Locks by fcntl and leases are a process's; who calls the client may have taken one, to hold it while the command
 * runs. (Those by flock are their descriptor's, which the command gets.) A line of /proc/locks: "1: POSIX  ADVISORY
 * WRITE 1234 ..." */
static bool
has_lock(void)
{
    FILE *locks = fopen("/proc/locks", "re");
    char line[256], kind[16];
    int process = 0;
    bool found = false;
    while (locks && !found && fgets(line, sizeof line, locks))
        found = sscanf(line, "%*s %15s %*s %*s %d", kind, &process) == 2 && process == getpid() &&
                (strcmp(kind, "POSIX") == 0 || strcmp(kind, "LEASE") == 0);
    if (locks) fclose(locks);
    return found;
}

/* Why no command can come from a standby here, or NULL. */
static const char *
is_unusable(char **command)
{
    const char *off = is_off();
    if (off) return off;
    if (is_server(command)) return "a server starts once, so it has none";
    if (fcntl(0, F_GETFD) < 0 || fcntl(1, F_GETFD) < 0 || fcntl(2, F_GETFD) < 0)
        return "one of the descriptors 0, 1 and 2 is closed";
    /* What is left behind would become this process's own child, or that of one that waits for all of its children. */
    int adopts = 0;
    if (getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &adopts) == 0 && adopts))
        return "it would be this process's child";
    /* A standby that was made before a sandbox began (Landlock) would let a command out of it. */
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return "this process may be in a sandbox (no_new_privs)";
    if (sched_getscheduler(0) & SCHED_RESET_ON_FORK) return "a process that it forks is scheduled otherwise";
    if (has_lock()) return "this process has locked a file, and gives that up where another one runs the command";
    /* With other rights than its user's (a program with the setuid bit has called it) the dynamic linker would preload
     * nothing, in this process or in one that it starts. */
    if (getauxval(AT_SECURE)) return "this process has other rights than its user";
    return ws_store_find(true) ? NULL : "its folder cannot be used (it must be yours, with mode 0700)";
}

/* Prints whether the command would come from a standby now. Returns the exit status. */
static int
explain(char **command, bool json)
{
    ws_the_client.reason = is_unusable(command);
    bool fits = false;
    if (!ws_the_client.reason && ws_key_make(command)) {
        ws_verdict verdict = judge();
        fits = verdict == FITS;
        const char *hindrance = verdict == NOTHING ? ws_standby_hindrance(command) : NULL;
        if (hindrance) ws_the_client.reason = hindrance;
    }
    ws_verdict_tell(fits ? NULL : ws_the_client.reason, json);
    return fits ? 0 : 1;
}

/* The exit status, or 1 if what was told could not be written. */
static int
told(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fprintf(stderr, "warmstart: cannot write the output: %s\n", errno ? strerror(errno) : "a part of it is lost");
    return 1;
}

static int
usage(void)
{
    fprintf(stderr,
            "warmstart: usage: standby [--why [--json]] [--] COMMAND [ARGUMENTS], or --status [--json], --inputs, "
            "--stop\n");
    return 2;
}

int
main(int count, char **arguments)
{
    const char *word = count > 1 ? arguments[1] : "", *logs = getenv("WARMSTART_LOG");
    bool why = strcmp(word, "--why") == 0, json = count > 2 && strcmp(arguments[2], "--json") == 0;
    ws_the_client.logs = logs && *logs && !is_word(logs, OFF);
    if (strcmp(word, "--status") == 0) return told(ws_standbys_tell(json));
    if (strcmp(word, "--inputs") == 0) return told(ws_inputs_tell());
    if (strcmp(word, "--stop") == 0) return told(ws_standbys_end());
    char **command = arguments + 1 + (why ? 1 + json : 0);
    if (*command && strcmp(*command, "--") == 0) command++;
    if (!*command || **command == '-') return usage();
    command = without_shell(count, command);
    if (why) return told(explain(command, json));
    ws_the_client.reason = is_unusable(command);
    note_line(count, arguments, command);
    if (!ws_the_client.reason && ws_key_make(command)) use_standby(command);
    become_ordinary(command);
}
