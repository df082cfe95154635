import FirnData
import FirnImage
import FoundationEssentials

/// How much memory this process may have, and how much of it is left.
///
/// Source: Linux, Documentation/admin-guide/cgroup-v2.rst, "memory.max", "memory.high", "memory.current", "memory.stat";
/// cgroups(7) for `/proc/self/cgroup`; proc_meminfo(5).
enum MachineMemory {
    /// What decoded images may take of it: a fifth, at most 768 MiB.
    static let imageBytes = min(available() / 5, 768 << 20)

    /// Bytes of physical memory, or of the lowest limit among the control groups the process is in.
    static func available(fileSystem: any FileSystem = LocalFileSystem()) -> Int {
        AvailableMemory.bytes(physical: AvailableMemory.physicalBytes()) { text($0, fileSystem) }
    }

    /// The part that is left of the memory there is, from 0 to 1: of the machine's, or of a group's where that is less.
    ///
    /// What holds files that can be read again counts as left. `nil` where nothing can be told.
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

    /// The directories of the process' group and of those above it.
    static func groupDirectories(_ fileSystem: any FileSystem) -> [String] {
        guard let group = text("/proc/self/cgroup", fileSystem).flatMap(unifiedGroup) else { return [] }
        var names = group.split(separator: "/").map(String.init)
        var directories: [String] = []
        while true {
            directories.append((["/sys/fs/cgroup"] + names).joined(separator: "/"))
            if names.popLast() == nil { return directories }
        }
    }

    /// The path of the version 2 hierarchy, which has the number 0 and no controllers.
    private static func unifiedGroup(_ table: String) -> String? {
        table.split(separator: "\n").first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) }
    }

    /// The number in a file; `max` stands for "no limit" and is not a number.
    private static func number(_ path: String, _ fileSystem: any FileSystem) -> Int? {
        text(path, fileSystem).flatMap { Int($0) }
    }

    /// The number behind a name at the start of a line.
    private static func field(_ name: String, of table: String) -> Int? {
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count > 1, words[0] == name { return Int(words[1]) }
        }
        return nil
    }

    static func text(_ path: String, _ fileSystem: any FileSystem) -> String? {
        guard let data = try? fileSystem.read(path, first: 1 << 16) else { return nil }
        var text = Substring(String(decoding: data, as: UTF8.self))
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
