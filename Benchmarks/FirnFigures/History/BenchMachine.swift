/// The machine that figures were measured on.
package struct BenchMachine: Sendable, Equatable, Decodable {
    /// The processor's name.
    package let processor: String
    /// Processors in use.
    package let cores: Int
    /// The kernel's release.
    package let kernel: String

    /// A machine by its properties.
    package init(processor: String, cores: Int, kernel: String) {
        self.processor = processor
        self.cores = cores
        self.kernel = kernel
    }

    /// The processor's name in the text of `/proc/cpuinfo`; `unknown` where there is none.
    ///
    /// - Source: proc(5). ARM's has no name of the model but that of its implementer.
    package static func processor(in cpuinfo: String) -> String {
        for name in ["model name", "Model", "CPU implementer"] {
            for line in cpuinfo.split(separator: "\n") where line.hasPrefix(name) {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let words = line[line.index(after: colon)...].split(whereSeparator: \.isWhitespace)
                if !words.isEmpty { return words.joined(separator: " ") }
            }
        }
        return "unknown"
    }
}
