import FirnSystem

extension DataFileError {
    /// The system's description of the error number, such as `No such file or directory`.
    package var reason: String {
        switch code {
        case DataFileError.notRegular: "it is not a regular file"
        case DataFileError.openToOthers: "other users can write to it"
        case DataFileError.ownedByAnother: "it belongs to another user"
        case DataFileError.notWritable: "it cannot be written to"
        case DataFileError.changed: "the file has changed meanwhile"
        case DataFileError.beingWritten: "another download is writing it"
        case DataFileError.homeless: "neither XDG_CACHE_HOME nor HOME is an absolute path"
        default: String(cString: strerror(code))
        }
    }

    /// The error number for a pipe, socket or device instead of a file. The system has none for this.
    package static let notRegular: Int32 = -1

    /// The error number for a directory that other users can write to.
    package static let openToOthers: Int32 = -2

    /// The error number for a directory of another user.
    package static let ownedByAnother: Int32 = -3

    /// The error number for a directory in which the process cannot create files.
    package static let notWritable: Int32 = -4

    /// The error number for a user without a cache directory.
    package static let homeless: Int32 = -5

    /// The error number for a file that changed while it was being used.
    package static let changed: Int32 = -6

    /// The error number for a file that another download is writing.
    package static let beingWritten: Int32 = -7

    /// The error numbers for which a whole cache folder is refused.
    package static let refusals: Set<Int32> = [openToOthers, ownedByAnother, notWritable, homeless]

    /// True if a whole cache folder is refused: other users can change its content, or it cannot be used.
    package var isRefusal: Bool { DataFileError.refusals.contains(code) }

    /// True if the path is a link, directory, pipe, socket or device instead of a file, for a file system that follows
    /// no links.
    package var isNoFile: Bool { code == DataFileError.notRegular || code == ELOOP || code == EISDIR }

    /// True if the path does not exist.
    package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// True if the path exists already.
    package var isExisting: Bool { code == EEXIST || code == ENOTEMPTY }
}
