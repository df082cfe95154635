// Starts programs as on an older system: calls that it lacks, or that a container's list refuses, fail.
#ifndef REFUSED_CALLS_H
#define REFUSED_CALLS_H

/// Runs a program to its end, in which a system call fails with an error.
///
/// Returns its exit status; -1 if it could not be started, or a signal ended it.
int run_without_call(long call, int error, char *const *arguments);

extern const long call_close_range, call_memfd_create, call_pidfd_open;

#endif
