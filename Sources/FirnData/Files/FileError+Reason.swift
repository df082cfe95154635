import FirnSystem

extension FileError {
    /// The system's description of the error number, such as `No such file or directory`.
    public var reason: String {
        code == FileError.notRegular ? "it is not a regular file" : String(cString: strerror(code))
    }

    /// The error number for a pipe, socket or device in place of a file. The system has none for this.
    public static let notRegular: Int32 = -1

    /// Whether the path does not exist.
    public var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// Whether the path exists already.
    public var isExisting: Bool { code == EEXIST || code == ENOTEMPTY }
}
