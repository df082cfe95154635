import FirnSystem

/// Checks how many file descriptors the process can still open.
package enum FreeDescriptors {
    /// Returns why `count` descriptors cannot be opened at once; `nil` if they can.
    ///
    /// For code that ends the process instead of failing: NIO's event loops and Dispatch's signal sources. The
    /// descriptors are opened and closed, so another thread may take them before the caller does.
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
