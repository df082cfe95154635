/// The state of a local file: as long as a file has the same version it is taken to have the same content.
///
/// A file that is written in place, to the same length, within one tick of the file system's clock (4 ms on most kernels
/// before Linux 6.13) of an earlier change, keeps its version.
package struct SourceVersion: Hashable, Sendable {
    /// Length in bytes.
    package var size: Int
    /// Time of last modification, in nanoseconds since 1970.
    package var modified: Int64
    /// Number of the file in its file system: another one where a file was replaced.
    package var inode: UInt64

    /// A version.
    package init(size: Int, modified: Int64, inode: UInt64) {
        self.size = size
        self.modified = modified
        self.inode = inode
    }
}
