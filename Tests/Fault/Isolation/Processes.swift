import FirnSystem
import FoundationEssentials

/// What `/proc` says of processes.
enum Processes {
    /// The workers of this process: the children of its zygotes.
    static func workers() -> [pid_t] {
        let all = decoders()
        let zygotes = Set(all.filter { $0.parent == getpid() }.map(\.process))
        return all.filter { zygotes.contains($0.parent) }.map(\.process)
    }

    /// What the descriptors of a process are.
    static func descriptors(of process: pid_t) -> [String] {
        entries("/proc/\(process)/fd").compactMap { name in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = buffer.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map {
                    readlink("/proc/\(process)/fd/\(name)", $0.assumingMemoryBound(to: CChar.self), bytes.count)
                } ?? 0
            }
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }

    /// All processes of the program `firn-decoder`, with their parents.
    private static func decoders() -> [(process: pid_t, parent: pid_t)] {
        entries("/proc").compactMap { name in
            guard let process = pid_t(name),
                let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                text.contains("(firn-decoder)")
            else { return nil }
            // The name is in parentheses; a letter and the parent follow.
            let rest = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            return rest.count > 2 ? pid_t(rest[2]).map { (process, $0) } : nil
        }
    }

    private static func entries(_ path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }
}
