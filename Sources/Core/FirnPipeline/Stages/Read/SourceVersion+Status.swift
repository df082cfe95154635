import FirnData
import FirnImage

extension SourceVersion {
    /// Creates the version of a file from its status.
    init(_ status: FileStatus) {
        self.init(size: status.size, modified: status.modified, changed: status.changed, inode: status.inode)
    }
}
