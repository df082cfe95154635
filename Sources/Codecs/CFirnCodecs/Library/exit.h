// Calls into libraries with objects that the end of the process destroys, such as libheif's list of decoders.
#ifndef FIRN_EXIT_H
#define FIRN_EXIT_H

#include <stdbool.h>

/// Begins a call into such a library; false once the process ends, and the library may not be called any more.
///
/// `exit` waits for running calls. If they take longer than a second, it ends the process with its status, and
/// without the destructors.
bool firn_library_enter(void);

/// Ends a call that has begun. Calls may be nested.
void firn_library_leave(void);

#endif
