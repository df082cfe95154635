/// The version of a local file. Files of the same version are assumed to have the same content.
///
/// A change keeps the version if it keeps the length and the inode and happens within one tick of the file system's
/// clock after an earlier change (4 ms on most kernels before Linux 6.13).
package struct SourceVersion: Hashable, Sendable {
    /// The length in bytes.
    package var size: Int
    /// The time of the last modification, in nanoseconds since 1970.
    package var modified: Int64
    /// The time of the last change of content or status, in nanoseconds since 1970: no program can set it, so it
    /// changes also if an edit keeps length and time of modification. 0 if it is unknown.
    package var changed: Int64
    /// The inode number, which changes when the file is replaced.
    package var inode: UInt64

    /// Creates a version.
    package init(size: Int, modified: Int64, changed: Int64 = 0, inode: UInt64) {
        self.changed = changed
        self.size = size
        self.modified = modified
        self.inode = inode
    }

    /// Returns whether length, time of modification and inode are equal. The files may differ in permissions and names,
    /// or in content that was edited with its time kept: their digests tell.
    package func isLike(_ other: SourceVersion) -> Bool {
        size == other.size && modified == other.modified && inode == other.inode
    }
}
