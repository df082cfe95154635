// Counts the calls of this process to the first function that each decoding library is entered by.
#ifndef LIBRARY_CALLS_H
#define LIBRARY_CALLS_H

/// Returns the number of calls so far.
unsigned long library_calls(void);

/// Returns the name of the function that was called last; "" before the first call.
const char *library_last_call(void);

#endif
