import FirnSystem

/// The file descriptors that a process may still open.
package enum FreeDescriptors {
    /// Why so many descriptors cannot be opened at once; `nil` if they can.
    ///
    /// For what ends the process instead of failing: NIO's event loops and Dispatch's signal sources. They are opened and closed, so
    /// that another thread may take them before the caller does.
    package static func shortage(of count: Int) -> String? {
        var descriptors: [Int32] = []
        defer { descriptors.forEach { close($0) } }
        for _ in 0..<count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return "\(String(cString: strerror(errno))); raise the limit (ulimit -n)" }
            descriptors.append(descriptor)
        }
        return nil
    }
}
