// Records crashes of workers in debug builds, for the tests.
#ifndef FIRN_DECODER_CRASH_LOG_H
#define FIRN_DECODER_CRASH_LOG_H

#include <sys/types.h>

#ifdef DEBUG
/// Redirects standard error of this process and its forked workers to the named pipe FIRN_DECODER_LOG; crashes write
/// their stacks there. Does nothing if the variable is not set.
void crash_log_open(void);

/// Writes a line if the wait status shows that a worker crashed.
void crash_log_note(pid_t process, int status);
#else
static inline void crash_log_open(void) {}
static inline void crash_log_note(pid_t process, int status) { (void)process, (void)status; }
#endif

#endif
