/* The calls that a standby's boot may not make, and of which nothing is to be known but that: they change something
 * outside, or their answer is not in the trace, or a child does not inherit what they make. Before such a call the
 * standby ends (effects.c). Calls that may be made, or whose answers are recorded, are in interposer.c. Together they
 * are all calls: test/standby_calls_test.rb has a reason for each system call that is in neither file.
 *
 * Each function here hands on six words as they came, which are in registers; some have seven or eight. All these
 * functions take integers and pointers only (those that take fractions are at the end). */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process.h"

#define EXPORTED __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

static bool
is_standard(long fd)
{
    return (int)fd >= 0 && (int)fd <= STDERR_FILENO;
}

/* One that is not open here the client may have. (A question that Ruby asks after it has begun.) */
static bool
is_missing(long fd)
{
    int before = errno;
    bool open = (int)fd <= STDERR_FILENO || syscall(SYS_fcntl, (int)fd, F_GETFD) >= 0;
    errno = before;
    return !open && ws_the_process.interface.place;
}

/* Whether a stream is one of those that the program began with. */
static bool
is_standard_stream(long file)
{
    FILE *stream = (FILE *)(uintptr_t)file;
    return stream == stdin || stream == stdout || stream == stderr;
}

/* Whether what is printed to a stream leaves the process. (The stream may keep it, and a child would print it again.
 * One on memory has no descriptor.) */
static bool
is_outside(long file)
{
    int before = errno, fd = fileno((FILE *)(uintptr_t)file);
    errno = before;
    return fd >= 0;
}

static bool
is_another_process(long pid)
{
    return (pid_t)pid != 0 && (pid_t)pid != getpid();
}

/* Names of threads and memory, and Ruby's wish for small pages (main), which a child inherits: prctl(2). */
static bool
is_inherited(long option)
{
    enum { SET_VMA = 0x53564d41 };
    return option == PR_SET_NAME || option == PR_GET_NAME || option == SET_VMA || option == PR_SET_THP_DISABLE;
}

/* The words: a is the first. */
#define SIX long a, long b, long c, long d, long e, long f
#define REFUSE_OF(name, when, parameters, arguments)                                             \
    EXPORTED long refused_##name parameters __asm__(#name);                                      \
    EXPORTED long refused_##name parameters                                                      \
    {                                                                                            \
        static long(*real) parameters;                                                           \
        if (__builtin_expect(!real, 0)) *(void **)&real = dlsym(RTLD_NEXT, #name);               \
        if (__builtin_expect(ws_standby_booting, 0) && (when)) ws_standby_refuse(#name, CALLER); \
        if (__builtin_expect(!real, 0)) return errno = ENOSYS, -1; /* (an older libc) */         \
        return real arguments;                                                                   \
    }
#define REFUSE(name, when) REFUSE_OF(name, when, (SIX), (a, b, c, d, e, f))
#define SEVEN(name) REFUSE_OF(name, true, (SIX, long g), (a, b, c, d, e, f, g))
#define EIGHT(name) REFUSE_OF(name, true, (SIX, long g, long h), (a, b, c, d, e, f, g, h))
#define ALWAYS(name) REFUSE(name, true)
/* Ruby's own may: its interpreter wakes its threads by them, and makes them anew after a fork. (As it does
 * with pipes: interposer.c.) */
#define BY_OTHERS(name) REFUSE(name, !ws_standby_is_rubys(CALLER))
/* The first word is a descriptor of the client's, or a stream on it. */
#define STANDARD(name) REFUSE(name, is_standard(a) || is_missing(a))
#define STREAM(name, word) REFUSE(name, is_standard_stream(word))
#define PRINTED(name, word) REFUSE(name, is_outside(word))
#define OTHER_PROCESS(name, word) REFUSE(name, is_another_process(word))

/* (Its three last words are there only with some flags.) */
EXPORTED int refused_clone(int (*run)(void *), void *stack, int flags, void *argument, ...) __asm__("clone");
EXPORTED int
refused_clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
    static int (*real)(int (*)(void *), void *, int, void *, ...);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "clone");
    if (__builtin_expect(ws_standby_booting, 0)) ws_standby_refuse("clone", CALLER);
    va_list list;
    va_start(list, argument);
    void *parent = va_arg(list, void *), *area = va_arg(list, void *), *child = va_arg(list, void *);
    va_end(list);
    int result = real(run, stack, flags, argument, parent, area, child);
    return result;
}

/* ---- questions whose answers are not recorded ---- */

/* clang-format off */
ALWAYS(statfs) ALWAYS(statfs64) ALWAYS(fstatfs) ALWAYS(fstatfs64) ALWAYS(ustat)
ALWAYS(statvfs) ALWAYS(statvfs64) ALWAYS(fstatvfs) ALWAYS(fstatvfs64) ALWAYS(pathconf) ALWAYS(fpathconf)
ALWAYS(getxattr) ALWAYS(lgetxattr) ALWAYS(fgetxattr) ALWAYS(listxattr) ALWAYS(llistxattr) ALWAYS(flistxattr)
ALWAYS(glob) ALWAYS(glob64) ALWAYS(wordexp) ALWAYS(scandir) ALWAYS(scandir64) ALWAYS(scandirat) ALWAYS(scandirat64)
ALWAYS(ftw) ALWAYS(ftw64) ALWAYS(nftw) ALWAYS(nftw64) ALWAYS(fts_open) ALWAYS(fts64_open)
ALWAYS(openat2) ALWAYS(name_to_handle_at) ALWAYS(open_by_handle_at) ALWAYS(dlmopen)
ALWAYS(mktemp) ALWAYS(tmpnam) ALWAYS(tmpnam_r) ALWAYS(tempnam)
ALWAYS(setmntent) ALWAYS(getfsent) ALWAYS(getfsspec) ALWAYS(getfsfile) ALWAYS(getttyent) ALWAYS(getttynam)
ALWAYS(getusershell) ALWAYS(getdate) ALWAYS(getdate_r) ALWAYS(catopen)
ALWAYS(getspnam) ALWAYS(getspnam_r) ALWAYS(getspent) ALWAYS(getspent_r)
ALWAYS(getsgnam) ALWAYS(getsgnam_r) ALWAYS(getsgent) ALWAYS(getsgent_r)
/* who is logged in */
ALWAYS(getlogin) ALWAYS(getlogin_r) ALWAYS(__getlogin_r_chk) ALWAYS(cuserid)
ALWAYS(getutent) ALWAYS(getutent_r) ALWAYS(getutid) ALWAYS(getutid_r) ALWAYS(getutline) ALWAYS(getutline_r)
ALWAYS(getutxent) ALWAYS(getutxid) ALWAYS(getutxline)
/* the network, and the databases of names in it */
ALWAYS(gethostbyname_r) SEVEN(gethostbyname2_r) EIGHT(gethostbyaddr_r) ALWAYS(gethostent) ALWAYS(gethostent_r)
SEVEN(getnameinfo) ALWAYS(getaddrinfo_a) ALWAYS(gethostid)
ALWAYS(getservbyname) ALWAYS(getservbyname_r) ALWAYS(getservbyport) ALWAYS(getservbyport_r) ALWAYS(getservent)
ALWAYS(getservent_r) ALWAYS(getprotobyname) ALWAYS(getprotobyname_r) ALWAYS(getprotobynumber)
ALWAYS(getprotobynumber_r) ALWAYS(getprotoent) ALWAYS(getprotoent_r) ALWAYS(getnetbyname) ALWAYS(getnetbyname_r)
ALWAYS(getnetbyaddr) SEVEN(getnetbyaddr_r) ALWAYS(getnetent) ALWAYS(getnetent_r) ALWAYS(getrpcbyname)
ALWAYS(getrpcbyname_r) ALWAYS(getrpcbynumber) ALWAYS(getrpcbynumber_r) ALWAYS(getrpcent) ALWAYS(getrpcent_r)
ALWAYS(getaliasbyname) ALWAYS(getaliasbyname_r) ALWAYS(getaliasent) ALWAYS(getaliasent_r)
ALWAYS(innetgr) ALWAYS(setnetgrent) ALWAYS(ether_hostton) ALWAYS(ether_ntohost)
ALWAYS(res_query) ALWAYS(res_search) ALWAYS(res_querydomain) ALWAYS(res_send)
ALWAYS(res_nquery) ALWAYS(res_nsearch) ALWAYS(res_nquerydomain) ALWAYS(res_nsend)
ALWAYS(if_nameindex) ALWAYS(if_nametoindex) ALWAYS(if_indextoname)
/* terminals */
ALWAYS(ttyname) ALWAYS(ttyname_r) ALWAYS(__ttyname_r_chk) ALWAYS(ttyslot) ALWAYS(tcgetpgrp) ALWAYS(tcgetsid)
/* other processes; what is asked of them and what is changed (priorities have kinds of numbers, so all of those) */
ALWAYS(getpriority) ALWAYS(ioprio_get) ALWAYS(pidfd_open) ALWAYS(pidfd_getfd) ALWAYS(process_vm_readv)
OTHER_PROCESS(sched_getaffinity, a) OTHER_PROCESS(sched_getparam, a) OTHER_PROCESS(sched_getscheduler, a)
OTHER_PROCESS(sched_rr_get_interval, a) OTHER_PROCESS(sched_getattr, a)
OTHER_PROCESS(prlimit, a) OTHER_PROCESS(prlimit64, a)
ALWAYS(personality)

/* ---- the client's descriptors ---- */

STANDARD(dup) STANDARD(readv) STANDARD(preadv) STANDARD(preadv64) STANDARD(preadv2) STANDARD(preadv64v2)
STANDARD(recv) STANDARD(recvfrom) STANDARD(recvmsg) STANDARD(recvmmsg) STANDARD(__recv_chk) STANDARD(__recvfrom_chk)
STANDARD(accept) STANDARD(accept4) STANDARD(shutdown) STANDARD(getsockopt) STANDARD(setsockopt)
STANDARD(getsockname) STANDARD(getpeername) STANDARD(sockatmark) STANDARD(posix_fadvise) STANDARD(posix_fadvise64)
STANDARD(readahead) STANDARD(fsync) STANDARD(fdatasync) STANDARD(syncfs) STANDARD(sync_file_range)
STANDARD(fdopen) ALWAYS(close_range) ALWAYS(closefrom)
STANDARD(tcdrain) STANDARD(tcflow) STANDARD(tcflush) STANDARD(tcsendbreak) STANDARD(tcsetpgrp)
REFUSE(epoll_ctl, is_standard(c))
REFUSE(__poll_chk, true) REFUSE(__ppoll_chk, true)
STREAM(fread, d) STREAM(fread_unlocked, d) STREAM(__fread_chk, e) STREAM(__fread_unlocked_chk, e)
STREAM(fgets, c) STREAM(fgets_unlocked, c) STREAM(__fgets_chk, d) STREAM(__fgets_unlocked_chk, d)
STREAM(fgetc, a) STREAM(fgetc_unlocked, a) STREAM(getc, a) STREAM(getc_unlocked, a) STREAM(_IO_getc, a) STREAM(getw, a)
STREAM(getdelim, d) STREAM(__getdelim, d) STREAM(getline, c)
STREAM(fgetwc, a) STREAM(fgetwc_unlocked, a) STREAM(getwc, a) STREAM(getwc_unlocked, a)
STREAM(fgetws, c) STREAM(fgetws_unlocked, c) STREAM(__fgetws_chk, d) STREAM(__fgetws_unlocked_chk, d)
STREAM(fscanf, a) STREAM(vfscanf, a) STREAM(__isoc99_fscanf, a) STREAM(__isoc99_vfscanf, a)
STREAM(__isoc23_fscanf, a) STREAM(__isoc23_vfscanf, a) STREAM(__isoc23_fwscanf, a) STREAM(__isoc23_vfwscanf, a)
STREAM(fwscanf, a) STREAM(vfwscanf, a) STREAM(__isoc99_fwscanf, a) STREAM(__isoc99_vfwscanf, a)
ALWAYS(getchar) ALWAYS(getchar_unlocked) ALWAYS(getwchar) ALWAYS(getwchar_unlocked) ALWAYS(__gets_chk)
ALWAYS(scanf) ALWAYS(vscanf) ALWAYS(__isoc99_scanf) ALWAYS(__isoc99_vscanf)
ALWAYS(wscanf) ALWAYS(vwscanf) ALWAYS(__isoc99_wscanf) ALWAYS(__isoc99_vwscanf)
ALWAYS(__isoc23_scanf) ALWAYS(__isoc23_vscanf) ALWAYS(__isoc23_wscanf) ALWAYS(__isoc23_vwscanf)
STREAM(__uflow, a) STREAM(__underflow, a) STREAM(__wuflow, a) STREAM(__wunderflow, a)
STREAM(fseek, a) STREAM(fseeko, a) STREAM(fseeko64, a) STREAM(ftell, a) STREAM(ftello, a) STREAM(ftello64, a)
STREAM(fgetpos, a) STREAM(fgetpos64, a) STREAM(fsetpos, a) STREAM(fsetpos64, a) STREAM(rewind, a)
/* (what prints more than this is in interposer.c) */
PRINTED(__overflow, a) PRINTED(__woverflow, a) PRINTED(fputc_unlocked, b) PRINTED(putc_unlocked, b) PRINTED(_IO_putc, b)
PRINTED(putw, b) PRINTED(fputwc, b) PRINTED(fputwc_unlocked, b) PRINTED(putwc, b) PRINTED(putwc_unlocked, b)
PRINTED(fputws, b) PRINTED(fputws_unlocked, b) PRINTED(vfwprintf, a) PRINTED(__vfwprintf_chk, a)
ALWAYS(putchar_unlocked) ALWAYS(putwchar) ALWAYS(putwchar_unlocked) ALWAYS(vwprintf) ALWAYS(__vwprintf_chk)
ALWAYS(__vprintf_chk) ALWAYS(__vdprintf_chk)
ALWAYS(verr) ALWAYS(verrx) ALWAYS(vwarn) ALWAYS(vwarnx) ALWAYS(psignal) ALWAYS(psiginfo) ALWAYS(herror) ALWAYS(fmtmsg)
ALWAYS(backtrace_symbols_fd) ALWAYS(putpwent) ALWAYS(putgrent) ALWAYS(putspent) ALWAYS(putsgent)
ALWAYS(getpass)
/* (names that only programs have which were built long ago) */
ALWAYS(_IO_fopen) ALWAYS(_IO_fputs) ALWAYS(_IO_fwrite) ALWAYS(_IO_puts) ALWAYS(_IO_vfprintf)

/* ---- effects on the outside ---- */

ALWAYS(lremovexattr) ALWAYS(fremovexattr) ALWAYS(lchmod) ALWAYS(futimesat) ALWAYS(lockf) ALWAYS(lockf64)
ALWAYS(chroot) ALWAYS(pivot_root) ALWAYS(mount) ALWAYS(umount) ALWAYS(umount2) ALWAYS(open_tree) ALWAYS(move_mount)
ALWAYS(mount_setattr) ALWAYS(fsopen) ALWAYS(fsconfig) ALWAYS(fsmount) ALWAYS(fspick) ALWAYS(quotactl) ALWAYS(acct)
ALWAYS(swapon) ALWAYS(swapoff) ALWAYS(reboot) ALWAYS(vhangup) ALWAYS(sethostname) ALWAYS(setdomainname)
ALWAYS(sethostid) ALWAYS(settimeofday) ALWAYS(clock_settime) ALWAYS(clock_adjtime) ALWAYS(adjtime) ALWAYS(adjtimex)
ALWAYS(ntp_adjtime) ALWAYS(init_module) ALWAYS(delete_module) ALWAYS(klogctl) ALWAYS(vsyslog) ALWAYS(__vsyslog_chk)
ALWAYS(login) ALWAYS(login_tty) ALWAYS(logout) ALWAYS(logwtmp) ALWAYS(updwtmp) ALWAYS(updwtmpx) ALWAYS(pututline)
ALWAYS(pututxline) ALWAYS(lckpwdf) ALWAYS(ulckpwdf) ALWAYS(mtrace) ALWAYS(monstartup) ALWAYS(profil) ALWAYS(sprofil)
ALWAYS(listen) ALWAYS(rcmd) SEVEN(rcmd_af) ALWAYS(rexec) SEVEN(rexec_af) ALWAYS(rresvport) ALWAYS(rresvport_af)
ALWAYS(ruserok) ALWAYS(ruserok_af) ALWAYS(bindresvport)
ALWAYS(raise) ALWAYS(gsignal) ALWAYS(tgkill) ALWAYS(sigqueue) ALWAYS(pthread_sigqueue) ALWAYS(pidfd_send_signal)
ALWAYS(process_vm_writev) ALWAYS(process_madvise) ALWAYS(process_mrelease) ALWAYS(ptrace)
ALWAYS(setpriority) ALWAYS(sched_setaffinity) ALWAYS(sched_setparam) ALWAYS(sched_setscheduler) ALWAYS(sched_setattr)
ALWAYS(aio_read) ALWAYS(aio_read64) ALWAYS(aio_write) ALWAYS(aio_write64) ALWAYS(aio_fsync) ALWAYS(aio_fsync64)
ALWAYS(lio_listio) ALWAYS(lio_listio64)
ALWAYS(shm_unlink) ALWAYS(shmat) ALWAYS(shmctl) ALWAYS(sem_open) ALWAYS(sem_unlink) ALWAYS(semget) ALWAYS(semop)
ALWAYS(semctl) ALWAYS(semtimedop) ALWAYS(msgget) ALWAYS(msgsnd) ALWAYS(msgrcv) ALWAYS(msgctl) ALWAYS(mq_open)
ALWAYS(mq_unlink)

/* ---- what a child does not inherit, or what makes another process of the standby's ---- */

BY_OTHERS(eventfd) BY_OTHERS(epoll_create) BY_OTHERS(epoll_create1)
BY_OTHERS(timer_create) ALWAYS(ualarm)
ALWAYS(mlock) ALWAYS(mlock2) ALWAYS(mlockall) REFUSE(madvise, (int)c == MADV_DONTFORK) REFUSE(prctl, !is_inherited(a))
ALWAYS(pidfd_spawn) ALWAYS(pidfd_spawnp)
ALWAYS(daemon) ALWAYS(forkpty) ALWAYS(openpty) ALWAYS(posix_openpt) ALWAYS(getpt)
ALWAYS(unshare) ALWAYS(setns) ALWAYS(capset) ALWAYS(modify_ldt) ALWAYS(iopl) ALWAYS(ioperm)
ALWAYS(setuid) ALWAYS(setgid) ALWAYS(seteuid) ALWAYS(setegid) ALWAYS(setreuid) ALWAYS(setregid) ALWAYS(setresuid)
ALWAYS(setresgid) ALWAYS(setgroups) ALWAYS(initgroups) ALWAYS(setfsuid) ALWAYS(setfsgid)
/* clang-format on */

/* ---- text with fractions in it, which are not words ---- */

#define PRINTS(name, parameters, last, when, real_name, real_parameters, real_arguments)         \
    EXPORTED int refused_##name parameters __asm__(#name);                                       \
    EXPORTED int refused_##name parameters                                                       \
    {                                                                                            \
        static int(*real) real_parameters;                                                       \
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, #real_name);                               \
        if (__builtin_expect(ws_standby_booting, 0) && (when)) ws_standby_refuse(#name, CALLER); \
        va_list list;                                                                            \
        va_start(list, last);                                                                    \
        int result = real real_arguments;                                                        \
        va_end(list);                                                                            \
        return result;                                                                           \
    }

    /* clang-format off */
PRINTS(syslog, (int priority, const char *format, ...), format, true,
       vsyslog, (int, const char *, va_list), (priority, format, list))
PRINTS(__syslog_chk, (int priority, int flag, const char *format, ...), format, true,
       __vsyslog_chk, (int, int, const char *, va_list), (priority, flag, format, list))
PRINTS(warn, (const char *format, ...), format, true, vwarn, (const char *, va_list), (format, list))
PRINTS(warnx, (const char *format, ...), format, true, vwarnx, (const char *, va_list), (format, list))
PRINTS(err, (int status, const char *format, ...), format, true,
       verr, (int, const char *, va_list), (status, format, list))
PRINTS(errx, (int status, const char *format, ...), format, true,
       verrx, (int, const char *, va_list), (status, format, list))
PRINTS(__dprintf_chk, (int fd, int flag, const char *format, ...), format, fd >= 0,
       __vdprintf_chk, (int, int, const char *, va_list), (fd, flag, format, list))
PRINTS(wprintf, (const wchar_t *format, ...), format, true, vwprintf, (const wchar_t *, va_list), (format, list))
PRINTS(__wprintf_chk, (int flag, const wchar_t *format, ...), format, true,
       __vwprintf_chk, (int, const wchar_t *, va_list), (flag, format, list))
PRINTS(fwprintf, (FILE *file, const wchar_t *format, ...), format, is_outside((long)(uintptr_t)file),
       vfwprintf, (FILE *, const wchar_t *, va_list), (file, format, list))
PRINTS(__fwprintf_chk, (FILE *file, int flag, const wchar_t *format, ...), format, is_outside((long)(uintptr_t)file),
       __vfwprintf_chk, (FILE *, int, const wchar_t *, va_list), (file, flag, format, list))
/* clang-format on */

/* These two have no second form that takes a list, so the text is made first. */
#define COMPLAINS(name, parameters, real_parameters, real_arguments)                   \
    EXPORTED void refused_##name parameters __asm__(#name);                            \
    EXPORTED void refused_##name parameters                                            \
    {                                                                                  \
        static void(*real) real_parameters;                                            \
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name);                          \
        if (__builtin_expect(ws_standby_booting, 0)) ws_standby_refuse(#name, CALLER); \
        char *text = NULL;                                                             \
        va_list list;                                                                  \
        va_start(list, format);                                                        \
        if (vasprintf(&text, format, list) < 0) text = NULL;                           \
        va_end(list);                                                                  \
        real real_arguments;                                                           \
        free(text);                                                                    \
    }

    /* clang-format off */
COMPLAINS(error, (int status, int number, const char *format, ...),
          (int, int, const char *, ...), (status, number, "%s", text ? text : format))
COMPLAINS(error_at_line, (int status, int number, const char *file, unsigned line, const char *format, ...),
          (int, int, const char *, unsigned, const char *, ...),
          (status, number, file, line, "%s", text ? text : format))
    /* clang-format on */
