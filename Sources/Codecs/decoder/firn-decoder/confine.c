// Source: seccomp(2), landlock(7), prctl(2), setrlimit(2); linux/filter.h.
#include "confine.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system_calls.h"

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#else
#error "confine.c has no list of system calls for this machine"
#endif

// MARK: System calls

enum {
    RULES = sizeof rules / sizeof *rules,
    FATAL_CALLS = sizeof fatal_calls / sizeof *fatal_calls,
    LONGEST_RULE = 9,
    LONGEST_FILTER = 8 + RULES * LONGEST_RULE + FATAL_CALLS * 2,
};

typedef struct {
    struct sock_filter steps[LONGEST_FILTER];
    unsigned short count;
} filter;

static void add(filter *filter, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    filter->steps[filter->count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(filter *filter, size_t offset) { add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }

static void give(filter *filter, uint32_t action) { add(filter, BPF_RET | BPF_K, action, 0, 0); }

/// The lower half of an argument; both machines are little-endian. All checked arguments are ints or flags that the
/// kernel reads as 32 bits, except the flags of clone and mmap, whose upper halves have no meaning.
static size_t argument(int index) { return offsetof(struct seccomp_data, args) + (size_t)index * 8; }

/// Ends the process unless comparing an argument with `value` gives the result `wanted`. Three steps.
static void demand(filter *filter, int index, uint16_t comparison, uint32_t value, bool wanted) {
    load(filter, argument(index));
    add(filter, BPF_JMP | comparison | BPF_K, value, wanted, !wanted);
    give(filter, SECCOMP_RET_KILL_PROCESS);
}

/// Advice that frees memory of the process or describes its use.
static const uint32_t plain_advice = 1u << MADV_NORMAL | 1u << MADV_RANDOM | 1u << MADV_SEQUENTIAL | 1u << MADV_WILLNEED
    | 1u << MADV_DONTNEED | 1u << MADV_FREE | 1u << MADV_HUGEPAGE | 1u << MADV_NOHUGEPAGE | 1u << MADV_DONTDUMP;

static void demand_plain_advice(filter *filter) {
    load(filter, argument(2));
    add(filter, BPF_JMP | BPF_JGT | BPF_K, 31, 4, 0);
    add(filter, BPF_MISC | BPF_TAX, 0, 0, 0);
    add(filter, BPF_LD | BPF_IMM, 1, 0, 0);
    add(filter, BPF_ALU | BPF_LSH | BPF_X, 0, 0, 0);
    add(filter, BPF_JMP | BPF_JSET | BPF_K, plain_advice, 1, 0);
    give(filter, SECCOMP_RET_ERRNO | EINVAL);
}

static void add_rule(filter *filter, const rule *rule) {
    // The call number is loaded. Skips this rule for other calls; its length is known at its end.
    unsigned short start = filter->count;
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->number, 0, 0);
    switch (rule->kind) {
    case ALLOWED: break;
    case REFUSED: give(filter, SECCOMP_RET_ERRNO | (uint32_t)rule->error); break;
    case NOT_EXECUTABLE: demand(filter, 2, BPF_JSET, PROT_EXEC, false); break;
    case PLAIN_MAPPING:
        demand(filter, 2, BPF_JSET, PROT_EXEC, false);
        demand(filter, 3, BPF_JSET, MAP_LOCKED | MAP_HUGETLB, false);
        break;
    case PLAIN_ADVICE: demand_plain_advice(filter); break;
    case OWN_ADDRESS_SPACE:
        load(filter, argument(0));
        // 0 is the process itself. For any other process, jumps to the last step of `demand`.
        add(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2);
        demand(filter, 1, BPF_JEQ, RLIMIT_AS, true);
        break;
    case NO_PROCESS:
        demand(filter, 0, BPF_JSET, CLONE_THREAD, true);
        give(filter, SECCOMP_RET_ERRNO | EAGAIN);
        break;
    case OWN_PROCESS: demand(filter, 0, BPF_JEQ, (uint32_t)getpid(), true); break;
    }
    if (rule->kind != REFUSED && rule->kind != NO_PROCESS) give(filter, SECCOMP_RET_ALLOW);
    filter->steps[start].jf = (uint8_t)(filter->count - start - 1);
}

/// Installs the filter for all threads.
static bool filter_calls(firn_worker_group group) {
    filter filter = {.count = 0};
    load(&filter, offsetof(struct seccomp_data, arch));
    add(&filter, BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0);
    give(&filter, SECCOMP_RET_KILL_PROCESS);
    load(&filter, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    // Call numbers of the x32 interface.
    add(&filter, BPF_JMP | BPF_JSET | BPF_K, 0x40000000, 0, 1);
    give(&filter, SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t i = 0; i < RULES; i++)
        if (rules[i].groups & 1 << group) add_rule(&filter, &rules[i]);
    for (size_t i = 0; i < FATAL_CALLS; i++) {
        add(&filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)fatal_calls[i], 0, 1);
        give(&filter, SECCOMP_RET_KILL_PROCESS);
    }
    give(&filter, SECCOMP_RET_ERRNO | ENOSYS);
    const struct sock_fprog program = {filter.count, filter.steps};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

// MARK: Landlock

/// The rights of Landlock's first version. The list of system calls refuses operations of later rights (truncating,
/// devices, the network).
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

// MARK: Threads

/// The number of threads that libraries may use at a time: libde265 one for each decoder, librsvg those of its pool
/// (``RAYON_NUM_THREADS``), Pango one for each font that it looks for.
enum { MOST_THREADS = 8 };

/// A thread that runs one body after another. It is free without a body.
typedef struct {
    pthread_t thread;
    void *(*body)(void *);
    void *argument, *result;
    bool is_detached, has_returned;
} lent_thread;

static lent_thread lent[MOST_THREADS];
static int lent_count;
static pthread_mutex_t lent_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t lent_changed = PTHREAD_COND_INITIALIZER;

static void *lend(void *own) {
    lent_thread *self = own;
    pthread_mutex_lock(&lent_lock);
    while (true) {
        while (!self->body || self->has_returned) pthread_cond_wait(&lent_changed, &lent_lock);
        pthread_mutex_unlock(&lent_lock);
        void *result = self->body(self->argument);
        pthread_mutex_lock(&lent_lock);
        self->result = result;
        self->has_returned = true;
        if (self->is_detached) self->body = NULL;
        pthread_cond_broadcast(&lent_changed);
    }
    return NULL;
}

typedef int (*thread_creation)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int (*thread_join)(pthread_t, void **);
typedef int (*thread_detachment)(pthread_t);

/// Returns the C library function that this file replaces.
static void *replaced(const char *name) { return dlsym(RTLD_NEXT, name); }

/// Starts the threads of a group in advance, since the filter allows no new ones.
static bool start_threads(firn_worker_group group) {
    thread_creation create = group == FIRN_GROUP_PLAIN ? NULL : (thread_creation)replaced("pthread_create");
    for (int i = 0; create && i < MOST_THREADS; i++, lent_count++)
        if (create(&lent[i].thread, NULL, lend, &lent[i])) return false;
    return group == FIRN_GROUP_PLAIN || create;
}

/// Returns a free thread for another body; NULL if there is none.
static lent_thread *free_thread(void) {
    lent_thread *returned = NULL;
    for (int i = 0; i < lent_count; i++) {
        if (!lent[i].body) return &lent[i];
        if (lent[i].has_returned) returned = &lent[i];
    }
    // GLib never joins a thread that has returned; it detaches a thread at its exit, which these threads never reach.
    return returned;
}

/// Replaces `pthread_create`: in a worker, passes the body to a free thread, waiting for one if necessary.
int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    if (lent_count == 0) {
        thread_creation create = (thread_creation)replaced("pthread_create");
        return create ? create(thread, attributes, body, argument) : EAGAIN;
    }
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes) pthread_attr_getdetachstate(attributes, &state);
    pthread_mutex_lock(&lent_lock);
    lent_thread *free;
    while (!(free = free_thread())) pthread_cond_wait(&lent_changed, &lent_lock);
    *thread = free->thread;
    free->argument = argument;
    free->is_detached = state == PTHREAD_CREATE_DETACHED;
    free->has_returned = false;
    free->body = body;
    pthread_cond_broadcast(&lent_changed);
    pthread_mutex_unlock(&lent_lock);
    return 0;
}

static lent_thread *lent_thread_of(pthread_t thread) {
    for (int i = 0; i < lent_count; i++)
        if (pthread_equal(lent[i].thread, thread)) return &lent[i];
    return NULL;
}

/// Replaces `pthread_join`.
int pthread_join(pthread_t thread, void **result) {
    lent_thread *joined = lent_thread_of(thread);
    if (!joined) {
        thread_join join = (thread_join)replaced("pthread_join");
        return join ? join(thread, result) : ESRCH;
    }
    pthread_mutex_lock(&lent_lock);
    while (!joined->has_returned) pthread_cond_wait(&lent_changed, &lent_lock);
    if (result) *result = joined->result;
    joined->body = NULL;
    pthread_cond_broadcast(&lent_changed);
    pthread_mutex_unlock(&lent_lock);
    return 0;
}

/// Replaces `pthread_detach`.
int pthread_detach(pthread_t thread) {
    lent_thread *detached = lent_thread_of(thread);
    if (!detached) {
        thread_detachment detach = (thread_detachment)replaced("pthread_detach");
        return detach ? detach(thread) : ESRCH;
    }
    pthread_mutex_lock(&lent_lock);
    detached->is_detached = true;
    if (detached->has_returned) detached->body = NULL;
    pthread_cond_broadcast(&lent_changed);
    pthread_mutex_unlock(&lent_lock);
    return 0;
}

// MARK: Limits

static bool limit(int resource, uint64_t soft, uint64_t hard) {
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)resource, &now)) return false;
    if (hard > now.rlim_max) hard = now.rlim_max;
    if (soft > hard) soft = hard;
    return setrlimit((__rlimit_resource_t)resource, &(struct rlimit){soft, hard}) == 0;
}

/// Drops the superuser's capabilities. A process without capabilities has nothing to drop.
static void drop_rights(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}};
    syscall(SYS_capset, &header, none);
}

/// The maximum number of descriptors of a worker: three of /dev/null, its sockets, an input, memory, and fonts being
/// read.
enum { MOST_DESCRIPTORS = 24 };

static bool set_limits(uint64_t memory, uint64_t seconds) {
    return limit(RLIMIT_CORE, 0, 0) && limit(RLIMIT_FSIZE, 0, 0) && limit(RLIMIT_MEMLOCK, 0, 0)
        && limit(RLIMIT_NPROC, 0, 0) && limit(RLIMIT_SIGPENDING, 0, 0) && limit(RLIMIT_MSGQUEUE, 0, 0)
        && limit(RLIMIT_NOFILE, MOST_DESCRIPTORS, MOST_DESCRIPTORS) && limit(RLIMIT_AS, memory, memory)
        && limit(RLIMIT_CPU, seconds, seconds + 1);
}

const char *confine(firn_worker_group group, pid_t parent, uint64_t memory, uint64_t seconds) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL)) return "PR_SET_PDEATHSIG";
    // Order: a parent that ended before the call above sends no signal.
    if (getppid() != parent) return "the zygote has ended";
    if (prctl(PR_SET_DUMPABLE, 0)) return "PR_SET_DUMPABLE";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return "PR_SET_NO_NEW_PRIVS";
    if (!refuse_files()) return "Landlock";
    drop_rights();
    // Order: threads inherit everything set before; limits and filter apply to the whole process.
    if (!start_threads(group)) return "pthread_create";
    if (!set_limits(memory, seconds)) return "setrlimit";
    if (!filter_calls(group)) return "seccomp";
    return NULL;
}

bool confine_step(uint64_t address_space) {
    // Most steps have the same limit as the previous one.
    static uint64_t last;
    if (!address_space || address_space == last) return true;
    struct rlimit limits;
    if (prlimit(0, RLIMIT_AS, NULL, &limits)) return false;
    limits.rlim_cur = address_space < limits.rlim_max ? address_space : limits.rlim_max;
    if (prlimit(0, RLIMIT_AS, &limits, NULL)) return false;
    last = address_space;
    return true;
}
