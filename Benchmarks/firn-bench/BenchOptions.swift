import FoundationEssentials

/// The bench's command-line options.
struct BenchOptions {
    static let usage = """
        usage: firn-bench [--rounds N] [--only PART,…] [--accept] [--strict] [--from FILE|FOLDER] [FOLDER…]
          --rounds N    rounds of each measurement (5)
          --only PART   these parts alone, or single figures of them: folder,format,disk.read
          --accept      accept the measured figures: Benchmarks/thresholds.json and accepted.json
          --strict      exit status 1 if a figure is worse than accepted, or a limit newly missed
          --from PATH   measure nothing: use the figures of a stored run, or the newest ones of a folder
        """

    /// An error for arguments that cannot be parsed.
    struct Failure: Error {
        let message: String
    }

    var rounds = 5
    var only: [String] = []
    var isAccepting = false
    var isStrict = false
    /// A file or folder of stored runs to use instead of measuring.
    var source: String?
    /// The JPEG files of the given folders, in a stable order.
    var photographs: [String] = []

    init(_ arguments: [String]) throws(Failure) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--rounds":
                guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else {
                    throw Failure(message: "--rounds needs a number above 0")
                }
                rounds = number
            case "--only":
                only += (rest.popFirst() ?? "").split(whereSeparator: { $0 == "," || $0 == " " }).map { String($0) }
                if only.isEmpty { throw Failure(message: "--only needs names") }
            case "--accept": isAccepting = true
            case "--strict": isStrict = true
            case "--from":
                source = rest.popFirst()
                if source == nil { throw Failure(message: "--from needs a file or a folder") }
            case _ where word.hasPrefix("-"): throw Failure(message: "what is \(word)?")
            default: photographs += BenchOptions.photographs(in: word)
            }
        }
    }

    /// Returns whether a measurement is requested, by its full name or by the name before a point.
    func wants(_ name: String) -> Bool { only.isEmpty || only.contains { name == $0 || name.hasPrefix("\($0).") } }

    /// Returns whether at least one measurement of a part is requested.
    func wantsAny(of part: String) -> Bool { wants(part) || only.contains { $0.hasPrefix("\(part).") } }

    private static func photographs(in folder: String) -> [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.lowercased().hasSuffix(".jpg") || $0.lowercased().hasSuffix(".jpeg") }
            .sorted().map { "\(folder)/\($0)" }
    }
}
