import FoundationEssentials

/// The corpus of images outside the repository: at `FIRN_CORPUS`, or at `../shared/corpus` relative to the package.
struct Corpus {
    struct Image {
        var path: String
        var columns: [String: String]

        /// The path inside the corpus.
        var name: String { self["file"] }

        subscript(column: String) -> String { columns[column] ?? "" }
    }

    /// The corpus; `nil` if it is absent.
    static let found: Corpus? = {
        if let folder = environment("FIRN_CORPUS") { return Corpus(folder: folder) }
        var folder = URL(filePath: #filePath)
        while folder.path.count > 1 {
            folder.deleteLastPathComponent()
            if FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
                return Corpus(folder: folder.appending(path: "../shared/corpus").path)
            }
        }
        return nil
    }()

    /// The message of a skipped test.
    static let absence = "the corpus is absent: set FIRN_CORPUS, or put it at ../shared/corpus"

    let images: [Image]

    private init?(folder: String) {
        guard let table = try? Data(contentsOf: URL(filePath: folder + "/manifest.tsv")) else { return nil }
        let lines = table.split(separator: UInt8(ascii: "\n")).map { line in
            line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        guard let names = lines.first else { return nil }
        images = lines.dropFirst().map { line in
            let columns = Dictionary(zip(names, line)) { first, _ in first }
            return Image(path: folder + "/" + (columns["file"] ?? ""), columns: columns)
        }
    }

    private static func environment(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The formats of sound images, in alphabetical order.
    var formats: [String] {
        Set(images.filter { $0["expect"] == "ok" && $0["class"] != "hostile" }.map { $0["format"] }).sorted()
    }

    /// Returns the images of a format that all decoders of the manifest read, without the fuzzers' files.
    func sound(_ format: String) -> [Image] {
        images.filter { $0["format"] == format && $0["expect"] == "ok" && $0["class"] != "hostile" }
    }

    /// Returns the files of a format that were made to break decoders.
    func hostile(_ format: String) -> [Image] {
        images.filter { $0["format"] == format && $0["class"] == "hostile" }
    }
}
