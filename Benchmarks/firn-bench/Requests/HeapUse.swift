import FoundationEssentials
import FirnSystem

/// What the process holds of the machine's memory.
enum HeapUse {
    /// Resident bytes, after the allocator has given back what it can.
    static var bytes: Int {
        trim()
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// `malloc_trim`, whose header the module `Glibc` does not have.
    private static func trim() {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }
}
