import FoundationEssentials

/// What the bench was asked to do: `[--json FILE] [--plot FILE] [--rounds N] [--only NAME] [FOLDER…]`.
struct BenchOptions {
    var json: String?
    var plot: String?
    var rounds = 5
    var only: String?
    /// JPEG files of the folders named, in a stable order.
    var photographs: [String] = []

    init(_ arguments: [String]) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--json": json = rest.popFirst()
            case "--plot": plot = rest.popFirst()
            case "--rounds": rounds = rest.popFirst().flatMap { Int($0) } ?? rounds
            case "--only": only = rest.popFirst()
            default: photographs += BenchOptions.photographs(in: word)
            }
        }
    }

    /// Whether a measurement is asked for: by its name, or by the name before the point.
    func wants(_ name: String) -> Bool { only.map { name == $0 || name.hasPrefix("\($0).") } ?? true }

    private static func photographs(in folder: String) -> [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.lowercased().hasSuffix(".jpg") || $0.lowercased().hasSuffix(".jpeg") }
            .sorted().map { "\(folder)/\($0)" }
    }
}
