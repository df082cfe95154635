// Tries forbidden operations from inside a confined process.
#ifndef FIRN_DECODER_CHECK_H
#define FIRN_DECODER_CHECK_H

/// Prints a line for each attempt of each group: its name, and `refused`, `ALLOWED`, or `ENDS THE PROCESS` for calls
/// that libraries make.
///
/// - Returns: the exit status: 0 if all were refused, 1 if one was allowed, 2 if a process could not be confined or the
///   system refuses a call that every decode makes.
int check(void);

#endif
