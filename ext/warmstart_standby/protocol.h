/* What the client and a standby say to each other, over a Unix socket in the user's runtime folder.
 *
 * The client sends one ws_request with the descriptors 0, 1, 2 and all others that it has, then the numbers of these
 * and the environment's texts. The standby answers with one ws_answer when it has forked, or closes the connection. The
 * client says "g", and the child answers with a ws_answer of its own: from then on it is the command. If one of these
 * does not come, the client runs the ordinary command; so a child whose answer cannot be sent ends. When the command
 * has ended, a last ws_answer has its status. */
#ifndef WARMSTART_STANDBY_PROTOCOL_H
#define WARMSTART_STANDBY_PROTOCOL_H

#include <stdint.h>

#define WS_STANDBY_MAGIC UINT32_C(0x57535421)

enum {
    WS_STANDBY_VERSION = 1,
    WS_DESCRIPTORS_MAXIMUM = 64,      /* more are not sent: the ordinary command */
    WS_ENVIRONMENT_MAXIMUM = 4 << 20, /* bytes */
    /* For how long a client waits for an answer before it runs the ordinary command: a slice while the standby sleeps
     * (or is stopped, or gone), and at most all of the patience while it works for others. */
    WS_STANDBY_SLICE_MILLISECONDS = 20,
    WS_STANDBY_PATIENCE_MILLISECONDS = 1500
};

typedef struct ws_request {
    uint32_t magic, version;
    int32_t pid, group;   /* of the client: its process and process group */
    int32_t same_session; /* the standby is in the client's session */
    uint32_t descriptors;
    uint32_t environment; /* bytes */
    uint32_t padding;
} ws_request;

typedef struct ws_answer {
    uint32_t magic;
    int32_t pid;    /* of the command's process; 0: it has ended */
    int32_t status; /* as waitpid tells it */
    int32_t padding;
} ws_answer;

#endif
