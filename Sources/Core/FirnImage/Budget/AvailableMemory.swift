import FirnSystem
import FoundationEssentials

/// The memory that this process may use: the machine's, or the lower limit of its control groups.
///
/// Source: Linux, Documentation/admin-guide/cgroup-v2.rst, "memory.max"; cgroup-v1/memory.rst, "memory.limit_in_bytes";
/// cgroups(7) for `/proc/self/cgroup`.
package enum AvailableMemory {
    /// The bytes that this process may use, determined on first use.
    package static let bytes = bytes(physical: physicalBytes(), read: text)

    /// Returns the bytes that a process may use, from the given sources.
    ///
    /// - Parameters:
    ///   - physical: the bytes of the machine's memory.
    ///   - read: returns the text of a file; `nil` if it does not exist.
    package static func bytes(physical: Int, read: (String) -> String?) -> Int {
        min(physical, groupLimit(read) ?? physical)
    }

    /// Returns the lowest limit from the process's control group up to the root, in both versions; `nil` if there is
    /// none.
    package static func groupLimit(_ read: (String) -> String?) -> Int? {
        guard let groups = read("/proc/self/cgroup") else { return nil }
        let files = groups.split(separator: "\n").flatMap { limitFiles(ofGroup: String($0)) }
        // `max` is not a number and means no limit.
        return files.compactMap { read($0).flatMap { Int($0.prefix { !$0.isWhitespace }) } }.filter { $0 > 0 }.min()
    }

    /// Returns the limit files for a line of `/proc/self/cgroup`: `0::/path`, or `4:memory:/path` in version 1.
    private static func limitFiles(ofGroup line: String) -> [String] {
        let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return [] }
        if parts[0] == "0", parts[1].isEmpty {
            return folders("/sys/fs/cgroup", parts[2]).map { $0 + "/memory.max" }
        }
        guard parts[1].split(separator: ",").contains("memory") else { return [] }
        return folders("/sys/fs/cgroup/memory", parts[2]).map { $0 + "/memory.limit_in_bytes" }
    }

    /// Returns `root` and all folders from it down to `path`.
    package static func folders(_ root: String, _ path: Substring) -> [String] {
        var folders = [root]
        for name in path.split(separator: "/") { folders.append((folders.last ?? root) + "/" + name) }
        return folders
    }

    /// Returns the bytes of the machine's memory; 1 GiB if the system does not state them.
    package static func physicalBytes() -> Int {
        let (bytes, overflow) = sysconf(Int32(clamping: _SC_PHYS_PAGES)).multipliedReportingOverflow(
            by: sysconf(Int32(clamping: _SC_PAGESIZE)))
        return overflow || bytes <= 0 ? 1 << 30 : bytes
    }

    /// Returns the text of a kernel file such as those in `/proc`.
    private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
