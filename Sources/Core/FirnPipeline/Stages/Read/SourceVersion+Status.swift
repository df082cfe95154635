import FirnData
import FirnImage

extension SourceVersion {
    init(_ status: FileStatus) {
        self.init(size: status.size, modified: status.modified, changed: status.changed, inode: status.inode)
    }
}
