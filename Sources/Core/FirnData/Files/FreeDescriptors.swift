import FirnSystem

/// Checks how many file descriptors the process can still open.
package enum FreeDescriptors {
    /// Returns why `count` descriptors cannot be opened at once; `nil` if they can.
    ///
    /// For code that ends the process instead of failing, such as Dispatch's signal sources. Opens and closes the
    /// descriptors, so another thread may take them before the caller does.
    package static func shortage(of count: Int) -> String? {
        var descriptors: [Int32] = []
        defer { descriptors.forEach { close($0) } }
        for _ in 0..<count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                let reason = String(cString: strerror(errno))
                return errno == EMFILE ? "\(reason); raise the limit (ulimit -n)" : "/dev/null: \(reason)"
            }
            descriptors.append(descriptor)
        }
        return nil
    }

    /// The maximum number of descriptors that the process may open.
    package static var limit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// The number of open descriptors; 0 if it is not known.
    package static var used: Int {
        // The names include the open folder itself.
        (try? LocalFileSystem().list("/proc/self/fd")).map { max(0, $0.count - 1) } ?? 0
    }
}
