import FirnReport

/// Gives every image of a batch a path of its own, without extension.
struct OutputNames {
    private var taken: Set<String> = []

    /// `wanted`, or, if it is given away, `wanted-2` and so on: what came before keeps its name.
    mutating func reserve(_ wanted: String) -> String {
        var stem = wanted
        var number = 2
        while !taken.insert(stem).inserted {
            stem = "\(wanted)-\(number)"
            number += 1
        }
        return stem
    }

    /// The name for a source, without extension: without what a terminal obeys, and of a length that leaves room for a number.
    ///
    /// Of what comes from elsewhere, signs that shells and other file systems dislike are replaced, too.
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
