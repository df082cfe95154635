import FirnSystem

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
