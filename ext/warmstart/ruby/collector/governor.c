/* Postpones garbage collection during the boot. The collector is off, and runs once each time Ruby has allocated a step
 * of memory. Most objects that a boot creates are kept, so more collections would mark a growing heap again and again
 * and free little.
 *
 * The governor begins at once if the image knows how much memory the boot keeps. Otherwise it begins when the program
 * has loaded so many files that it is not a small one; and again after a pause, when as many more have been loaded.
 *
 * A native thread requests a look every few milliseconds, and the next require looks. If the program requires nothing,
 * the thread asks for a postponed job, which looks with the GVL, at a place where Ruby itself may collect. The thread
 * calls nothing of Ruby but that, and before 3.3 not even that. A look compares Ruby's own counters of allocated
 * memory, and not the size of the process: they include memory that was freed and is used again, so garbage never
 * exceeds a step. The system is asked as well, for the limits. No descriptor is kept open for that, so that the files
 * that the program opens get the same numbers as in plain Ruby.
 *
 * lib/warmstart/boot/gc_governor.rb decides whether to postpone, how far, and when it ends. governor_patches.c makes
 * the program's own GC.enable, GC.disable and GC.stress= work as in plain Ruby. */
#include "ruby/collector/governor.h"

#include <errno.h>
#include <limits.h>

#if defined HAVE_MALLINFO2 || defined HAVE_MALLOC_TRIM
#include <malloc.h>
#endif

#include "core/system/clock.h"
#include "core/system/memory.h"
#include "core/system/thread.h"
#include "core/validation/folder_watch.h"
#include "ruby/boot/events.h"
#include "ruby/private/jobs.h"
#include "ruby/private/traced.h"

#define TICK_MILLISECONDS 5

/* How much the process grows, in bytes, until the system is asked again how much memory is left: an eighth of what it
 * may still take, but at least and at most so much. */
#define ASK_SOON ((size_t)1 << 20)
#define ASK_LATE ((size_t)16 << 20)

ws_governor ws_the_governor;
ws_governor_patches ws_the_patches = { .before_fork = Qnil };

/* What one governor leaves to the next one of the process. */
static struct {
    ws_mutex lock; /* guards state, collecting and generation, which the thread uses too */
    uint64_t generation;
    bool hooks_installed;
    VALUE features; /* $LOADED_FEATURES */
    VALUE extent;   /* govern's option */
    /* Keys of GC.stat, and whether this Ruby has the last one. */
    VALUE heap_allocated_pages, heap_available_slots, heap_live_slots, malloc_increase_bytes, total_malloc_bytes;
    bool counts_all;
} lasting = { .lock = WS_MUTEX_INITIALIZER, .extent = Qnil };

static int64_t
milliseconds_now(void)
{
    return ws_clock_coarse() / 1000000;
}

/* The bytes in Ruby's objects themselves, which are the used share of the heap's pages. */
static size_t
objects_size(void)
{
    size_t available = rb_gc_stat(lasting.heap_available_slots);
    if (!available) return 0;
    double share = (double)rb_gc_stat(lasting.heap_live_slots) / (double)available;
    return (size_t)(share * (double)(rb_gc_stat(lasting.heap_allocated_pages) * ws_the_governor.page_size));
}

/* The bytes in use, garbage included: Ruby's objects and what malloc has given out. If malloc does not report that, it
 * is the size of the process, which includes freed memory, too. */
static size_t
used_size(void)
{
#ifdef HAVE_MALLINFO2
    struct mallinfo2 given = mallinfo2();
    return given.uordblks + given.hblkhd + objects_size();
#else
    ws_memory memory;
    return ws_memory_now(&memory) ? memory.size : 0;
#endif
}

/* The bytes that malloc has given to Ruby's objects, in all or since the last collection. The total is preferred,
 * because since Ruby 4.1 freed bytes are subtracted from the count since the last collection, also those that a
 * collection frees, so that it says next to nothing. */
static size_t
allocated(void)
{
    return rb_gc_stat(lasting.counts_all ? lasting.total_malloc_bytes : lasting.malloc_increase_bytes);
}

/* Learns how GC.stat counts. Returns false if it lacks a figure that the governor needs. */
static bool
learn_account(void)
{
    VALUE all = rb_hash_new(), needed[] = { lasting.heap_allocated_pages, lasting.heap_available_slots,
                                            lasting.heap_live_slots, lasting.malloc_increase_bytes };
    rb_gc_stat(all);
    lasting.counts_all = rb_hash_lookup2(all, lasting.total_malloc_bytes, Qundef) != Qundef;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (rb_hash_lookup2(all, needed[i], Qundef) == Qundef) return false;
    return true;
}

/* The bytes that Ruby has taken since the last collection: objects, and what they have allocated. */
static size_t
growth(void)
{
    size_t objects = objects_size(), before = ws_the_governor.objects;
    return allocated() - ws_the_governor.allocated + (objects > before ? objects - before : 0);
}

/* Notes the bytes that would be in use if Ruby collected now, and those if it had not collected during the boot. It is
 * assumed that the share of garbage is the same as at the last collection. If there was none yet, the share is taken to
 * be a half, or zero if the boot's size is known, so that the answer is an upper limit. */
static void
weigh(void)
{
    size_t used = used_size(), garbage = (size_t)((double)growth() * ws_the_governor.garbage);
    ws_the_governor.settled = used > garbage ? used - garbage : 0;
    ws_the_governor.uncollected = used + ws_the_governor.freed;
}

static size_t
smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* How much may be taken when this many bytes are in use. Half as much again leaves the heap no more free slots than
 * Ruby's own growth would (gc.c: GC_HEAP_FREE_SLOTS_GOAL_RATIO). The number of free slots decides how much garbage the
 * program makes later between two collections. */
static size_t
step_beside(size_t used)
{
    return ws_the_governor.careful ? smaller(ws_the_governor.step, used / 2) : ws_the_governor.step;
}

/* Starts counting anew after a collection. */
static void
note_collection(size_t size)
{
    ws_the_governor.size = size;
    ws_the_governor.files = RARRAY_LEN(lasting.features);
    ws_the_governor.count = rb_gc_count();
    ws_the_governor.objects = objects_size();
    ws_the_governor.allocated = lasting.counts_all ? allocated() : 0;
}

/* ---- the beginning and the end ---- */

static void
note_end(const char *reason)
{
    ws_the_governor.ended_by = reason;
    ws_the_governor.ended = milliseconds_now();
    weigh();
}

static void
move_to(ws_governor_state state)
{
    ws_mutex_lock(&lasting.lock);
    ws_the_governor.state = state;
    ws_mutex_unlock(&lasting.lock);
}

/* After these ends nobody would notice a pause any more, so the watch of folders ends with them. */
static bool
ends_the_watch(const char *reason)
{
    return strcmp(reason, "idle") == 0 || strcmp(reason, "complete") == 0 || strcmp(reason, "budget") == 0;
}

/* For places where no method may be called, so the patches stay. */
static void
end_here(const char *reason)
{
    ws_governor *governor = &ws_the_governor;
    bool governed = ws_governor_governs();
    if (!governed && governor->state != WS_GOVERNOR_EXPECTING) return;
    move_to(WS_GOVERNOR_ENDED);
    note_end(reason);
    if (ends_the_watch(reason)) ws_watch_end();
    if (!governed) return;
    ws_job_stop();
    if (!governor->disabled_by_program) rb_gc_enable();
    ws_log("the collector is as usual again (%s): %u collections, from %zu MB to %zu MB in %lld ms", reason,
           governor->collections, governor->first >> 20, governor->peak >> 20,
           (long long)(governor->ended - governor->began));
}

void
ws_governor_end(const char *reason)
{
    end_here(reason);
    ws_governor_settle();
}

/* A pause, in a boot of which nothing is known: it may be over, or it works for a while without loading a file. The
 * collector is as the program left it until as many files as at the beginning have been loaded again. */
static void
pause_here(const char *reason)
{
    ws_governor *governor = &ws_the_governor;
    if (governor->enough == 0 || governor->state != WS_GOVERNOR_BOOTING) return end_here(reason);
    move_to(WS_GOVERNOR_EXPECTING);
    note_end(reason);
    ws_watch_end();
    ws_job_stop();
    if (!governor->disabled_by_program) rb_gc_enable();
    governor->disabled_by_program = governor->awaits_collection = false;
    governor->files = RARRAY_LEN(lasting.features) + governor->enough;
    ws_log("the collector is as usual (%s): %u collections, from %zu MB to %zu MB", reason, governor->collections,
           governor->first >> 20, governor->peak >> 20);
}

/* Has a file been loaded since the last collection? */
static bool
has_loaded(void)
{
    return RARRAY_LEN(lasting.features) > ws_the_governor.files;
}

/* Takes stock after a collection of ours, when the collector is off again. */
static void
note_own_collection(size_t size)
{
    ws_governor *governor = &ws_the_governor;
    size_t used = governor->collecting_from, grown = governor->collecting_grown, left = used_size();
    governor->awaits_collection = false;
    governor->collections++;
    governor->idle_step = !has_loaded();
    note_collection(size);
    governor->garbage = left < used && grown ? (double)(used - left) / (double)grown : 0;
    if (governor->garbage > 1) governor->garbage = 1;
    /* What was freed can be taken again before the process grows. After the first collection a little more may be
     * taken, but only once, because more each time would add up without end. */
    size_t gone = left < used ? used - left : 0;
    governor->freed += gone;
    if (governor->collections == 1) governor->due = gone + governor->regrowth;
    else if (gone < governor->due) governor->due = gone;
    size_t step = step_beside(left);
    if (governor->due < step || !governor->floor) governor->due = step;
    ws_log("collection %u after %zu MB", governor->collections, grown >> 20);
}

/* Starts Ruby's own next collection now. Ruby decides as always which kind it is, mostly a minor one. Its counter of
 * allocations is far beyond the limit, so that the first allocation starts the collection. If it does not (because all
 * objects were small enough for their slots), the collector stays on until Ruby starts one by itself. */
static void
collect(size_t size, size_t grown)
{
    ws_governor *governor = &ws_the_governor;
    governor->collecting_from = used_size();
    governor->collecting_grown = grown;
    ws_mutex_lock(&lasting.lock); /* the thread asks for no job now, nor until this is over */
    governor->collecting = true;
    ws_mutex_unlock(&lasting.lock);
    rb_gc_enable();
    for (int i = 0; i < 4 && rb_gc_count() == governor->count; i++) ruby_xfree(ruby_xmalloc(64));
    governor->awaits_collection = rb_gc_count() == governor->count;
    if (!governor->awaits_collection) rb_gc_disable(); /* this also finishes the collection */
    governor->collecting = false;
    if (governor->awaits_collection) return;
    note_own_collection(size);
}

/* Keeps the CPU time that had been used when the last require was first seen. */
static void
note_used(int64_t used)
{
    ws_governor *governor = &ws_the_governor;
    if (governor->looked_at_require == governor->last_require) return;
    governor->looked_at_require = governor->last_require;
    governor->used_at_require = used;
}

/* Is this a pause of the program, and not one of a busy machine? Either the program has used a quarter of the idle time
 * as CPU time without a require, or it has slept long enough. If the size of the boot is known, a pause in it has to be
 * four times as long: waiting costs no memory then, and a boot that ended too early would be measured wrongly. */
static bool
is_idle(int64_t now, int64_t used)
{
    const ws_governor *governor = &ws_the_governor;
    int64_t idle = governor->floor && governor->state == WS_GOVERNOR_BOOTING ? 4 * governor->idle : governor->idle;
    int64_t pause = now - governor->last_require;
    return pause > idle && (used - governor->used_at_require > idle / 4 || pause > 4 * idle);
}

/* Are more than an eighth of the descriptors in use? When none is left, Ruby collects and tries again, which does not
 * help while the collector is off. A loop that leaves closing files to the collector opens a few hundred between two
 * looks. Few are never too many, so most programs' looks need not ask for the limit. */
static bool
are_files_many(int lowest_free)
{
    enum { FEW = 64, MOST = 1 << 16 };
    if (lowest_free <= FEW) return false;
    size_t limit = ws_memory_file_limit(), part = limit / 8;
    return (size_t)lowest_free > (limit == 0 || part > MOST ? MOST : part);
}

/* Has Ruby taken as much since the last collection as it may? If the boot's size is not well known, the growth of the
 * process counts as well, because not everything that is taken is in Ruby's counters. */
static bool
is_due(size_t size, size_t grown)
{
    const ws_governor *governor = &ws_the_governor;
    if (governor->early && !governor->collections && grown >= governor->early) return true;
    if (size < governor->floor) return false;
    return grown >= governor->due || (governor->careful && size >= governor->size + governor->due);
}

/* If nothing was loaded during two steps, the boot may be over. One step is not enough, because Bundler's setup and an
 * application's initializers work for a while without loading a file. */
static bool
is_done(void)
{
    return ws_the_governor.careful && ws_the_governor.idle_step && !has_loaded();
}

/* Returns why the governor must end for another reason than the memory that Ruby has taken, or NULL if it goes on. */
static const char *
reason_to_end(int64_t now, ws_memory *memory)
{
    const ws_governor *governor = &ws_the_governor;
    if (now - governor->began > governor->budget) return "budget";
    int64_t used = ws_cpu_now() / 1000000;
    note_used(used);
    if (is_idle(now, used)) return governor->state == WS_GOVERNOR_LANDING ? "complete" : "idle";
    if (!ws_memory_now(memory)) return "unknown";
    if (are_files_many(memory->lowest_free_file)) return "files";
    return NULL;
}

/* Returns "memory" if the process has taken half of what was left before it, or all that it was allowed. When it has
 * taken a quarter it is to collect, whatever it is known to keep. As the others count, all boots that go on at the same
 * time together never take everything: n of them take at most n / (n + 3) before they collect. */
static const char *
reason_of_memory(size_t size)
{
    ws_governor *governor = &ws_the_governor;
    if (size >= governor->ceiling) return "memory";
    if (size < governor->ask_at) return NULL;
    /* Other processes grow, too: of what is left now, the least that the machine, the control groups and (on Windows)
     * the job leave. */
    uint64_t left = ws_memory_left(), available = ws_memory_available();
    if (available > 0 && available < left) left = available;
    uint64_t share = left / 3;
    size_t grown = size - smaller(governor->first, size);
    if (grown > left) return "memory";
    if (grown > share) {
        governor->floor = smaller(governor->floor, size);
        governor->regrowth = 0;
    }
    uint64_t until = (grown > share ? 0 : share - grown) / 8;
    governor->ask_at = size + (until < ASK_SOON ? ASK_SOON : until > ASK_LATE ? ASK_LATE : (size_t)until);
    return NULL;
}

/* A command whose size is known goes on until it is as large as it may become, because most commands end soon. */
static bool
has_landed(size_t size, size_t grown)
{
    const ws_governor *governor = &ws_the_governor;
    return governor->state == WS_GOVERNOR_LANDING && grown >= governor->landing_growth &&
           (!governor->command || size >= governor->floor);
}

/* Notices a collection that has happened: the one that was waited for, or the program's own GC.start. */
static void
see_collection(size_t size)
{
    ws_governor *governor = &ws_the_governor;
    bool waited = governor->awaits_collection;
    governor->awaits_collection = false;
    if (rb_gc_count() == governor->count) return;
    if (waited) note_own_collection(size);
    else note_collection(size);
}

/* The look itself, with the GVL, where a collection may run: must the governor end, or is a collection due? */
static void
look(int64_t now)
{
    ws_governor *governor = &ws_the_governor;
    ws_memory memory;
    const char *reason = reason_to_end(now, &memory);
    if (reason && strcmp(reason, "idle") == 0) return pause_here(reason);
    if (reason) return end_here(reason);
    if (memory.size > governor->peak) governor->peak = memory.size;
    if (governor->disabled_by_program) return;

    bool was_on = rb_gc_disable() == Qfalse;
    if (was_on && !governor->awaits_collection) return end_here("enabled"); /* C code has switched it on */
    if ((reason = reason_of_memory(memory.size))) return end_here(reason);
    see_collection(memory.size);
    size_t grown = growth();
    if (has_landed(memory.size, grown)) return end_here("complete");
    if (!is_due(memory.size, grown)) return;
    if (is_done()) return pause_here("grown");
    collect(memory.size, grown);
}

static void
look_now(void)
{
    int saved = errno;
    ws_the_governor.look_wanted = false;
    look(milliseconds_now());
    errno = saved;
}

static size_t megabytes(VALUE options, const char *name);
static bool begin_to_govern(size_t size, bool is_off);

/* Takes over how far the process may grow. size: of the process. */
static void
set_extent(VALUE options, size_t size)
{
    ws_governor *governor = &ws_the_governor;
    governor->step = megabytes(options, "step");
    governor->landing_step = megabytes(options, "landing_step");
    governor->ceiling = size + megabytes(options, "allowed");
    governor->floor = megabytes(options, "floor");
    governor->garbage = governor->floor ? 0 : 0.5;
}

/* Asks how far the process may grow. Ruby code runs here, which a TracePoint would see, and so may other threads. */
static bool
ask_extent(size_t size)
{
    if (NIL_P(lasting.extent)) return true;
    if (ws_is_traced(RUBY_EVENT_ALL)) return false;
    VALUE answer = rb_proc_call(lasting.extent, rb_ary_new());
    if (ws_the_governor.state != WS_GOVERNOR_EXPECTING || !RB_TYPE_P(answer, T_HASH)) return false;
    set_extent(answer, size);
    return true;
}

/* Begins to govern when enough files have been loaded without a pause. */
static void
expect(void)
{
    ws_governor *governor = &ws_the_governor;
    ws_memory memory;
    int64_t now = milliseconds_now(), pause = now - governor->last_require;
    governor->last_require = now;
    if (now - governor->began > governor->budget) return end_here("budget");
    if (pause > governor->idle) governor->files = RARRAY_LEN(lasting.features) + governor->enough;
    if (RARRAY_LEN(lasting.features) < governor->files) return;
    governor->files = LONG_MAX; /* (no other thread asks again) */
    bool begins = ws_memory_now(&memory) && ask_extent(memory.size) && begin_to_govern(memory.size, false);
    if (!begins && governor->state == WS_GOVERNOR_EXPECTING) end_here("refused");
}

static bool
is_leaving(void)
{
    return ws_the_governor.state == WS_GOVERNOR_LEAVING || ws_the_governor.state == WS_GOVERNOR_STAYED;
}

void
ws_governor_note_require(void)
{
    ws_governor *governor = &ws_the_governor;
    ws_governor_settle();
    if (governor->state == WS_GOVERNOR_EXPECTING) expect();
    if (ws_governor_governs()) {
        governor->last_require = milliseconds_now();
        governor->requires ++;
        if (governor->look_wanted && !is_leaving()) look_now();
    }
    ws_governor_settle();
}

/* In a child of fork, makes the collector as the program left it. */
static void
settle_fork(void)
{
    ws_governor *governor = &ws_the_governor;
    if (governor->state != WS_GOVERNOR_FORKED) return;
    move_to(WS_GOVERNOR_ENDED);
    ws_job_stop();
    if (!governor->disabled_by_program) rb_gc_enable();
}

void
ws_governor_patches_remove(void)
{
    ws_patch_remove(&ws_the_patches.enable);
    ws_patch_remove(&ws_the_patches.disable);
    ws_patch_remove(&ws_the_patches.stress);
    if (!ws_the_governor.young_heap) ws_patch_remove(&ws_the_patches.fork);
}

void
ws_governor_settle(void)
{
    settle_fork();
    if (ws_the_governor.state != WS_GOVERNOR_ENDED) return;
    ws_governor_patches_remove();
    move_to(WS_GOVERNOR_OFF);
}

/* Runs between any two instructions of the program. No method may be called here, because a method call checks for
 * interrupts: a job that is left by Thread#kill, Thread#raise or a signal's exception swallows them (vm_trace.c:
 * rb_postponed_job_flush). */
static void
job(void *nothing)
{
    ws_governor *governor = &ws_the_governor;
    settle_fork();
    if (governor->state == WS_GOVERNOR_STAYED) end_here("complete");
    else if (ws_governor_governs() && !is_leaving()) look_now();
}

static void
leave_to_ractors(void)
{
    end_here("ractor");
}

/* ---- the thread ---- */

static void *
tick(void *argument)
{
    uint64_t mine = (uint64_t)(uintptr_t)argument;
    unsigned requires = 0;
    for (bool on = true; on;) {
        ws_thread_sleep(TICK_MILLISECONDS);
        ws_mutex_lock(&lasting.lock);
        on = ws_governor_governs() && lasting.generation == mine;
        if (on && !ws_the_governor.collecting) {
            if (ws_the_governor.state == WS_GOVERNOR_LEAVING && ws_memory_peak() > ws_the_governor.leaving_most)
                ws_the_governor.state = WS_GOVERNOR_STAYED;
            bool requiring = requires != ws_the_governor.requires;
            requires = ws_the_governor.requires;
            if (requiring && !is_leaving()) ws_the_governor.look_wanted = true;
            else if (ws_the_governor.state != WS_GOVERNOR_LEAVING) ws_job_ask();
        }
        ws_mutex_unlock(&lasting.lock);
    }
    return NULL;
}

/* The child does not have the thread, which may have held the lock. The job does the rest, because the process may have
 * been forked by a native thread, and then there is no Ruby in the child. Asking for a job is the one thing that may be
 * done without Ruby: rb_postponed_job_trigger can be called from any thread at any time, even from a signal handler
 * (ruby/debug.h). Before 3.3 ws_job_ask only sets a flag. */
static void
after_fork_in_child(void)
{
    ws_governor *governor = &ws_the_governor;
    ws_mutex_init(&lasting.lock);
    governor->young_heap = false;
    bool governed = ws_governor_governs();
    if (!governed && governor->state != WS_GOVERNOR_EXPECTING) return;
    governor->ended_by = "fork";
    governor->ended = milliseconds_now();
    governor->state = governed ? WS_GOVERNOR_FORKED : WS_GOVERNOR_ENDED;
    if (governed) ws_job_ask();
}

/* The program's exit handlers are done, except for those registered before this one, which may still do anything. The
 * collector stays off. If it were on, Ruby would start a collection with the next object, of memory that goes with the
 * process anyway. The thread watches whether the process still grows, and asks for no job until it does, because a job
 * must not run while Ruby shuts down (on 3.1 a pending one makes the flush of a file fail: io.c,
 * io_fflush_buffer_async). */
static void
at_end(VALUE nothing)
{
    ws_governor *governor = &ws_the_governor;
    enum { SHARED = 128 << 20 }; /* resident memory that this process shares */
    size_t peak = ws_memory_peak();
    if (governor->state == WS_GOVERNOR_EXPECTING) end_here("end");
    if (!ws_governor_governs()) return;
    if (governor->awaits_collection || !peak || peak > governor->peak + SHARED)
        return end_here("end"); /* the peak is that of another program, before an exec */
    note_end("end");
    governor->leaving_most = peak + smaller(governor->landing_step, governor->due / 4);
    move_to(WS_GOVERNOR_LEAVING);
    ws_log("the program ends: %u collections, from %zu MB to %zu MB in %lld ms", governor->collections,
           governor->first >> 20, governor->peak >> 20, (long long)(governor->ended - governor->began));
}

/* Called when the VM is freed (gc.c: rb_objspace_call_finalizer). From here on nobody may ask it for a job. */
static void
at_last(void *nothing)
{
    ws_mutex_lock(&lasting.lock);
    ws_the_governor.state = WS_GOVERNOR_OFF;
    ws_job_forget();
    ws_mutex_unlock(&lasting.lock);
}

static const rb_data_type_t last_type = { .wrap_struct_name = "warmstart/governor", .function = { .dfree = at_last } };

/* ---- Native ---- */

static size_t
megabytes(VALUE options, const char *name)
{
    return (size_t)NUM2ULL(rb_hash_fetch(options, ID2SYM(rb_intern(name)))) << 20;
}

static int64_t
milliseconds(VALUE options, const char *name)
{
    return NUM2LL(rb_hash_fetch(options, ID2SYM(rb_intern(name))));
}

/* is_off: our own setup has switched the collector off.
 * Nothing in here raises, because then nobody would switch the collector on again. */
static bool
begin_to_govern(size_t size, bool is_off)
{
    ws_governor *governor = &ws_the_governor;
    if (!ws_job_listen()) return false;
    if (rb_gc_disable() == Qtrue && !is_off) {
        ws_job_stop();
        return false;
    }
    governor->ended_by = NULL;
    if (size > governor->peak) governor->peak = size;
    governor->due = step_beside(governor->floor ? governor->floor : used_size());
    note_collection(size);
    lasting.generation++;
    ws_governor_state before = governor->state;
    move_to(WS_GOVERNOR_BOOTING);
    governor->young_heap = true;
    if (ws_thread_start(NULL, tick, (void *)(uintptr_t)lasting.generation, 128 << 10)) return true;
    governor->young_heap = false;
    move_to(before);
    ws_job_stop();
    rb_gc_enable();
    return false;
}

/* call-seq: Native.govern(options) -> true or false
 *
 * Switches the collector off, at once or when enough files have been loaded. Options (Symbols), sizes in megabytes,
 * times in milliseconds:
 * - step, landing_step, allowed: how much may be taken between two collections, after land_governor, and in all
 * - floor: no collection below this size of the process; 0: at any size
 * - extent: instead, a Proc that returns these four when enough files have been loaded; nil: memory is short
 * - early: with a floor, a first collection after so much growth, whatever the floor; 0: none
 * - command: with a floor, an application that is ready may grow to the floor
 * - regrowth: with a floor, how much may be taken before the second collection in addition to what the first has
 *   freed
 * - files: begin when this many files have been loaded, and after a pause again; 0: begin now, and only once
 * - careful: it is not certain that this is a large boot
 * - ours: the collector is off because setup has switched it off
 * - idle, budget: the longest time without a require, and the longest in all
 * Returns false if the program itself has the collector off, or there is no thread or no way to tell the memory's
 * size. */
static VALUE
govern(VALUE self, VALUE options)
{
    ws_governor *governor = &ws_the_governor;
    ws_memory memory;
    ws_governor_settle();
    if (governor->state != WS_GOVERNOR_OFF || !ws_memory_now(&memory) || !learn_account()) return Qfalse;
    *governor = (ws_governor){
        .idle = milliseconds(options, "idle"),
        .budget = milliseconds(options, "budget"),
        .page_size = NUM2SIZET(rb_hash_fetch(options, ID2SYM(rb_intern("page_size")))),
        .began = milliseconds_now(),
        .first = memory.size,
        .peak = memory.size,
        .ask_at = memory.size + ASK_SOON,
    };
    governor->early = megabytes(options, "early");
    governor->regrowth = megabytes(options, "regrowth");
    governor->command = RTEST(rb_hash_fetch(options, ID2SYM(rb_intern("command"))));
    governor->careful = RTEST(rb_hash_fetch(options, ID2SYM(rb_intern("careful"))));
    governor->last_require = governor->began;
    if (!lasting.hooks_installed) {
        ws_thread_after_fork(after_fork_in_child);
        rb_gc_register_mark_object(rb_data_typed_object_wrap(0, governor, &last_type));
    }
    lasting.hooks_installed = true;
    rb_set_end_proc(at_end, Qnil);
    long files = governor->enough = NUM2LONG(rb_hash_fetch(options, ID2SYM(rb_intern("files"))));
    governor->files = RARRAY_LEN(lasting.features) + files;
    bool is_off = RTEST(rb_hash_lookup(options, ID2SYM(rb_intern("ours"))));
    lasting.extent = rb_hash_lookup(options, ID2SYM(rb_intern("extent")));
    if (files == 0 || NIL_P(lasting.extent)) set_extent(options, memory.size);
    if (files > 0) move_to(WS_GOVERNOR_EXPECTING);
    else if (!begin_to_govern(memory.size, is_off)) return Qfalse;
    ws_watch_begin(); /* of folders (folder_watch.h): here, because at a pause the governor ends it */
    return Qtrue;
}

/* call-seq: Native.land_governor(serves) -> nil
 * The application is ready. The governor ends when memory has grown by landing_step or at the next pause. A program
 * that ends before that does not collect any more. serves: whether the program is a server, so that what has been said
 * of commands does not hold. */
static VALUE
land(VALUE self, VALUE serves)
{
    ws_governor *governor = &ws_the_governor;
    if (governor->state == WS_GOVERNOR_EXPECTING) ws_governor_end("complete");
    bool begins = governor->state == WS_GOVERNOR_BOOTING;
    if (RTEST(serves) && governor->command) {
        governor->command = false;
        begins |= governor->state == WS_GOVERNOR_LANDING;
    }
    if (begins) {
        move_to(WS_GOVERNOR_LANDING);
        governor->landing_growth = growth() + smaller(governor->landing_step, governor->due / 4);
    }
    return Qnil;
}

/* Returns a static text of ours, because the reason is reported long after the end, and the text of a Symbol is a
 * String that compaction may move. */
static const char *
reason_named(VALUE symbol)
{
    static const char *const known[] = { "complete", "failed" };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (symbol == ID2SYM(rb_intern(known[i]))) return known[i];
    return "stopped";
}

/* call-seq: Native.end_governor(reason) -> nil
 * reason: :complete or :failed; any other one is reported as :stopped. */
static VALUE
end_governor(VALUE self, VALUE reason)
{
    ws_governor_end(reason_named(reason));
    return Qnil;
}

/* call-seq: Native.governing? -> true or false
 * For the tests, which ask again and again: it makes no object. */
static VALUE
is_governing(VALUE self)
{
    return ws_governor_governs() ? Qtrue : Qfalse;
}

/* call-seq: Native.governor -> {governing:, expecting:, collections:, first:, peak:, growth:, settled:, uncollected:,
 * step: (bytes), milliseconds:, ended_by: Symbol or nil}
 * growth: 0 if the governor ended before the boot did. */
static VALUE
facts(VALUE self)
{
    const ws_governor *governor = &ws_the_governor;
    int64_t until = governor->ended_by ? governor->ended : milliseconds_now();
    bool paused = governor->ended_by && strcmp(governor->ended_by, "grown") == 0;
    VALUE hash = rb_hash_new();
    if (!governor->ended_by) weigh();
    rb_hash_aset(hash, ID2SYM(rb_intern("governing")), is_governing(self));
    rb_hash_aset(hash, ID2SYM(rb_intern("expecting")), governor->state == WS_GOVERNOR_EXPECTING ? Qtrue : Qfalse);
    rb_hash_aset(hash, ID2SYM(rb_intern("collections")), UINT2NUM(governor->collections));
    rb_hash_aset(hash, ID2SYM(rb_intern("first")), SIZET2NUM(governor->first));
    rb_hash_aset(hash, ID2SYM(rb_intern("peak")), SIZET2NUM(governor->peak));
    rb_hash_aset(hash, ID2SYM(rb_intern("growth")), SIZET2NUM(paused ? 0 : governor->peak - governor->first));
    rb_hash_aset(hash, ID2SYM(rb_intern("settled")), SIZET2NUM(governor->settled));
    rb_hash_aset(hash, ID2SYM(rb_intern("uncollected")), SIZET2NUM(governor->uncollected));
    rb_hash_aset(hash, ID2SYM(rb_intern("step")), SIZET2NUM(governor->step));
    rb_hash_aset(hash, ID2SYM(rb_intern("milliseconds")), LL2NUM(until - governor->began));
    rb_hash_aset(hash, ID2SYM(rb_intern("ended_by")),
                 governor->ended_by ? ID2SYM(rb_intern(governor->ended_by)) : Qnil);
    return hash;
}

/* Has the program itself switched the collector off? */
static bool
is_off_by_program(void)
{
    if (ws_governor_governs()) return ws_the_governor.disabled_by_program;
    bool off = rb_gc_disable() == Qtrue;
    if (!off) rb_gc_enable();
    return off;
}

/* call-seq: Native.young_heap? -> true or false
 * Whether collections were postponed in this process, its objects have not been made old for a fork yet, and the
 * program has not switched the collector off. */
static VALUE
is_heap_young(VALUE self)
{
    return ws_the_governor.young_heap && !is_off_by_program() ? Qtrue : Qfalse;
}

/* call-seq: Native.settle_malloc -> nil
 *
 * Puts in order what malloc has been given back, and gives whole pages of it to the system. A collection frees some
 * hundred thousand pieces. glibc keeps these in one list, and looks through it when a large piece is wanted (malloc.c:
 * _int_malloc, at most MAX_ITERS of them at a time): it joins, sorts and so writes each of them. If a server's workers
 * did that, each would copy nearly all pages of the heap. So large pieces are wanted here, until the list is empty.
 * This is the last thing that is done before a fork. */
static VALUE
settle_malloc(VALUE self)
{
    ws_the_governor.young_heap = false;
#ifdef HAVE_MALLOC_TRIM
    enum { LARGE = 120 << 10, TIMES = 256 }; /* below the size from which on the system is asked (M_MMAP_THRESHOLD) */
    for (int i = 0; i < TIMES; i++) {
        void *volatile piece = malloc(LARGE); /* volatile: the compiler must not leave both calls out */
        free(piece);
    }
    malloc_trim(0);
#endif
    return Qnil;
}

/* call-seq: Native.available_memory -> Integer (bytes) or nil
 * The memory that may still be taken, if a system call tells that. */
static VALUE
available_memory(VALUE self)
{
    uint64_t available = ws_memory_available();
    return available > 0 ? ULL2NUM(available) : Qnil;
}

/* call-seq: Native.memory_limits = [machine, [limit, usage, statistics, cached], ...]
 * The files that tell how much memory is left, and the limits of control groups in bytes: see memory.h. */
static VALUE
set_memory_limits(VALUE self, VALUE limits)
{
    VALUE machine = rb_ary_entry(limits, 0);
    if (!ws_memory_limits_begin(StringValueCStr(machine))) rb_memerror();
    for (long i = 1; i < RARRAY_LEN(limits); i++) {
        VALUE group = rb_ary_entry(limits, i), usage = rb_ary_entry(group, 1), statistics = rb_ary_entry(group, 2),
              cached = rb_ary_entry(group, 3);
        ws_memory_limit limit = { NUM2ULL(rb_ary_entry(group, 0)), StringValueCStr(usage), StringValueCStr(statistics),
                                  StringValueCStr(cached) };
        if (!ws_memory_limits_add(&limit)) rb_memerror();
    }
    return limits;
}

/* call-seq: Native.memory_left -> Integer (bytes) or nil
 * What these leave now. */
static VALUE
memory_left(VALUE self)
{
    uint64_t left = ws_memory_left();
    return left == UINT64_MAX ? Qnil : ULL2NUM(left);
}

/* call-seq: Native.kernel_text(path) -> String or nil
 * Reads one of the kernel's files. Ruby would make a dozen system calls for it. */
static VALUE
kernel_text(VALUE self, VALUE path)
{
    char text[16 << 10];
    long size = ws_memory_read(StringValueCStr(path), text, sizeof text);
    return size < 0 ? Qnil : rb_str_new(text, size);
}

void
ws_init_governor(VALUE native)
{
    rb_define_singleton_method(native, "available_memory", available_memory, 0);
    rb_define_singleton_method(native, "memory_limits=", set_memory_limits, 1);
    rb_define_singleton_method(native, "memory_left", memory_left, 0);
    rb_define_singleton_method(native, "kernel_text", kernel_text, 1);
    rb_define_singleton_method(native, "young_heap?", is_heap_young, 0);
    rb_define_singleton_method(native, "settle_malloc", settle_malloc, 0);
    ws_job_init(job, leave_to_ractors);
    lasting.features = rb_gv_get("$LOADED_FEATURES");
    rb_gc_register_mark_object(lasting.features);
    rb_gc_register_address(&lasting.extent);
    lasting.heap_allocated_pages = ID2SYM(rb_intern("heap_allocated_pages"));
    lasting.heap_available_slots = ID2SYM(rb_intern("heap_available_slots"));
    lasting.heap_live_slots = ID2SYM(rb_intern("heap_live_slots"));
    lasting.malloc_increase_bytes = ID2SYM(rb_intern("malloc_increase_bytes"));
    lasting.total_malloc_bytes = ID2SYM(rb_intern("total_malloc_bytes"));
    rb_define_singleton_method(native, "govern", govern, 1);
    rb_define_singleton_method(native, "land_governor", land, 1);
    rb_define_singleton_method(native, "end_governor", end_governor, 1);
    rb_define_singleton_method(native, "governing?", is_governing, 0);
    rb_define_singleton_method(native, "governor", facts, 0);
}
