// In debug builds, a record of workers that crash, for the tests.
#ifndef FIRN_DECODER_CRASH_LOG_H
#define FIRN_DECODER_CRASH_LOG_H

#include <sys/types.h>

#ifdef DEBUG
/// Makes the named pipe FIRN_DECODER_LOG the standard error of this process and of the workers that it forks, and has
/// crashes write their stack there. Does nothing without the variable.
void crash_log_open(void);

/// Writes a line if a crash ended a worker, by its wait status.
void crash_log_note(pid_t process, int status);
#else
static inline void crash_log_open(void) {}
static inline void crash_log_note(pid_t process, int status) { (void)process, (void)status; }
#endif

#endif
