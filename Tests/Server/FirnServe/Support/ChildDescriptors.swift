import FirnSystem

/// Leaves a child process the standard descriptors alone: a connection that it holds too stays open when this process
/// closes it.
func closeOthers(_ actions: inout posix_spawn_file_actions_t) {
    // A number above the limit of open files is an error of the start.
    for descriptor in 3..<Int32(clamping: min(4096, sysconf(Int32(_SC_OPEN_MAX)))) {
        posix_spawn_file_actions_addclose(&actions, descriptor)
    }
}
