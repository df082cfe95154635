import CXattr

/// A mark on a file that identifies its source: the extended attribute `user.firn.source`.
///
/// It stays when the file is moved; a plain copy loses it. File systems without extended attributes have no marks.
package enum FileMark {
    private static let name = "user.firn.source"
    /// Maximum length of a mark.
    private static let longest = 200

    /// Returns a function that tries to mark a file at a path; `nil` without a mark.
    package static func setter(_ mark: String?) -> ((String) -> Void)? {
        mark.map { mark in
            let bytes = Array(mark.utf8.prefix(longest))
            return { path in _ = path.withSystemPath { setxattr($0, name, bytes, bytes.count, 0) } }
        }
    }

    /// Returns the mark of a file; `nil` if it has none.
    package static func of(_ path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: longest)
        let count = path.withSystemPath { getxattr($0, name, &bytes, longest) }
        return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
