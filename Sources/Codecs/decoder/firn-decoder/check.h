// Tries from inside a confined process what a decoder must not be able to do.
#ifndef FIRN_DECODER_CHECK_H
#define FIRN_DECODER_CHECK_H

/// Prints a line for each attempt of each group: its name, and `refused`, `ALLOWED`, or `ENDS THE PROCESS` for what
/// libraries do.
///
/// - Returns: the exit status: 0 if all were refused, 1 if one was not, 2 if a process could not be confined, or the
///   system refuses what a decode begins with.
int check(void);

#endif
