import FirnData
import FirnImage

extension SourceVersion {
    /// The version that a file has at the moment.
    init(_ status: FileStatus) { self.init(size: status.size, modified: status.modified, inode: status.inode) }
}
