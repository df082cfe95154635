/// The start of a program, before its own code and that of Swift's runtime.
///
/// A program that uses this module begins with descriptors 0 to 2 open, and fails where /proc is not mounted. As the
/// first process of a container it is a child of a process that passes signals on to it, waits for every process that
/// ends, and ends with its status: the kernel gives no signal its usual effect in the first process, and nobody else
/// waits for orphans.
#ifndef FIRN_START_H
#define FIRN_START_H

/// The arguments as the system passed them, with the name of the program. Swift searches them
/// on the stack, and finds none behind a library that was loaded before and has set a variable.
///
/// - Parameter count: receives their number.
const char *const *firn_start_arguments(int *count);

/// Returns freed memory to the system, but for the reserve where the address space is limited. The heap keeps what is
/// below a block in use. Locks the heap for some milliseconds for each 100 MiB. Source: malloc_trim(3).
void firn_start_trim_heap(void);

#endif
