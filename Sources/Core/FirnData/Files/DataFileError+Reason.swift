import FirnSystem

extension DataFileError {
    /// The system's description of the error number, such as `No such file or directory`.
    public var reason: String {
        switch code {
        case DataFileError.notRegular: "it is not a regular file"
        case DataFileError.openToOthers: "other users can write to it"
        case DataFileError.ownedByAnother: "it belongs to another user"
        case DataFileError.notWritable: "it cannot be written to"
        case DataFileError.changed: "the file has changed meanwhile"
        case DataFileError.homeless: "neither XDG_CACHE_HOME nor HOME is an absolute path"
        default: String(cString: strerror(code))
        }
    }

    /// The error number for a pipe, socket or device in place of a file. The system has none for this.
    public static let notRegular: Int32 = -1

    /// The error number for a directory that other users can write to.
    package static let openToOthers: Int32 = -2

    /// The error number for a directory of another user.
    package static let ownedByAnother: Int32 = -3

    /// The error number for a directory in which the process cannot create files.
    package static let notWritable: Int32 = -4

    /// The error number for a user without a directory for caches.
    package static let homeless: Int32 = -5

    /// The error number for a file that changed while something was made of it.
    package static let changed: Int32 = -6

    /// The error numbers for which the folder of a cache is refused as a whole.
    package static let refusals: Set<Int32> = [openToOthers, ownedByAnother, notWritable, homeless]

    /// True if the folder of a cache is refused as a whole: other users can change what is in it, or it cannot be used.
    package var isRefusal: Bool { DataFileError.refusals.contains(code) }

    /// True if the path is a link, a directory, a pipe, a socket or a device in place of a file, for a file system that
    /// follows no links.
    package var isNoFile: Bool { code == DataFileError.notRegular || code == ELOOP || code == EISDIR }

    /// True if the path does not exist.
    public var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// True if the path exists already.
    public var isExisting: Bool { code == EEXIST || code == ENOTEMPTY }
}
