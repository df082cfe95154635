import Glibc

extension FileError {
    /// What the system says of the error number, as in `No such file or directory`.
    public var reason: String { String(cString: strerror(code)) }

    /// Whether the path does not exist.
    public var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// Whether something is there already.
    public var isExisting: Bool { code == EEXIST || code == ENOTEMPTY }
}
