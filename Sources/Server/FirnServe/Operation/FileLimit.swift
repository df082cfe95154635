import FirnSystem

/// The open files of this process. A connection is one.
package enum FileLimit {
    /// Raises the soft limit to the hard one: the soft one is low for programs that use `select`, which this is not.
    ///
    /// - Returns: the files that may be open.
    /// - Source: getrlimit(2).
    package static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let wanted = min(limit.rlim_max, 1 << 20)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
