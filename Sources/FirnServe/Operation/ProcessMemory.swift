import FirnSystem

/// The memory of this process.
enum ProcessMemory {
    /// The bytes of its pages that are in memory; `nil` where the system does not tell.
    ///
    /// - Source: proc(5), `/proc/pid/statm`, second field.
    static var resident: Int? {
        guard let file = fopen("/proc/self/statm", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        let bytes = pages.multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
        return bytes.overflow ? nil : bytes.partialValue
    }
}
