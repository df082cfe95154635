import FirnDemoServer
import FirnReport

/// The command line of the demo, parsed here so that the demo builds without a package.
struct DemoOptions {
    static let usage = """
        OVERVIEW: Load photographs through the whole pipeline: cold, from memory, from disk.

        A server on this machine has the images, behind the line of a phone's network.

        USAGE: firn-demo [--source <dir|list>] [--latency <ms>] [--bandwidth <mbit>] [--out <dir>]

        OPTIONS:
          --source <dir|list>     A folder of images, or a text file with a URL a line.
          --latency <ms>          Latency to the first byte of the server, in milliseconds. (default: 70)
          --bandwidth <mbit>      Bandwidth of all connections together, in megabits a second; 0 for no limit.
                                  (default: 10)
          --out <dir>             The folder that results are written to. (default: demo-out)
          -h, --help              Show help information.
        """

    struct Fault: Error, Equatable {
        let message: String
    }

    var source: String?
    /// Milliseconds to the first byte.
    var latency = 70.0
    /// Megabits a second of all connections together; 0 for no limit.
    var bandwidth = 10.0
    var out = "demo-out"
    /// The processor time spent before the start, in seconds, which counts in the time to the first image.
    var spent: Double?
    var showsHelp = false

    /// - Parameter words: the words after the program's name. `--option=value` equals `--option value`.
    init(_ words: some Sequence<String>) throws(Fault) {
        var words = words.flatMap { word -> [String] in
            guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else { return [word] }
            return [String(word[..<sign]), String(word[word.index(after: sign)...])]
        }[...]
        while let word = words.popFirst() {
            switch word {
            case "-h", "--help": showsHelp = true
            case "--source": source = try DemoOptions.value(of: word, &words)
            case "--latency": latency = try DemoOptions.number(of: word, &words, 0...60_000)
            case "--bandwidth": bandwidth = try DemoOptions.number(of: word, &words, 0...1_000_000)
            case "--out": out = try DemoOptions.value(of: word, &words)
            case "--spent": spent = try DemoOptions.number(of: word, &words, 0...1_000_000)
            default: throw Fault(message: "\(word): there is no such option; firn-demo --help lists them")
            }
        }
    }

    var line: LineCondition {
        LineCondition(
            "demo", latency: .milliseconds(latency), bitsPerSecond: bandwidth > 0 ? Int(bandwidth * 1_000_000) : nil)
    }

    private static func value(of option: String, _ words: inout ArraySlice<String>) throws(Fault) -> String {
        guard let value = words.popFirst() else { throw Fault(message: "\(option): its value is missing") }
        return value
    }

    private static func number(
        of option: String, _ words: inout ArraySlice<String>, _ range: ClosedRange<Double>
    ) throws(Fault) -> Double {
        let text = try value(of: option, &words)
        guard let number = Double(text), range.contains(number) else {
            let bounds = [range.lowerBound, range.upperBound].map { FixedText.text($0, decimals: 0) }
            throw Fault(message: "\(option): \(text) is no number from \(bounds[0]) to \(bounds[1])")
        }
        return number
    }
}
