/* The governor's state, shared by its two files, and what the require path calls. */
#ifndef WARMSTART_RUBY_GOVERNOR_H
#define WARMSTART_RUBY_GOVERNOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ruby.h>

#include "core/system/memory.h"
#include "ruby/private/c_function.h"
#include "ruby/private/patch.h"

/* Who controls the collector, and how that changes:
 *
 *      OFF ----------- Native.govern ----------+
 *       |                                      |
 *       | (a boot that may be small)           |
 *       v                                      v
 *   EXPECTING -- so many files are loaded --> BOOTING -- land_governor --> LANDING
 *       |    <----------- a pause ------------ |                             |
 *       |                                      +--- exit handlers done ------+--> LEAVING -- it grows --> STAYED
 *       |                                      |                             |       |                      |
 *       +--------------- ended ----------------+-----------------------------+-------+----------------------+--> ENDED
 *                                                                                                                  |
 *       OFF <-------------------------- the next require, or a call of one of the patches -------------------------+
 *
 * In a child of fork, EXPECTING becomes ENDED. The states in which we have the collector off become FORKED, which
 * becomes ENDED as soon as the child has Ruby's lock. */
typedef enum ws_governor_state {
    WS_GOVERNOR_OFF,       /* the collector is as the program left it, and there are no patches */
    WS_GOVERNOR_EXPECTING, /* the collector is as the program left it, and the patches are in */
    WS_GOVERNOR_BOOTING,   /* we have the collector off, and let it run once a step */
    WS_GOVERNOR_LANDING,   /* the same, and the application is ready: a second's pause or a little growth ends it */
    WS_GOVERNOR_LEAVING,   /* off, and the program's exit handlers are done, except for older ones */
    WS_GOVERNOR_STAYED,    /* the same, and the older handlers take memory */
    WS_GOVERNOR_FORKED,    /* off, in a child that has not had Ruby's lock yet */
    WS_GOVERNOR_ENDED      /* the collector is as the program left it, and the patches are still in */
} ws_governor_state;

typedef struct ws_governor {
    volatile ws_governor_state state; /* the native thread reads it, too */
    bool disabled_by_program;  /* after GC.disable nothing is collected, and the collector stays off at the end */
    bool awaits_collection;    /* the collector is on, for one collection */
    bool idle_step;            /* no file was loaded between the last two collections */
    volatile bool collecting;  /* no job may be asked for */
    volatile bool look_wanted; /* the next require looks */
    volatile unsigned requires;
    size_t step, landing_step; /* bytes that Ruby may take between two collections, and while landing */
    size_t landing_growth;     /* bytes that Ruby may have taken since the last collection when landing ends */
    size_t page_size;
    size_t objects, count; /* at the last collection: bytes in objects, rb_gc_count */
    size_t allocated;      /* at the last collection: bytes given out by malloc, if Ruby counts the total */
    size_t floor, ceiling; /* sizes of the process: no collection below the floor; the ceiling ends the governor */
    size_t early;          /* bytes that Ruby may take before a first collection below the floor; 0: there is none */
    bool young_heap; /* collections were postponed in this process, and its objects have not grown old for a fork */
    bool command;    /* no server: when the application is ready, the process may still grow to the floor */
    size_t ask_at;   /* size of the process from which on the system is asked again how much memory is left */
    size_t freed;    /* bytes that our collections have freed */
    size_t size;     /* size of the process at the last collection, before that at the beginning */
    bool careful; /* it is not known well how much this boot keeps: a step depends on the memory in use, and two steps
                     without a file end it */
    long enough;  /* the governor begins when so many files have been loaded; 0: it begins at once */
    long files;   /* length of $LOADED_FEATURES: with which it begins, then at the last collection */
    size_t regrowth; /* bytes that may be taken before the second collection in addition to what the first has freed */
    size_t due;      /* bytes that Ruby may take before the next collection: a step, or more if a floor is known */
    double garbage;  /* share of the newly taken memory that the last collection has freed */
    size_t settled;  /* at the end: bytes in use without the garbage */
    size_t uncollected; /* at the end: bytes that would be in use if nothing had been collected */
    size_t first, peak; /* size of the process at the beginning, and the largest that was seen */
    size_t collecting_from,
        collecting_grown; /* when the last collection was due: bytes in use, and bytes taken by Ruby */
    size_t leaving_most;  /* in LEAVING: the ws_memory_peak at which the older handlers count as taking memory */
    unsigned collections; /* our own collections */
    int64_t began, ended, last_require, idle, budget; /* milliseconds */
    int64_t looked_at_require,
        used_at_require; /* the last require that a look has seen: its time, and the CPU time then */
    const char *ended_by;
} ws_governor;

extern ws_governor ws_the_governor;

/* The methods of Ruby's that governor_patches.c has replaced. */
typedef struct ws_governor_patches {
    ws_patch enable, disable, stress; /* GC's, until ws_governor_patches_remove */
    ws_patch fork;                    /* Process._fork, until the first fork */
    ws_c_function *rubys_fork;
    VALUE before_fork; /* define_fork's callable */
} ws_governor_patches;

extern ws_governor_patches ws_the_patches;

/* Do we have the collector off? */
static inline bool
ws_governor_governs(void)
{
    return ws_the_governor.state >= WS_GOVERNOR_BOOTING && ws_the_governor.state <= WS_GOVERNOR_STAYED;
}

/* Asked in each require: does the governor have anything to do? */
static inline bool
ws_governor_listens(void)
{
    return ws_the_governor.state != WS_GOVERNOR_OFF;
}

void ws_governor_note_require(void);
/* Makes Ruby's collector as the program left it. Does nothing if it is so already. */
void ws_governor_end(const char *reason);
/* Removes the patches if the governor has ended in a place where they had to stay. Does the same in a child of fork. */
void ws_governor_settle(void);
void ws_governor_patches_remove(void);

void ws_init_governor(VALUE native);
void ws_init_governor_patches(VALUE native);

#endif
