/// Splits and joins paths as text.
package enum PathText {
    /// Returns the folder with its last slash, empty for the current one, and the name.
    package static func split(_ path: String) -> (folder: String, name: String) {
        // By scalars: a slash and a combining mark at the start of a name are one character.
        let scalars = path.unicodeScalars
        guard let slash = scalars.lastIndex(of: "/") else { return ("", path) }
        return (String(scalars[...slash]), String(scalars[scalars.index(after: slash)...]))
    }

    /// Returns a name without its extension.
    package static func stem(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// Returns a path in a folder. An empty folder is the current one.
    package static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty || folder.utf8.last == UInt8(ascii: "/") ? folder + name : "\(folder)/\(name)"
    }
}
