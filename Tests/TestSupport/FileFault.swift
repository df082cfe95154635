/// A failure that a test sets in an ``InMemoryFileSystem``.
package struct FileFault: Hashable, Sendable {
    package enum Call: String, CaseIterable, Sendable {
        case read, open, map, create, rename, remove, removeDirectory, createDirectory, list, status, touch
        /// Locks, reads and writes of shared records.
        case share
    }

    /// The call that fails; `nil` for any call.
    package var call: Call?
    /// The number of the failing call, counted from 1 since the fault was set.
    package var number: Int
    /// The system's error number of the failure.
    package var code: Int32
    /// True if all later calls fail, too.
    package var persists: Bool
    /// For `create`: the length of the remaining file, as after a crash; `nil` (the default) if the failure was cleaned
    /// up.
    package var leaving: Int?

    package init(_ call: Call? = nil, number: Int = 1, code: Int32, persists: Bool = false, leaving: Int? = nil) {
        self.call = call
        self.number = number
        self.code = code
        self.persists = persists
        self.leaving = leaving
    }
}
