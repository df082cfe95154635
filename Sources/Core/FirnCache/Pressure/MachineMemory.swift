import FirnImage

/// The memory available to this process, and the free share of it.
///
/// Source: Linux, Documentation/admin-guide/cgroup-v2.rst, "memory.max", "memory.high", "memory.current",
/// "memory.stat"; cgroups(7) for `/proc/self/cgroup`; proc_meminfo(5).
enum MachineMemory {
    /// The share for decoded images: a fifth, at most 768 MiB.
    static let imageBytes = min(AvailableMemory.bytes / 5, 768 << 20)

    /// Returns the share of memory that is free, from 0 to 1: of the machine, or of a control group if that is less.
    ///
    /// Memory of cached files counts as free. `nil` if unknown.
    static func headroom(_ fileSystem: any FileSystem) -> Double? {
        var parts: [Double] = []
        if let table = text("/proc/meminfo", fileSystem), let total = field("MemTotal:", of: table), total > 0,
            let left = field("MemAvailable:", of: table)
        {
            parts.append(Double(left) / Double(total))
        }
        for directory in groupDirectories(fileSystem) {
            let limits = ["/memory.max", "/memory.high"].compactMap { number(directory + $0, fileSystem) }
            guard let limit = limits.min(), limit > 0, let used = number(directory + "/memory.current", fileSystem)
            else { continue }
            let files = text(directory + "/memory.stat", fileSystem).flatMap { field("inactive_file", of: $0) } ?? 0
            parts.append(1 - (Double(used) - Double(files)) / Double(limit))
        }
        return parts.min().map { max(0, min(1, $0)) }
    }

    /// Returns the directories of the root control group and all groups from it down to the process's own.
    static func groupDirectories(_ fileSystem: any FileSystem) -> [String] {
        // The version 2 hierarchy has number 0 and no controllers.
        let groups = text("/proc/self/cgroup", fileSystem)?.split(separator: "\n")
        guard let group = groups?.first(where: { $0.hasPrefix("0::") }) else { return [] }
        return AvailableMemory.folders("/sys/fs/cgroup", group.dropFirst(3))
    }

    /// Returns the number in a file; `nil` for `max`, meaning no limit.
    private static func number(_ path: String, _ fileSystem: any FileSystem) -> Int? {
        text(path, fileSystem).flatMap { Int($0) }
    }

    /// Returns the number after a name at the start of a line.
    private static func field(_ name: String, of table: String) -> Int? {
        let lines = table.split(separator: "\n").lazy.map { $0.split(separator: " ") }
        return lines.first { $0.count > 1 && $0[0] == name }.flatMap { Int($0[1]) }
    }

    static func text(_ path: String, _ fileSystem: any FileSystem) -> String? {
        guard let data = try? fileSystem.read(path, first: 1 << 16) else { return nil }
        var text = Substring(String(decoding: data, as: UTF8.self))
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
