import CXattr

/// Finds images in a folder by their content.
package enum FolderScan {
    /// Calls `body` with the path of each image in `folder` as it is found, sorted within each folder, until it returns
    /// `false`. Skips hidden names. Links to files are followed, links to folders are not.
    ///
    /// - Parameters:
    ///   - isRecursive: whether its subfolders are searched, too.
    ///   - leftOut: counts files that are not images, and unreadable files and folders.
    ///   - body: returns whether to continue.
    /// - Returns: whether `body` always returned `true`.
    /// - Throws: `DataFileError` if the folder itself cannot be read.
    @discardableResult
    package static func visit(
        _ folder: String, files: any FileSystem = LocalFileSystem(), isRecursive: Bool = true,
        leftOut: inout LeftOutFiles, _ body: (String, FileStatus) -> Bool
    ) throws(DataFileError) -> Bool {
        var others = LeftOutFiles()
        defer { leftOut += others }
        return try files.visitFiles(
            in: folder, isRecursive: isRecursive, followsLinks: false, unreadable: { others.unreadable += 1 }
        ) { path, status in
            guard let head = try? files.read(path, first: ImageFormat.sniffLength) else {
                others.unreadable += 1
                return true
            }
            if ImageFormat(head) != nil { return body(path, status) }
            if head.isEmpty { others.empty += 1 } else { others.unknown += 1 }
            return true
        }
    }
}

/// Counts the files in folders that are not sources.
package struct LeftOutFiles: Hashable, Sendable, JSONConvertible {
    package var empty = 0
    /// Files of no known format.
    package var unknown = 0
    /// Files and folders that cannot be read.
    package var unreadable = 0

    package init() {}

    package static func += (sum: inout LeftOutFiles, part: LeftOutFiles) {
        sum.empty += part.empty
        sum.unknown += part.unknown
        sum.unreadable += part.unreadable
    }

    package var count: Int { empty + unknown + unreadable }

    /// The counts in words, such as `3 files left out (1 empty, 2 of no known format)`; `nil` if there are none.
    package var text: String? {
        guard count > 0 else { return nil }
        let parts = [
            empty > 0 ? "\(empty) empty" : nil, unknown > 0 ? "\(unknown) of no known format" : nil,
            unreadable > 0 ? "\(unreadable) unreadable" : nil,
        ]
        return
            "\(CountText.text(count, "file", "files")) left out (\(parts.compactMap(\.self).joined(separator: ", ")))"
    }

    package var json: JSONValue { ["empty": empty, "unknown": unknown, "unreadable": unreadable] }
}

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
