// Source: credentials(7), pid_namespaces(7); the GNU C library passes arguments to constructors (System V ABI, "init").
#include "firn_start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int argument_count;
static const char *const *arguments;

const char *const *firn_start_arguments(int *count) {
    *count = argument_count;
    return arguments;
}

/// Opens /dev/null in place of what is closed, so that no file of the program gets a number to which it prints.
static void fill_standard_descriptors(void) {
    for (int standard = 0; standard < 3; standard++) {
        if (fcntl(standard, F_GETFD) >= 0 || errno != EBADF) continue;
        // The lowest free number is this one. A container without /dev/null has a root folder.
        if (open("/dev/null", O_RDWR) < 0 && open("/", O_RDONLY) < 0) return;
    }
}

/// Waits for all processes until the program ends, and ends as it did. Signals wait while this is called.
_Noreturn static void be_first_process(pid_t program, const sigset_t *signals) {
    while (1) {
        int status;
        for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
            if (ended == program && WIFEXITED(status)) _exit(WEXITSTATUS(status));
            if (ended == program) _exit(128 + WTERMSIG(status));
        }
        siginfo_t signal;
        // A terminal gives its signals to the program itself.
        if (sigwaitinfo(signals, &signal) > 0 && signal.si_signo != SIGCHLD && signal.si_code != SI_KERNEL)
            kill(program, signal.si_signo);
    }
}

/// Continues in a child if this is the first process of the system. Where there is none to be had, the program runs as
/// the first process itself.
static void leave_first_process(void) {
    if (getpid() != 1) return;
    sigset_t all, before;
    sigfillset(&all);
    // What the process itself causes stays its own.
    const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t program = fork();
    if (program > 0) be_first_process(program, &all);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/// Ends a program that would be ended later, at no certain time: libdispatch counts its threads in /proc, and traps where
/// it cannot (Swift 6.3, "workqueue_internal").
static void require_proc(const char *name) {
    if (access("/proc/self/task", F_OK) == 0) return;
    const char *slash = strrchr(name, '/');
    dprintf(2, "%s: /proc is not mounted; the threads of Swift need it\n", slash ? slash + 1 : name);
    _exit(1);
}

static int has_reserve;

/// Keeps address space for small allocations where it is limited (`ulimit -v`): Swift ends a program in which one fails.
/// Large ones, which may fail, never take from this reserve. One arena of the heap instead of several of 64 MiB leaves
/// more for both. Source: mallopt(3).
static void reserve_heap(void) {
    enum { RESERVE = 32 << 20, LARGE = 128 << 10 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, RESERVE);
    // Grows the heap by the reserve.
    void *block = malloc(LARGE - 1);
    __asm__ volatile("" : : "r"(block) : "memory");
    free(block);
    has_reserve = 1;
}

void firn_start_trim_heap(void) {
    if (!has_reserve) malloc_trim(0);
}

__attribute__((constructor)) static void start(int count, char **words) {
    argument_count = count;
    arguments = (const char *const *)words;
    fill_standard_descriptors();
    reserve_heap();
    require_proc(count > 0 ? words[0] : "firn");
    leave_first_process();
}
