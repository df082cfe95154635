import FirnReport

/// Gives every picture of a batch a file name of its own.
struct OutputNames {
    private var taken: Set<String> = []

    /// The name for a label, without extension: what came before keeps its name, later ones are numbered.
    mutating func stem(for label: String) -> String {
        let wanted = OutputNames.safe(PathText.stem(label))
        var stem = wanted
        var number = 2
        while !taken.insert(stem).inserted {
            stem = "\(wanted)-\(number)"
            number += 1
        }
        return stem
    }

    /// A name without what a shell or a file system dislikes, of a length that leaves room for a number.
    private static func safe(_ stem: String) -> String {
        var name = ""
        for scalar in stem.unicodeScalars {
            let isUnsafe = scalar.value < 32 || scalar.value == 127 || "/\\:*?\"<>|%".unicodeScalars.contains(scalar)
            name.unicodeScalars.append(isUnsafe ? "_" : scalar)
        }
        while name.utf8.count > 200 { name.removeLast() }
        // A leading dot would hide the file.
        if name.hasPrefix(".") { name = "_" + name.dropFirst() }
        return name.isEmpty ? "picture" : name
    }
}
