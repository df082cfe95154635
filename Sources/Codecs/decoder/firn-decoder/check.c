// Each attempt runs in a separate process, confined like a worker. It reports through its exit status, because it may
// end during the attempt.
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "confine.h"
#include "firn_packets.h"
#include "memory.h"
#include "zygote.h"

/// The target process of the attempts: the one that started them.
static pid_t parent;
static char secret[16] = "secret";

// Raw calls, so that no C library function refuses first. Each returns whether it had an effect.

static bool opens(void) { return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY, 0) >= 0; }

static bool creates(void) {
    return syscall(SYS_openat, AT_FDCWD, "/tmp/firn-decoder-check", O_CREAT | O_RDWR, 0600) >= 0;
}

static bool lists(void) { return syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0) >= 0; }

static bool connects(void) { return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0) >= 0; }

static bool connects_locally(void) { return syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0) >= 0; }

static bool starts_program(void) {
    char *const words[] = {"/bin/true", NULL}, *const none[] = {NULL};
    return syscall(SYS_execve, words[0], words, none) == 0;
}

static bool forks(void) { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0; }

static bool traces(void) { return syscall(SYS_ptrace, PTRACE_ATTACH, parent, 0, 0) == 0; }

static bool reads_parent(void) {
    char copy[16];
    struct iovec own = {copy, sizeof copy}, other = {secret, sizeof secret};
    return syscall(SYS_process_vm_readv, parent, &own, 1, &other, 1, 0) > 0;
}

static bool opens_parent(void) {
    char name[40];
    snprintf(name, sizeof name, "/proc/%d/mem", (int)parent);
    return syscall(SYS_openat, AT_FDCWD, name, O_RDONLY, 0) >= 0;
}

static bool signals(void) { return syscall(SYS_kill, parent, 0) == 0; }

static bool signals_thread(void) { return syscall(SYS_tgkill, parent, parent, 0) == 0; }

static bool maps_code(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static bool limits_parent(void) {
    struct rlimit limits;
    return syscall(SYS_prlimit64, parent, RLIMIT_AS, NULL, &limits) == 0;
}

static bool raises_limit(void) {
    const struct rlimit limits = {RLIM_INFINITY, RLIM_INFINITY};
    return syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &limits, NULL) == 0;
}

static bool raises_time(void) {
    const struct rlimit limits = {RLIM_INFINITY, RLIM_INFINITY};
    return syscall(SYS_prlimit64, 0, RLIMIT_CPU, &limits, NULL) == 0;
}

static bool follows_parent(void) { return syscall(SYS_pidfd_open, parent, 0) >= 0; }

static int wait_for_nothing(void *nothing) {
    while (true) syscall(SYS_sched_yield);
    return nothing != NULL;
}

static bool starts_thread(void) {
    enum { STACK = 64 << 10 };
    char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const int kind = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    return stack != MAP_FAILED && clone(wait_for_nothing, stack + STACK, kind, NULL) >= 0;
}

static bool sets_timer(void) {
    const struct itimerval none = {0};
    return syscall(SYS_setitimer, ITIMER_PROF, &none, NULL) == 0;
}

static bool makes_timer(void) {
    int timer;
    return syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, &timer) == 0;
}

static void *page(int more_flags) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

static bool maps_locked(void) { return page(MAP_LOCKED) != NULL; }

static bool locks_memory(void) { return syscall(SYS_mlock, page(0), 4096) == 0; }

static bool maps_huge(void) {
    return mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) != MAP_FAILED;
}

/// Fills a page and gives harmful advice about it.
static bool advises(int advice) {
    char *filled = page(0);
    if (!filled) return false;
    *(volatile char *)filled = 1;
    return syscall(SYS_madvise, filled, 4096, advice) == 0;
}

/// `MADV_SOFT_OFFLINE`, which the C library headers lack.
enum { SOFT_OFFLINE = 101 };

static bool poisons(void) { return advises(MADV_HWPOISON); }

static bool takes_offline(void) { return advises(SOFT_OFFLINE); }

static bool merges_pages(void) { return advises(MADV_MERGEABLE); }

static bool makes_memory_file(void) { return syscall(SYS_memfd_create, "check", 0) >= 0; }

static bool shares_by_name(void) { return syscall(SYS_shmget, 0x4669726e, 4096, IPC_CREAT | 0600) >= 0; }

static bool makes_ring(void) {
    char parameters[120] = {0};
    return syscall(SYS_io_uring_setup, 8, parameters) >= 0;
}

static bool makes_namespace(void) { return syscall(SYS_unshare, CLONE_NEWUSER) == 0; }

static bool loads_kernel_program(void) { return syscall(SYS_bpf, 0, NULL, 0) >= 0; }

// Calls that libraries make but can do without: they must neither succeed nor end the process.

static bool reads_processor(void) { return syscall(SYS_openat, AT_FDCWD, "/proc/cpuinfo", O_RDONLY | O_CLOEXEC) >= 0; }

static bool looks_for_file(void) { return syscall(SYS_faccessat, AT_FDCWD, "/etc/passwd", R_OK) == 0; }

static bool reads_link(void) {
    char text[64];
    return syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", text, sizeof text) >= 0;
}

static bool asks_for_name(void) {
    struct utsname name;
    return syscall(SYS_uname, &name) == 0;
}

static bool asks_for_thread_name(void) {
    char name[16];
    return syscall(SYS_prctl, PR_GET_NAME, name, 0, 0, 0) == 0;
}

static bool asks_for_policy(void) { return syscall(SYS_sched_getscheduler, 0) >= 0; }

static bool asks_for_usage(void) {
    struct rusage usage;
    return syscall(SYS_getrusage, RUSAGE_SELF, &usage) == 0;
}

static bool asks_for_new_call(void) { return syscall(4000) >= 0; }

typedef struct {
    const char *name;
    bool (*attempt)(void);
} attempt;

static const attempt attempts[] = {
    {"open a file", opens},
    {"create a file", creates},
    {"list a folder", lists},
    {"make a network socket", connects},
    {"make a local socket", connects_locally},
    {"start a program", starts_program},
    {"start a process", forks},
    {"trace the parent", traces},
    {"read the parent's memory", reads_parent},
    {"open the parent's memory", opens_parent},
    {"signal the parent", signals},
    {"signal the parent's thread", signals_thread},
    {"map code", maps_code},
    {"ask for the parent's limits", limits_parent},
    {"raise a limit", raises_limit},
    {"raise the limit of CPU time", raises_time},
    {"hold the parent by a descriptor", follows_parent},
    {"start a thread", starts_thread},
    {"set a timer", sets_timer},
    {"make a timer", makes_timer},
    {"map locked memory", maps_locked},
    {"lock memory", locks_memory},
    {"map huge pages", maps_huge},
    {"poison memory", poisons},
    {"take memory offline", takes_offline},
    {"merge memory with other processes", merges_pages},
    {"make a memory file", makes_memory_file},
    {"share memory by name", shares_by_name},
    {"make an io_uring", makes_ring},
    {"make a namespace", makes_namespace},
    {"load a program into the kernel", loads_kernel_program},
};

/// Attempts that the process must survive.
static const attempt probes[] = {
    {"read what the processor is", reads_processor},
    {"look for a file", looks_for_file},
    {"read a link", reads_link},
    {"ask for the system's name", asks_for_name},
    {"ask for the thread's name", asks_for_thread_name},
    {"ask for the scheduler", asks_for_policy},
    {"ask for the CPU time used", asks_for_usage},
    {"make an unknown call", asks_for_new_call},
};

enum { HAD_EFFECT = 3, UNCONFINED = 4, ENDED = 5 };

/// Returns the exit status of an attempt; ENDED if it ended the process.
static int status_of(const attempt *attempt, firn_worker_group group) {
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
        if (confine(group, parent, memory_mapped() + (64 << 20), 2)) _exit(UNCONFINED);
        _exit(attempt->attempt() ? HAD_EFFECT : 0);
    }
    int status = 0;
    if (process < 0 || waitpid(process, &status, 0) < 0) return UNCONFINED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : ENDED;
}

/// Makes the attempts of a list, prints their results, and returns the worst one: 0 if all were refused.
static int check_list(firn_worker_group group, const attempt *list, size_t count, bool survives) {
    static const char *const groups[] = {"plain", "threads", "fonts"};
    int worst = 0;
    for (size_t i = 0; i < count; i++) {
        int status = status_of(&list[i], group), weight = 0;
        const char *word = "refused";
        if (status == HAD_EFFECT) word = "ALLOWED", weight = 1;
        if (status == ENDED && survives) word = "ENDS THE PROCESS", weight = 1;
        if (status == UNCONFINED) word = "NOT CONFINED", weight = 2;
        printf("%s: %s: %s\n", groups[group], list[i].name, word);
        if (weight > worst) worst = weight;
    }
    return worst;
}

/// Requests what every decode needs at its start, in a process that then ends. Returns the first refused resource; NULL
/// if there is none.
static const char *refused_at_start(void) {
    int sockets[2];
    if (firn_memory_make(1) < 0) return "memory to share";
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) return "sockets of packets";
    return close_from(STDERR_FILENO + 1) ? NULL : "a list of open descriptors";
}

/// Prints the first resource that a decode needs and the system refuses. Returns whether there is none.
static bool check_start(void) {
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
        errno = 0;
        const char *refused = refused_at_start();
        if (!refused) _exit(0);
        printf("start: %s: NOT GIVEN: %s\n", refused, strerror(errno));
        fflush(stdout);
        _exit(1);
    }
    int status = 0;
    if (process > 0 && waitpid(process, &status, 0) == process) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    printf("start: a process: NOT GIVEN: %s\n", strerror(errno));
    return false;
}

int check(void) {
    int worst = check_start() ? 0 : 2;
    parent = getpid();
    printf("Landlock: %s\n", confine_has_landlock() ? "yes" : "no");
    for (int group = FIRN_GROUP_PLAIN; group <= FIRN_GROUP_FONTS; group++) {
        int of_attempts =
            check_list((firn_worker_group)group, attempts, sizeof attempts / sizeof *attempts, false);
        int of_probes = check_list((firn_worker_group)group, probes, sizeof probes / sizeof *probes, true);
        int worse = of_attempts > of_probes ? of_attempts : of_probes;
        if (worse > worst) worst = worse;
    }
    return worst;
}
