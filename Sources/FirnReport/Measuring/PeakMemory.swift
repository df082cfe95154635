import FirnSystem

/// The peak of resident memory since it was last reset.
package enum PeakMemory {
    /// The peak in bytes; the peak since the start of the process if the system does not support a reset.
    ///
    /// - Source: proc(5), `VmHWM` in `/proc/pid/status`.
    package static var sinceReset: Int {
        guard let file = fopen("/proc/self/status", "re") else { return ResourceUse.now.peakMemory }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("VmHWM:") else { continue }
            let digits = text.filter { ("0"..."9").contains($0) }
            if let kibibytes = Int(digits) { return kibibytes * 1024 }
        }
        return ResourceUse.now.peakMemory
    }
}
