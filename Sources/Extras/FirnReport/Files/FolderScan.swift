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
