import FirnSystem
import FoundationEssentials

/// The destination of an output path that the user named.
package enum OutputPlace: Hashable, Sendable {
    /// A file, a free name, or a folder, without a link at its end.
    case file(String)
    /// A pipe, socket or device.
    case special(String)
    /// An open descriptor of this process: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`.
    case descriptor(Int32)

    /// The maximum number of links to follow, as in the system.
    private static let maximumLinks = 40

    /// Follows the links of a path. A link to a missing file resolves to the name of that file.
    ///
    /// - Throws: `DataFileError` if the links form a loop.
    package init(_ path: String) throws(DataFileError) {
        var place = path
        for _ in 0...OutputPlace.maximumLinks {
            if let number = OutputPlace.descriptor(place) {
                self = .descriptor(number)
                return
            }
            switch FileKind(place) {
            case .missing, .file, .folder:
                self = .file(place)
                return
            case .special:
                self = .special(place)
                return
            case .link: break
            }
            // A descriptor of another process: the text of its link need not be a path, but it can be opened.
            if OutputPlace.isBelowProc(place), OutputPlace.isSpecial(place) {
                self = .special(place)
                return
            }
            guard let target = PathText.target(of: place) else { throw DataFileError("write", path, code: errno) }
            place = target.hasPrefix("/") ? target : PathText.split(place).folder + target
        }
        throw DataFileError("write", path, code: ELOOP)
    }

    /// Returns whether the path leads to this process's standard output.
    package static func isStandardOutput(_ path: String) -> Bool {
        (try? OutputPlace(path)) == .descriptor(STDOUT_FILENO)
    }

    /// Returns whether the path leads to something that is written into rather than replaced.
    package static func isStream(_ path: String) -> Bool {
        switch try? OutputPlace(path) {
        case .special, .descriptor: true
        case .file, nil: false
        }
    }

    private static func descriptor(_ path: String) -> Int32? {
        let (folder, name) = PathText.split(path)
        guard let number = Int32(digits: name.utf8) else { return nil }
        if folder == "/dev/fd/" || folder == "/proc/self/fd/" || folder == "/proc/thread-self/fd/" { return number }
        guard let parts = PathText.resolved(folder.isEmpty ? "." : folder)?.split(separator: "/"), parts.count >= 3,
            parts[0] == "proc", parts[1] == "\(getpid())", parts[parts.count - 1] == "fd"
        else { return nil }
        return number
    }

    private static func isBelowProc(_ path: String) -> Bool {
        let folder = PathText.split(path).folder
        return PathText.resolved(folder.isEmpty ? "." : folder)?.hasPrefix("/proc/") == true
    }

    private static func isSpecial(_ path: String) -> Bool {
        guard let status = try? LocalFileSystem().status(path) else { return false }
        return !status.isRegular && !status.isDirectory
    }
}

extension OutputPlace {
    /// Writes all bytes. Like a shell, waits until a pipe has a reader.
    ///
    /// - Parameter name: the path in errors.
    func write(_ data: Data, named name: String) throws(DataFileError) {
        switch self {
        case .descriptor(let number): try Self.send(data, to: number, named: name)
        case .special(let path), .file(let path):
            let descriptor = try Self.open(path, named: name)
            var failure: DataFileError?
            do throws(DataFileError) { try Self.send(data, to: descriptor, named: name) } catch { failure = error }
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
        let code = withoutPipeSignal { StreamOutput.write(data, to: descriptor) }
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
