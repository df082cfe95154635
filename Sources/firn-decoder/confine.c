// Source: seccomp(2), landlock(7), prctl(2), setrlimit(2); linux/filter.h.
#include "confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#else
#error "confine.c has no list of system calls for this machine"
#endif

#ifndef SYS_rseq
#define SYS_rseq __NR_rseq
#endif

// MARK: System calls

enum { PLAIN = 1 << FIRN_GROUP_PLAIN, THREADS = 1 << FIRN_GROUP_THREADS, FONTS = 1 << FIRN_GROUP_FONTS };
enum { ALL = PLAIN | THREADS | FONTS, THREADED = THREADS | FONTS };

typedef enum {
    ALLOWED,
    /// Fails with an error that libraries expect, instead of ending the process.
    REFUSED,
    /// Only without PROT_EXEC in the third argument.
    NOT_EXECUTABLE,
    /// Only for the own limit of address space.
    OWN_ADDRESS_SPACE,
    /// Only for a thread.
    THREAD_ONLY,
    /// Only for a thread of the process itself.
    OWN_PROCESS,
} rule_kind;

typedef struct {
    int number;
    int groups;
    rule_kind kind;
    int error;
} rule;

/// The calls that are not in this list end the process.
static const rule rules[] = {
    // The protocol.
    {SYS_recvmsg, ALL, ALLOWED, 0},
    {SYS_sendmsg, ALL, ALLOWED, 0},
    {SYS_write, ALL, ALLOWED, 0},
    {SYS_close, ALL, ALLOWED, 0},
    {SYS_exit_group, ALL, ALLOWED, 0},
    {SYS_prlimit64, ALL, OWN_ADDRESS_SPACE, 0},
    // Memory.
    {SYS_brk, ALL, ALLOWED, 0},
    {SYS_mmap, ALL, NOT_EXECUTABLE, 0},
    {SYS_mprotect, ALL, NOT_EXECUTABLE, 0},
    {SYS_munmap, ALL, ALLOWED, 0},
    {SYS_mremap, ALL, ALLOWED, 0},
    {SYS_madvise, ALL, ALLOWED, 0},
    // Waiting, time, and what libraries ask about the machine.
    {SYS_futex, ALL, ALLOWED, 0},
    {SYS_clock_gettime, ALL, ALLOWED, 0},
    {SYS_gettimeofday, ALL, ALLOWED, 0},
    {SYS_sched_yield, ALL, ALLOWED, 0},
    {SYS_getrandom, ALL, ALLOWED, 0},
    {SYS_sysinfo, ALL, ALLOWED, 0},
    {SYS_sched_getaffinity, ALL, ALLOWED, 0},
    {SYS_rt_sigreturn, ALL, ALLOWED, 0},
    // How abort() ends a process.
    {SYS_tgkill, ALL, OWN_PROCESS, 0},
    {SYS_rt_sigprocmask, ALL, ALLOWED, 0},
    {SYS_rt_sigaction, ALL, ALLOWED, 0},
    {SYS_getpid, ALL, ALLOWED, 0},
    {SYS_gettid, ALL, ALLOWED, 0},
    // Names of mappings and threads.
    {SYS_prctl, ALL, REFUSED, EINVAL},
    // Threads. The arguments of clone3 are behind a pointer; libraries fall back to clone.
    {SYS_clone3, ALL, REFUSED, ENOSYS},
    {SYS_clone, THREADED, THREAD_ONLY, 0},
    {SYS_clone, PLAIN, REFUSED, EAGAIN},
    {SYS_rseq, THREADED, ALLOWED, 0},
    {SYS_set_robust_list, THREADED, ALLOWED, 0},
    {SYS_exit, THREADED, ALLOWED, 0},
    {SYS_sigaltstack, THREADED, ALLOWED, 0},
    {SYS_sched_getattr, FONTS, REFUSED, ENOSYS},
    {SYS_sched_setattr, FONTS, REFUSED, ENOSYS},
    // librsvg, Pango and GLib look for files that a drawing does not need.
    {SYS_read, FONTS, ALLOWED, 0},
    {SYS_lseek, FONTS, ALLOWED, 0},
    {SYS_fstat, FONTS, ALLOWED, 0},
    {SYS_eventfd2, FONTS, ALLOWED, 0},
    {SYS_ppoll, FONTS, ALLOWED, 0},
    {SYS_getcwd, FONTS, REFUSED, ENOENT},
    {SYS_openat, FONTS, REFUSED, ENOENT},
    {SYS_newfstatat, FONTS, REFUSED, ENOENT},
    {SYS_faccessat, FONTS, REFUSED, ENOENT},
    {SYS_readlinkat, FONTS, REFUSED, ENOENT},
    {SYS_statx, FONTS, REFUSED, ENOSYS},
    {SYS_fcntl, FONTS, REFUSED, EINVAL},
    {SYS_uname, FONTS, REFUSED, EFAULT},
    // GLib looks whether warnings go to a log.
    {SYS_getpeername, FONTS, REFUSED, ENOTSOCK},
    {SYS_getsockname, FONTS, REFUSED, ENOTSOCK},
    {SYS_ioctl, FONTS, REFUSED, ENOTTY},
    {SYS_writev, FONTS, REFUSED, EBADF},
    {SYS_getuid, FONTS, REFUSED, EPERM},
    {SYS_geteuid, FONTS, REFUSED, EPERM},
#ifdef __x86_64__
    {SYS_poll, FONTS, ALLOWED, 0},
    {SYS_open, FONTS, REFUSED, ENOENT},
    {SYS_stat, FONTS, REFUSED, ENOENT},
    {SYS_lstat, FONTS, REFUSED, ENOENT},
    {SYS_access, FONTS, REFUSED, ENOENT},
    {SYS_readlink, FONTS, REFUSED, ENOENT},
#endif
};

enum { RULES = sizeof rules / sizeof *rules, LONGEST_FILTER = 8 + RULES * 7 };

typedef struct {
    struct sock_filter steps[LONGEST_FILTER];
    unsigned short count;
} filter;

static void add(filter *filter, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    filter->steps[filter->count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(filter *filter, size_t offset) { add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }

static void give(filter *filter, uint32_t action) { add(filter, BPF_RET | BPF_K, action, 0, 0); }

/// The lower half of an argument; both machines are little-endian. All arguments that are checked are ints or flags
/// that the kernel reads as 32 bits, but for the flags of clone, whose upper half has no meaning.
static size_t argument(int index) { return offsetof(struct seccomp_data, args) + (size_t)index * 8; }

/// Ends the process if the comparison of an argument with `value` does not have the result `wanted`. Three steps.
static void demand(filter *filter, int index, uint16_t comparison, uint32_t value, bool wanted) {
    load(filter, argument(index));
    add(filter, BPF_JMP | comparison | BPF_K, value, wanted, !wanted);
    give(filter, SECCOMP_RET_KILL_PROCESS);
}

static void add_rule(filter *filter, const rule *rule) {
    // The number is loaded. Skips the steps of this rule if it is another call.
    static const uint8_t lengths[] = {
        [ALLOWED] = 1, [REFUSED] = 1, [NOT_EXECUTABLE] = 4, [OWN_ADDRESS_SPACE] = 6, [THREAD_ONLY] = 4,
        [OWN_PROCESS] = 4};
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->number, 0, lengths[rule->kind]);
    switch (rule->kind) {
    case ALLOWED: break;
    case REFUSED: give(filter, SECCOMP_RET_ERRNO | (uint32_t)rule->error); return;
    case NOT_EXECUTABLE: demand(filter, 2, BPF_JSET, PROT_EXEC, false); break;
    case OWN_ADDRESS_SPACE:
        load(filter, argument(0));
        // 0 is the process itself. For any other one, jumps to the last step of `demand`.
        add(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2);
        demand(filter, 1, BPF_JEQ, RLIMIT_AS, true);
        break;
    case THREAD_ONLY: demand(filter, 0, BPF_JSET, CLONE_THREAD, true); break;
    case OWN_PROCESS: demand(filter, 0, BPF_JEQ, (uint32_t)getpid(), true); break;
    }
    give(filter, SECCOMP_RET_ALLOW);
}

static bool filter_calls(firn_worker_group group) {
    filter filter = {.count = 0};
    load(&filter, offsetof(struct seccomp_data, arch));
    add(&filter, BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0);
    give(&filter, SECCOMP_RET_KILL_PROCESS);
    load(&filter, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < RULES; i++)
        if (rules[i].groups & 1 << group) add_rule(&filter, &rules[i]);
    give(&filter, SECCOMP_RET_KILL_PROCESS);
    const struct sock_fprog program = {filter.count, filter.steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// MARK: Landlock

/// The rights of the first version of Landlock. Later rights (truncating, devices, the network) are refused by the list
/// of system calls.
static const uint64_t file_rights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE
    | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR
    | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR
    | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO
    | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

bool confine_has_landlock(void) {
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

static bool refuse_files(void) {
    if (!confine_has_landlock()) return true;
    const struct landlock_ruleset_attr rights = {.handled_access_fs = file_rights};
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rights, sizeof rights, 0);
    if (ruleset < 0) return false;
    bool is_set = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return is_set;
}

// MARK: Limits

static bool limit(int resource, uint64_t soft, uint64_t hard) {
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)resource, &now)) return false;
    if (hard > now.rlim_max) hard = now.rlim_max;
    if (soft > hard) soft = hard;
    return setrlimit((__rlimit_resource_t)resource, &(struct rlimit){soft, hard}) == 0;
}

/// Descriptors of a worker: three of /dev/null, its sockets, an input, memory, and fonts that are being read.
enum { MOST_DESCRIPTORS = 24 };

const char *confine(firn_worker_group group, pid_t parent, uint64_t memory, uint64_t seconds) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL)) return "PR_SET_PDEATHSIG";
    // Order: a parent that ended before the call above sends no signal.
    if (getppid() != parent) return "the zygote has ended";
    if (prctl(PR_SET_DUMPABLE, 0)) return "PR_SET_DUMPABLE";
    if (!limit(RLIMIT_CORE, 0, 0) || !limit(RLIMIT_FSIZE, 0, 0)
        || !limit(RLIMIT_NOFILE, MOST_DESCRIPTORS, MOST_DESCRIPTORS) || !limit(RLIMIT_AS, memory, memory)
        || !limit(RLIMIT_CPU, seconds, seconds + 1))
        return "setrlimit";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return "PR_SET_NO_NEW_PRIVS";
    if (!refuse_files()) return "Landlock";
    if (!filter_calls(group)) return "seccomp";
    return NULL;
}

bool confine_step(uint64_t address_space) {
    // Most steps have the limit of the one before.
    static uint64_t last;
    if (!address_space || address_space == last) return true;
    struct rlimit limits;
    if (prlimit(0, RLIMIT_AS, NULL, &limits)) return false;
    limits.rlim_cur = address_space < limits.rlim_max ? address_space : limits.rlim_max;
    if (prlimit(0, RLIMIT_AS, &limits, NULL)) return false;
    last = address_space;
    return true;
}
