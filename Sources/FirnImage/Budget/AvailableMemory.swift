import FirnSystem

/// How much memory this process may have: the machine's, or what its control groups allow where that is less.
///
/// Source: Linux, Documentation/admin-guide/cgroup-v2.rst, "memory.max"; cgroup-v1/memory.rst, "memory.limit_in_bytes";
/// cgroups(7) for `/proc/self/cgroup`.
package enum AvailableMemory {
    /// Bytes that this process may have, as of the first use.
    package static let bytes = bytes(physical: physicalBytes(), read: text)

    /// - Parameters:
    ///   - physical: bytes of the machine's memory.
    ///   - read: the text of a file; `nil` if there is none.
    package static func bytes(physical: Int, read: (String) -> String?) -> Int {
        min(physical, groupLimit(read) ?? physical)
    }

    /// The lowest limit from the process's control group up to the root, of either version; `nil` if there is none.
    package static func groupLimit(_ read: (String) -> String?) -> Int? {
        guard let groups = read("/proc/self/cgroup") else { return nil }
        let files = groups.split(separator: "\n").flatMap { limitFiles(ofGroup: String($0)) }
        return files.compactMap { read($0).flatMap(number) }.filter { $0 > 0 }.min()
    }

    /// The files with limits that a line of `/proc/self/cgroup` stands for: `0::/path`, or `4:memory:/path` of version 1.
    private static func limitFiles(ofGroup line: String) -> [String] {
        let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return [] }
        if parts[0] == "0", parts[1].isEmpty {
            return folders("/sys/fs/cgroup", parts[2]).map { $0 + "/memory.max" }
        }
        guard parts[1].split(separator: ",").contains("memory") else { return [] }
        return folders("/sys/fs/cgroup/memory", parts[2]).map { $0 + "/memory.limit_in_bytes" }
    }

    /// A folder below `root` and those above it up to the root.
    private static func folders(_ root: String, _ path: Substring) -> [String] {
        var folders = [root]
        for name in path.split(separator: "/") { folders.append((folders.last ?? root) + "/" + name) }
        return folders
    }

    /// A number; `max` stands for "no limit" and is none.
    private static func number(_ text: String) -> Int? {
        Int(text.prefix { !$0.isWhitespace })
    }

    /// Bytes of the machine's memory.
    package static func physicalBytes() -> Int {
        let (bytes, overflow) = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(
            by: sysconf(Int32(_SC_PAGESIZE)))
        return overflow || bytes <= 0 ? 1 << 30 : bytes
    }

    /// The first bytes of a small file that the kernel makes up.
    private static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
