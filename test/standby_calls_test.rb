# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/standby_program"

# While a standby boots, no call may pass that asks the outside something that is not recorded, or changes something. So
# each system call that the kernel has is in one of four places: the interposer has its function; the C library has no
# function for it, so it is made by syscall(2), where only a few numbers pass (is_harmless in effects.c); the C library
# makes it by itself in functions of other names, which are here; or it is harmless, for the reason that is here.
class StandbyCallsTest < TestCase
  # The functions by which a program makes calls that have no function of their own name.
  OTHER_NAMES = {
    "clone3" => %w[clone pthread_create fork posix_spawn],
    "faccessat2" => %w[faccessat],
    "fadvise64" => %w[posix_fadvise],
    "getdents" => %w[opendir fdopendir],
    "newfstatat" => %w[fstatat stat lstat],
    "pselect6" => %w[pselect select],
    "signalfd4" => [],
    "eventfd2" => %w[eventfd],
    "exit_group" => %w[_exit],
    "rt_sigqueueinfo" => %w[sigqueue],
    "rt_tgsigqueueinfo" => %w[pthread_sigqueue],
    "tkill" => %w[tgkill],
    "mq_getsetattr" => %w[mq_open]
  }.freeze

  HARMLESS = {
    "memory of the process: a child has a copy of it, as of all that the boot has made" => %w[
      mprotect
      brk
      mremap
      msync
      mincore
      munlock
      munlockall
      shmdt
      remap_file_pages
      mseal
      pkey_alloc
      pkey_free
      pkey_mprotect
      memfd_create
    ],
    "handlers, masks and stacks for signals are inherited by a child" => %w[
      sigaltstack
      rt_sigaction
      rt_sigprocmask
      rt_sigreturn
      rt_sigpending
      rt_sigsuspend
      rt_sigtimedwait
      restart_syscall
      pause
    ],
    "waiting, and the time: what a boot reads from clocks is told in docs/standby.md" => %w[
      nanosleep
      clock_nanosleep
      clock_gettime
      clock_getres
      gettimeofday
      time
      times
      getitimer
      sched_yield
    ],
    "numbers of the process: they are its own, and told in docs/standby.md" => %w[getpid gettid],
    "part of the key: the client that finds this standby has the same" => %w[
      getuid
      getgid
      geteuid
      getegid
      getresuid
      getresgid
      getgroups
      capget
      uname
      getrlimit
      sched_get_priority_max
      sched_get_priority_min
    ],
    "set for the process alone, and inherited by a child" => %w[setrlimit umask arch_prctl],
    "use of memory and processors: told in docs/standby.md beside /proc" => %w[getrusage sysinfo getcpu],
    "random numbers: told in docs/standby.md" => %w[getrandom],
    "a folder's entries and the working directory are recorded when the folder is opened or changed to" => %w[
      getcwd
      fchdir
      getdents64
    ],
    "a descriptor that leads outside is found when the boot is complete; connecting, binding and sending are refused" => %w[
      signalfd
      timerfd_create
      timerfd_settime
      timerfd_gettime
      inotify_init
      inotify_init1
      inotify_add_watch
      inotify_rm_watch
      fanotify_init
      fanotify_mark
    ],
    "of a descriptor that cannot be had without one that is refused, or asks about one that is open already" => %w[
      epoll_wait
      epoll_pwait
      epoll_pwait2
      timer_settime
      timer_gettime
      timer_getoverrun
      timer_delete
      mq_timedsend
      mq_timedreceive
      mq_notify
    ],
    "without children nothing is waited for" => %w[wait4 waitid],
    "a child by vfork that becomes a program is refused there (execve); one that only ends leaves nothing" => %w[vfork],
    "the end" => %w[exit],
    "when data reach the disk, no program can tell" => %w[sync]
  }.freeze

  # Numbers that pass syscall(2): is_harmless in effects.c has the same.
  BY_NUMBER = %w[futex gettid getrandom membarrier sched_getaffinity getcpu get_mempolicy].freeze

  def setup
    skip "Linux on x86-64 only" unless RUBY_PLATFORM.match?(/x86_64-linux/)
    missing("nm") unless system("nm", "--version", out: File::NULL)
    @headers = Dir["/usr/include/{*/,}asm/unistd_64.h"].first or missing("the kernel's headers")
  end

  # (name@VERSION is for programs that were linked long ago; name@@VERSION is what programs are linked to.)
  def functions(library) =
    IO.popen(["nm", "-D", "--defined-only", library], &:read).scan(/ [TWi] (\w+)(?:@@\S+)?$/).flatten.uniq

  def met = @met ||= functions(File.join(File.dirname(StandbyProgram::CLIENT), "interposer.so"))

  test "each system call is met, refused, or harmless for a reason" do
    calls = File.read(@headers).scan(/#define __NR_(\w+)/).flatten
    library = functions(File.read("/proc/self/maps")[%r{/\S*/libc\.so\.6|/\S*/libc-\S+\.so}])
    assert_operator calls.size, :>, 300
    harmless = HARMLESS.values.flatten
    by_functions = calls & library
    missed = by_functions - met - harmless - by_functions.select { |call| met.include?("#{call}64") }
    assert_empty missed, "these are to be added to refused.c, or to HARMLESS with a reason"
    assert_empty OTHER_NAMES.values.flatten.uniq - met
    assert_empty harmless & met, "the interposer has these, so they need no reason"
    assert_empty harmless.tally.select { |_, times| times > 1 }.keys
    numbers =
      File.read(File.join(Program::REPOSITORY, "ext/warmstart_standby/effects.c"))[/HARMLESS\[\] = \{(.*?)\}/m, 1].scan(
        /SYS_(\w+)/
      ).flatten
    assert_equal BY_NUMBER.sort, numbers.sort
  end
end
