import FirnData
import FoundationEssentials
import Glibc

/// How much memory this process may have.
///
/// Source: Linux, Documentation/admin-guide/cgroup-v2.rst, "memory.max"; cgroups(7) for `/proc/self/cgroup`.
enum MemoryBudget {
    /// Bytes of physical memory, or of the lowest limit among the control groups the process is in.
    static func available(fileSystem: any FileSystem = LocalFileSystem()) -> Int {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let (bytes, overflow) = pages.multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
        let physical = overflow || bytes <= 0 ? 1 << 30 : bytes
        return min(physical, groupLimit(fileSystem) ?? physical)
    }

    /// The lowest `memory.max` from the process' group up to the root; `nil` where there is none.
    static func groupLimit(_ fileSystem: any FileSystem) -> Int? {
        guard let group = text("/proc/self/cgroup", fileSystem).flatMap(unifiedGroup) else { return nil }
        var names = group.split(separator: "/")
        var lowest: Int?
        while true {
            let directory = (["/sys/fs/cgroup"] + names.map(String.init)).joined(separator: "/")
            // `max` stands for "no limit" and is not a number.
            if let limit = text(directory + "/memory.max", fileSystem).flatMap({ Int($0) }), limit > 0 {
                lowest = min(lowest ?? limit, limit)
            }
            if names.popLast() == nil { return lowest }
        }
    }

    /// The path of the version 2 hierarchy, which has the number 0 and no controllers.
    private static func unifiedGroup(_ table: String) -> String? {
        table.split(separator: "\n").first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) }
    }

    private static func text(_ path: String, _ fileSystem: any FileSystem) -> String? {
        guard let data = try? fileSystem.read(path, first: 1 << 16) else { return nil }
        var text = Substring(String(decoding: data, as: UTF8.self))
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
