/// A failure that ``InMemoryFileSystem`` is told to have.
package struct FileFault: Hashable, Sendable {
    /// The calls of `FileSystem`.
    package enum Call: String, CaseIterable, Sendable {
        case read, open, map, create, synchronize, rename, remove, removeDirectory, createDirectory, list, status, touch
        /// Takes, reads and writes of shared records.
        case share
    }

    /// The call that fails; `nil` for any.
    package var call: Call?
    /// Which of these calls fails, counted from 1 from when the fault was set.
    package var number: Int
    /// The system's error number that it fails with.
    package var code: Int32
    /// Whether all later ones fail too.
    package var persists: Bool
    /// For `create`: bytes of the file that stay behind, as when the process or the machine dies there.
    /// `nil`, the default, for a failure that was cleaned up.
    package var leaving: Int?

    /// A failure of one call, or of it and all later ones.
    package init(_ call: Call? = nil, number: Int = 1, code: Int32, persists: Bool = false, leaving: Int? = nil) {
        self.call = call
        self.number = number
        self.code = code
        self.persists = persists
        self.leaving = leaving
    }
}
