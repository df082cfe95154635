import Firn
import FirnReport

/// Assigns every image of a batch a unique path without extension.
struct OutputNames {
    private var taken: Set<String> = []

    /// Returns `wanted`, or, if it is taken, `wanted-2` and so on.
    mutating func reserve(_ wanted: String) -> String {
        var stem = wanted
        var number = 2
        while !taken.insert(stem).inserted {
            stem = "\(wanted)-\(number)"
            number += 1
        }
        return stem
    }

    /// Returns the name for a source without extension: without control characters, and short enough for a number.
    ///
    /// For names from elsewhere, characters that are special in shells and other file systems are replaced, too.
    static func stem(for source: LoadSource) -> String {
        let isOwn = source.place == .file
        var name = ""
        for scalar in PathText.stem(source.label).unicodeScalars {
            let isUnsafe =
                scalar == "/" || TerminalText.isObeyed(scalar)
                || !isOwn && "\\:*?\"<>|".unicodeScalars.contains(scalar)
            name.unicodeScalars.append(isUnsafe ? "_" : scalar)
        }
        while name.utf8.count > 200 { name.removeLast() }
        // A leading dot would hide the file.
        if name.hasPrefix(".") { name = "_" + name.dropFirst() }
        return name.isEmpty ? "image" : name
    }
}
