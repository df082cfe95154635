import FirnDemoServer
import FirnReport

/// The command line of the demo. Parsed by hand, so that the demo builds without a package.
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

    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    var source: String?
    /// Milliseconds to the first byte.
    var latency = 70.0
    /// Megabits a second of all connections together; 0 for no limit.
    var bandwidth = 10.0
    var out = "demo-out"
    /// Processor time spent before the start, such as the build, in seconds. Counts for the first image.
    var spent: Double?
    var showsHelp = false

    /// - Parameter words: the arguments. `--option=value` and `--option value` are the same.
    init(_ words: some Sequence<String>) throws(Fault) {
        var words = words.flatMap { word -> [String] in
            guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else { return [word] }
            return [String(word[..<sign]), String(word[word.index(after: sign)...])]
        }[...]
        func value(of option: String) throws(Fault) -> String {
            guard let value = words.popFirst() else { throw Fault(description: "\(option): its value is missing") }
            return value
        }
        func number(of option: String, _ range: ClosedRange<Double>) throws(Fault) -> Double {
            let text = try value(of: option)
            guard let number = Double(text), range.contains(number) else {
                let bounds = [range.lowerBound, range.upperBound].map { FixedText.text($0, decimals: 0) }
                throw Fault(description: "\(option): \(text) is no number from \(bounds[0]) to \(bounds[1])")
            }
            return number
        }
        while let word = words.popFirst() {
            switch word {
            case "-h", "--help": showsHelp = true
            case "--source": source = try value(of: word)
            case "--latency": latency = try number(of: word, 0...60_000)
            case "--bandwidth": bandwidth = try number(of: word, 0...1_000_000)
            case "--out": out = try value(of: word)
            case "--spent": spent = try number(of: word, 0...1_000_000)
            default: throw Fault(description: "\(word): there is no such option; firn-demo --help lists them")
            }
        }
    }

    var line: LineCondition {
        LineCondition(
            "demo", latency: .milliseconds(latency), bitsPerSecond: bandwidth > 0 ? Int(bandwidth * 1_000_000) : nil)
    }
}
