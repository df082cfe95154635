/// The machine that figures were measured on.
package struct BenchMachine: Sendable, Equatable, Decodable {
    /// The processor's name.
    package let processor: String
    /// Number of processors in use.
    package let cores: Int
    /// The kernel's release.
    package let kernel: String

    package init(processor: String, cores: Int, kernel: String) {
        self.processor = processor
        self.cores = cores
        self.kernel = kernel
    }

    /// Returns the processor's name from the text of `/proc/cpuinfo`; `unknown` if there is none.
    ///
    /// - Source: proc(5). ARM kernels report no model name, only the implementer.
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
