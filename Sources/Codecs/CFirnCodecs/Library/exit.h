// Calls of libraries with objects that the end of the process destroys, such as libheif's list of decoders.
#ifndef FIRN_EXIT_H
#define FIRN_EXIT_H

#include <stdbool.h>

/// Starts a call of such a library; returns false once the process is ending, when the library must not be called.
///
/// `exit` waits for running calls. If they take longer than a second, it ends the process with its status, without
/// calling destructors.
bool firn_library_enter(void);

/// Ends a started call. Calls may be nested.
void firn_library_leave(void);

#endif
