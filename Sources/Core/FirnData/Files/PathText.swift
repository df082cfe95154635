import FirnSystem

/// Splits and joins paths as text.
package enum PathText {
    /// Returns a path without links; `nil`, with `errno`, if it does not exist.
    static func resolved(_ path: String) -> String? {
        guard let found = path.withSystemPath({ realpath($0, nil) }) else { return nil }
        defer { free(found) }
        return SystemPath.text(UnsafeRawBufferPointer(start: found, count: strlen(found)))
    }

    /// Returns the target of a link as written in it; `nil`, with `errno`, if it cannot be read.
    package static func target(of link: String) -> String? {
        withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
            guard let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
            let count = link.withSystemPath { readlink($0, base, buffer.count) }
            return count >= 0 ? SystemPath.text(buffer.prefix(count)) : nil
        }
    }

    /// Returns the folder with its last slash (empty for the current folder) and the name.
    package static func split(_ path: String) -> (folder: String, name: String) {
        // By scalars: a slash followed by a combining mark is one character.
        let scalars = path.unicodeScalars
        guard let slash = scalars.lastIndex(of: "/") else { return ("", path) }
        return (String(scalars[...slash]), String(scalars[scalars.index(after: slash)...]))
    }

    package static func stem(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// Returns the path of a name in a folder. An empty folder is the current one.
    package static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty || folder.utf8.last == UInt8(ascii: "/") ? folder + name : "\(folder)/\(name)"
    }
}

/// The kind of file at a path. Links are not followed.
package enum FileKind: Hashable, Sendable {
    case missing, file, folder, link
    /// A pipe, socket or device.
    case special

    /// Also returns `missing` if the path cannot be reached; opening it gives the reason.
    package init(_ path: String) {
        var status = stat()
        guard path.withSystemPath({ lstat($0, &status) }) == 0 else {
            self = .missing
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .folder
        case S_IFLNK: self = .link
        default: self = .special
        }
    }
}
