import FoundationEssentials
import FirnSystem

/// Reads how much of the machine's memory the process uses.
enum HeapUse {
    /// Resident bytes, after the allocator has returned as much memory as it can.
    static var bytes: Int {
        trim()
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Calls `malloc_trim`, whose header the module `Glibc` does not include.
    private static func trim() {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }
}
