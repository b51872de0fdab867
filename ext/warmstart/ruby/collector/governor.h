/* The governor's state, shared by its two files, and what the require path calls. */
#ifndef WARMSTART_RUBY_GOVERNOR_H
#define WARMSTART_RUBY_GOVERNOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ruby.h>

#include "core/system/memory.h"

/* Whose the collector is, from the first state down to the last one that applies:
 *
 *      OFF ----------- Native.govern ----------+
 *       |                                      |
 *       | (a boot that may be small)           |
 *       v                                      v
 *   EXPECTING -- so many files are loaded --> BOOTING -- land_governor --> LANDING
 *       |                                      |                             |
 *       |                                      +--- exit handlers done ------+--> LEAVING -- it grows --> STAYED
 *       |                                      |                             |       |                      |
 *       +--------------- ended ----------------+-----------------------------+-------+----------------------+--> ENDED
 *                                                                                                                  |
 *       OFF <-------------------------- the next require, or a call of one of the patches -------------------------+
 *
 * In a child of fork: from EXPECTING to ENDED, from the five in which we have the collector off to FORKED, and from
 * there, as soon as Ruby's lock is there, to ENDED. */
typedef enum ws_governor_state {
    WS_GOVERNOR_OFF,       /* the collector is as the program left it, and there are no patches */
    WS_GOVERNOR_EXPECTING, /* the collector is as the program left it, and the patches are in */
    WS_GOVERNOR_BOOTING,   /* we have the collector off, and let it run once a step */
    WS_GOVERNOR_LANDING,   /* the same; the application is ready: the first pause, or a little growth, is the end */
    WS_GOVERNOR_LEAVING,   /* off; the program's exit handlers are done, but for older ones */
    WS_GOVERNOR_STAYED,    /* the same, and these take memory */
    WS_GOVERNOR_FORKED,    /* a child whose collector is yet the parent's: off */
    WS_GOVERNOR_ENDED      /* the collector is as the program left it, and the patches are still in */
} ws_governor_state;

typedef struct ws_governor {
    volatile ws_governor_state state; /* the thread looks at it */
    bool disabled_by_program;         /* GC.disable: nothing is collected, and the collector stays off at the end */
    bool waiting;                     /* the collector is on, for one collection */
    bool idle_step;                   /* no file was loaded between the last two collections */
    volatile bool collecting;         /* nobody may ask for a job */
    volatile bool look_wanted;        /* the next require looks */
    volatile unsigned requires;
    size_t step, landing_step; /* bytes that Ruby takes */
    size_t landing_growth;     /* what it may have taken since the last collection while landing */
    size_t page_size;
    size_t objects, count; /* at the last collection: bytes in objects, rb_gc_count */
    size_t allocated;      /* and by malloc, where Ruby counts that for ever */
    size_t floor, ceiling; /* the process's size up to which not to collect, and at which to give up */
    size_t size;           /* of the process at the last collection; at first at the beginning */
    bool careful; /* what such a boot keeps is not known well: steps go by what is in use, and where two pass without a
                     file it ends */
    long files;   /* in $LOADED_FEATURES: with how many it begins, then at the last collection */
    size_t regrowth;    /* what may be taken before the second collection beside what the first has freed */
    size_t due;         /* what Ruby takes before the next collection: a step, or more where a floor is known */
    double garbage;     /* the part that went at the last collection of what had been taken before it */
    size_t settled;     /* at the end: in use, but for the garbage */
    size_t first, peak; /* its size at the beginning, and the largest that was seen */
    size_t collecting_from,
        collecting_grown; /* when the collection that is waited for was due: bytes in use, taken by Ruby */
    size_t leaving_most;  /* ws_memory_peak up to which they take next to nothing */
    unsigned collections; /* ours */
    int64_t began, ended, last_require, idle, budget; /* milliseconds */
    int64_t looked_at_require,
        used_at_require; /* the require that was the last one when it was looked, CPU time then */
    const char *ended_by;
} ws_governor;

extern ws_governor ws_the_governor;

/* Do we have the collector off? */
static inline bool
ws_governor_governs(void)
{
    return ws_the_governor.state >= WS_GOVERNOR_BOOTING && ws_the_governor.state <= WS_GOVERNOR_STAYED;
}

/* In each require: has the governor something to do? */
static inline bool
ws_governor_listens(void)
{
    return ws_the_governor.state != WS_GOVERNOR_OFF;
}

void ws_governor_note_require(void);
/* Ruby's collector as the program left it. Nothing happens when that is so already. */
void ws_governor_end(const char *reason);
/* Takes the patches out where the governor has ended in a place where that cannot be; the same in a child of fork. */
void ws_governor_settle(void);

void ws_init_governor(VALUE native);

/* ---- governor_patches.c ---- */

void ws_governor_patches_remove(void);
void ws_init_governor_patches(VALUE native);

#endif
