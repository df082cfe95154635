// Each attempt runs in a process of its own, confined as a worker is. It reports through its exit status, because it
// may end in the attempt.
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "confine.h"
#include "memory.h"

/// The process that the attempts are aimed at: the one that started them.
static pid_t parent;
static char secret[16] = "secret";

// Raw calls, so that no function of the C library refuses first. Each returns whether it had an effect.

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

static const struct {
    const char *name;
    bool (*attempt)(void);
} attempts[] = {
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
};

enum { ATTEMPTS = sizeof attempts / sizeof *attempts, HAD_EFFECT = 3, UNCONFINED = 4 };

/// Returns the exit status of an attempt; 0 if the process ended in it.
static int status_of(int attempt, firn_worker_group group) {
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
        if (confine(group, parent, memory_mapped() + (64 << 20), 2)) _exit(UNCONFINED);
        _exit(attempts[attempt].attempt() ? HAD_EFFECT : 0);
    }
    int status = 0;
    if (process < 0 || waitpid(process, &status, 0) < 0) return UNCONFINED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

int check(void) {
    static const char *const groups[] = {"plain", "threads", "fonts"};
    int worst = 0;
    parent = getpid();
    printf("Landlock: %s\n", confine_has_landlock() ? "yes" : "no");
    for (int group = FIRN_GROUP_PLAIN; group <= FIRN_GROUP_FONTS; group++) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int status = status_of(attempt, (firn_worker_group)group);
            const char *word = status == 0 ? "refused" : status == HAD_EFFECT ? "ALLOWED" : "NOT CONFINED";
            printf("%s: %s: %s\n", groups[group], attempts[attempt].name, word);
            int weight = status == 0 ? 0 : status == HAD_EFFECT ? 1 : 2;
            if (weight > worst) worst = weight;
        }
    }
    return worst;
}
