import FirnSystem

extension FileError {
    /// What the system says of the error number, as in `No such file or directory`.
    public var reason: String {
        code == FileError.notRegular ? "it is not a regular file" : String(cString: strerror(code))
    }

    /// The error number for a pipe, socket or device where a file is needed. The system has none for this.
    public static let notRegular: Int32 = -1

    /// Whether the path does not exist.
    public var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// Whether something is there already.
    public var isExisting: Bool { code == EEXIST || code == ENOTEMPTY }
}
