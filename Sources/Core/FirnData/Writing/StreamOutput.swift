import FirnSystem
package import FoundationEssentials

/// Writes to pipes, sockets, devices and open descriptors.
package enum StreamOutput {
    /// Writes all bytes to a descriptor, blocking or not.
    ///
    /// - Returns: the system's error number; `nil` on success.
    package static func write(_ bytes: some ContiguousBytes, to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = FirnSystem.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 {
                    return EIO
                } else if errno == EAGAIN || errno == EWOULDBLOCK {
                    var wait = pollfd(fd: descriptor, events: Int16(clamping: POLLOUT), revents: 0)
                    guard poll(&wait, 1, -1) >= 0 || errno == EINTR else { return errno }
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }

    /// Writes all bytes. Like a shell, waits until a pipe has a reader.
    ///
    /// - Parameter name: the path in errors.
    static func write(_ data: Data, to place: OutputPlace, named name: String) throws(DataFileError) {
        switch place {
        case .descriptor(let number): try send(data, to: number, named: name)
        case .special(let path), .file(let path):
            let descriptor = try open(path, named: name)
            var failure: DataFileError?
            do throws(DataFileError) { try send(data, to: descriptor, named: name) } catch { failure = error }
            // Order: some devices report a failed write only at the close.
            if close(descriptor) != 0, errno != EINTR { failure = failure ?? DataFileError("write", name, code: errno) }
            if let failure { throw failure }
        }
    }

    private static func open(_ path: String, named name: String) throws(DataFileError) -> Int32 {
        var status = stat()
        if path.withSystemPath({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFSOCK {
            return try connect(path, named: name)
        }
        while true {
            let descriptor = path.withSystemPath { FirnSystem.open($0, O_WRONLY | O_CLOEXEC | O_NOCTTY) }
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR else { throw DataFileError("write", name, code: errno) }
        }
    }

    private static func connect(_ path: String, named name: String) throws(DataFileError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(clamping: AF_UNIX)
        let bytes = SystemPath.bytes(path)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw DataFileError("write", name, code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(clamping: SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw DataFileError("write", name, code: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                FirnSystem.connect(descriptor, $0, socklen_t(clamping: MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            close(descriptor)
            throw DataFileError("write", name, code: code)
        }
        return descriptor
    }

    private static func send(_ data: Data, to descriptor: Int32, named name: String) throws(DataFileError) {
        let code = withoutPipeSignal { write(data, to: descriptor) }
        if let code { throw DataFileError("write", name, code: code) }
    }

    /// Runs `body` with `SIGPIPE` blocked: writing to a pipe without a reader fails instead of ending the process.
    private static func withoutPipeSignal<Result>(_ body: () -> Result) -> Result {
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        var before = sigset_t()
        var pending = sigset_t()
        sigpending(&pending)
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        let result = body()
        // A pending signal would be delivered when the thread unblocks it.
        if sigismember(&pending, SIGPIPE) == 0 {
            var none = timespec()
            while sigtimedwait(&pipe, nil, &none) < 0, errno == EINTR {}
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return result
    }
}
