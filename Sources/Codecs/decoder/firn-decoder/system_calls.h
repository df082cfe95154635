// The system calls of a worker. Documentation/Isolation.md lists them with reasons.
//
// A call in neither list fails with ENOSYS, as on a kernel without it: libraries try many calls that they can do
// without, newer versions even more. A call in the second list ends the process: no decoder makes it, only code
// injected by an image.
#ifndef FIRN_DECODER_SYSTEM_CALLS_H
#define FIRN_DECODER_SYSTEM_CALLS_H

#include <errno.h>
#include <sys/syscall.h>

#include "firn_worker.h"

#ifndef SYS_rseq
#define SYS_rseq __NR_rseq
#endif

enum { THREADS = 1 << FIRN_GROUP_THREADS, FONTS = 1 << FIRN_GROUP_FONTS };
enum { ALL = 1 << FIRN_GROUP_PLAIN | THREADS | FONTS, THREADED = THREADS | FONTS };

typedef enum {
    ALLOWED,
    /// Fails with an error that libraries expect.
    REFUSED,
    /// Without PROT_EXEC, and neither locked nor with huge pages.
    PLAIN_MAPPING,
    /// Without PROT_EXEC.
    NOT_EXECUTABLE,
    /// Advice on using the process's own memory; other advice fails with EINVAL.
    PLAIN_ADVICE,
    /// For the process's own address space limit.
    OWN_ADDRESS_SPACE,
    /// Fails with EAGAIN for a thread, and ends the process for a new process.
    NO_PROCESS,
    /// To a thread of the same process.
    OWN_PROCESS,
} rule_kind;

typedef struct {
    int number;
    int groups;
    rule_kind kind;
    int error;
} rule;

static const rule rules[] = {
    // The protocol.
    {SYS_recvmsg, ALL, ALLOWED, 0},
    {SYS_sendmsg, ALL, ALLOWED, 0},
    {SYS_write, ALL, ALLOWED, 0},
    {SYS_close, ALL, ALLOWED, 0},
    // Reading a descriptor passed by the program.
    {SYS_pread64, ALL, ALLOWED, 0},
    {SYS_exit_group, ALL, ALLOWED, 0},
    {SYS_prlimit64, ALL, OWN_ADDRESS_SPACE, 0},
    // Memory.
    {SYS_brk, ALL, ALLOWED, 0},
    {SYS_mmap, ALL, PLAIN_MAPPING, 0},
    {SYS_mprotect, ALL, NOT_EXECUTABLE, 0},
    {SYS_munmap, ALL, ALLOWED, 0},
    {SYS_mremap, ALL, ALLOWED, 0},
    {SYS_madvise, ALL, PLAIN_ADVICE, 0},
    // Waiting, time, and queries about the machine. The kernel continues an interrupted wait with restart_syscall.
    {SYS_futex, ALL, ALLOWED, 0},
    {SYS_restart_syscall, ALL, ALLOWED, 0},
    {SYS_clock_gettime, ALL, ALLOWED, 0},
    {SYS_clock_nanosleep, ALL, ALLOWED, 0},
    {SYS_nanosleep, ALL, ALLOWED, 0},
    {SYS_gettimeofday, ALL, ALLOWED, 0},
    {SYS_sched_yield, ALL, ALLOWED, 0},
    {SYS_getrandom, ALL, ALLOWED, 0},
    {SYS_sysinfo, ALL, ALLOWED, 0},
    {SYS_sched_getaffinity, ALL, ALLOWED, 0},
    {SYS_getcpu, ALL, ALLOWED, 0},
    {SYS_rt_sigreturn, ALL, ALLOWED, 0},
    // Used by abort() to end the process.
    {SYS_tgkill, ALL, OWN_PROCESS, 0},
    {SYS_rt_sigprocmask, ALL, ALLOWED, 0},
    {SYS_rt_sigaction, ALL, ALLOWED, 0},
    {SYS_getpid, ALL, ALLOWED, 0},
    {SYS_gettid, ALL, ALLOWED, 0},
    // Names of mappings and threads.
    {SYS_prctl, ALL, REFUSED, EINVAL},
    // Threads exist before the filter. The arguments of clone3 are behind a pointer; libraries fall back to clone.
    {SYS_clone3, ALL, REFUSED, ENOSYS},
    {SYS_clone, ALL, NO_PROCESS, 0},
    {SYS_rseq, THREADED, ALLOWED, 0},
    {SYS_set_robust_list, THREADED, ALLOWED, 0},
    {SYS_exit, THREADED, ALLOWED, 0},
    {SYS_sigaltstack, THREADED, ALLOWED, 0},
    // librsvg, Pango and GLib read fonts, and wait.
    {SYS_read, FONTS, ALLOWED, 0},
    {SYS_lseek, FONTS, ALLOWED, 0},
    {SYS_fstat, FONTS, ALLOWED, 0},
    {SYS_eventfd2, FONTS, ALLOWED, 0},
    {SYS_ppoll, FONTS, ALLOWED, 0},
    // Optional files: the processor description, locales, loaders, caches.
    {SYS_openat, ALL, REFUSED, ENOENT},
    {SYS_newfstatat, ALL, REFUSED, ENOENT},
    {SYS_faccessat, ALL, REFUSED, ENOENT},
    {SYS_readlinkat, ALL, REFUSED, ENOENT},
    {SYS_getcwd, ALL, REFUSED, ENOENT},
    {SYS_fcntl, ALL, REFUSED, EINVAL},
    {SYS_ioctl, ALL, REFUSED, ENOTTY},
    {SYS_writev, ALL, REFUSED, EBADF},
    // The names of the system and the user.
    {SYS_uname, ALL, REFUSED, EFAULT},
    {SYS_getuid, ALL, REFUSED, EPERM},
    {SYS_geteuid, ALL, REFUSED, EPERM},
    // GLib checks whether warnings go to a log.
    {SYS_getpeername, ALL, REFUSED, ENOTSOCK},
    {SYS_getsockname, ALL, REFUSED, ENOTSOCK},
#ifdef __x86_64__
    {SYS_poll, FONTS, ALLOWED, 0},
    {SYS_open, ALL, REFUSED, ENOENT},
    {SYS_stat, ALL, REFUSED, ENOENT},
    {SYS_lstat, ALL, REFUSED, ENOENT},
    {SYS_access, ALL, REFUSED, ENOENT},
    {SYS_readlink, ALL, REFUSED, ENOENT},
#endif
};

static const int fatal_calls[] = {
    // Programs and processes.
    SYS_execve, SYS_execveat, SYS_unshare, SYS_setns, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
    SYS_kcmp, SYS_kill, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_pidfd_send_signal,
    SYS_pidfd_getfd,
    // The network, and named shared memory.
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_shmget, SYS_shmat,
    SYS_msgget, SYS_semget, SYS_mq_open,
    // Parts of the kernel with a history of vulnerabilities.
    SYS_bpf, SYS_perf_event_open, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_userfaultfd,
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_open_by_handle_at, SYS_fanotify_init,
    // The system itself.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_init_module, SYS_finit_module, SYS_delete_module,
    SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_settimeofday, SYS_clock_settime,
    // Code, and memory that cannot be swapped.
    SYS_pkey_mprotect, SYS_memfd_create, SYS_mlock, SYS_mlock2, SYS_mlockall,
#ifdef __x86_64__
    SYS_fork, SYS_vfork, SYS_modify_ldt, SYS_iopl, SYS_ioperm,
#endif
};

#endif
