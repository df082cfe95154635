#include "crash_log.h"

#ifdef DEBUG
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS};
enum { CRASH_SIGNALS = sizeof crash_signals / sizeof *crash_signals, MOST_FRAMES = 40 };

static bool is_open;
/// The program's name, as kept by the system.
static char program[16];

/// Writes a line and the following text in one call, so that lines of several processes do not mix.
static void write_text(const char *text, size_t length) {
    if (write(STDERR_FILENO, text, length < PIPE_BUF ? length : PIPE_BUF) < 0) return;
}

static void print(char *text, size_t *length, const char *format, const char *name, uintptr_t first, const char *more) {
    const int count = snprintf(text + *length, PIPE_BUF - *length, format, name, (unsigned long)first, more);
    if (count > 0) *length = *length + (size_t)count < PIPE_BUF ? *length + (size_t)count : PIPE_BUF;
}

/// Writes the stack, then lets the signal end the process.
static void record(int number) {
    static char text[PIPE_BUF];
    size_t length = 0;
    print(text, &length, "crashed: %s[%lu] by %s\n", program, (uintptr_t)getpid(), sigdescr_np(number));
    void *frames[MOST_FRAMES];
    const int count = backtrace(frames, MOST_FRAMES);
    for (int i = 0; i < count; i++) {
        Dl_info place;
        if (!dladdr(frames[i], &place)) continue;
        print(
            text, &length, "    %s+0x%lx %s\n", place.dli_fname, (uintptr_t)frames[i] - (uintptr_t)place.dli_fbase,
            place.dli_sname ? place.dli_sname : "");
    }
    write_text(text, length);
    // The handler is reset, and the signal is blocked until it returns.
    raise(number);
}

void crash_log_open(void) {
    const char *path = getenv("FIRN_DECODER_LOG");
    const int log = path ? open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (log < 0) return;
    is_open = dup2(log, STDERR_FILENO) >= 0;
    close(log);
    prctl(PR_GET_NAME, program);
    // Loads the unwinder, whose file a worker could not open.
    void *frame;
    backtrace(&frame, 1);
    static uint8_t stack[64 << 10];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_handler = record, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
    for (int i = 0; i < CRASH_SIGNALS; i++) sigaction(crash_signals[i], &action, NULL);
}

void crash_log_note(pid_t process, int status) {
    if (!is_open || !WIFSIGNALED(status)) return;
    for (int i = 0; i < CRASH_SIGNALS; i++) {
        if (WTERMSIG(status) != crash_signals[i]) continue;
        char text[PIPE_BUF];
        size_t length = 0;
        print(text, &length, "crashed: %s[%lu] by %s\n", program, (uintptr_t)process, sigdescr_np(WTERMSIG(status)));
        write_text(text, length);
    }
}
#endif
