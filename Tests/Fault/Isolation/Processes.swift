import FirnSystem
import FoundationEssentials

@testable import FirnCodecs

/// `firn-decoder` under another name, so that a test finds its own processes and no other's.
struct NamedDecoder: Sendable {
    let isolation: DecoderIsolation
    private let name: String
    private let path: String

    /// - Parameters:
    ///   - name: at most 15 characters, as the system keeps of it.
    ///   - choice: what is isolated. Default: all formats.
    init(_ name: String, _ choice: DecoderIsolation = .all) throws {
        self.name = name
        path = FileManager.default.temporaryDirectory.path + "/\(name).\(getpid()).\(UInt64.random(in: 0 ... .max))"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        // A link: a program cannot be started while another process has its file open for writing, which a child forked
        // during a copy would.
        try FileManager.default.createSymbolicLink(
            atPath: path + "/" + name, withDestinationPath: BuiltProgram.folder + "/firn-decoder")
        var isolation = choice
        isolation.decoderPath = path + "/" + name
        self.isolation = isolation
    }

    /// A decoder whose workers are expected to crash: `Scripts/test` knows its name.
    static func crashing() throws -> NamedDecoder { try NamedDecoder("firn-crashing") }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// True if its zygote runs, which it does from the first decode in a worker on.
    var hasStarted: Bool { !zygotes().isEmpty }

    func zygotes() -> [pid_t] { Processes.named(name).filter { $0.parent == getpid() }.map(\.process) }

    /// Its workers: the children of its zygotes.
    func workers() -> [pid_t] {
        let all = Processes.named(name)
        let zygotes = Set(all.filter { $0.parent == getpid() }.map(\.process))
        return all.filter { zygotes.contains($0.parent) }.map(\.process)
    }
}

/// Reads the state of processes from `/proc`.
enum Processes {
    /// Returns whether a condition becomes true.
    static func settles(_ condition: () -> Bool) -> Bool {
        for _ in 0..<30_000 {
            if condition() { return true }
            // Sleeps: the system reports no change of a process.
            usleep(1000)
        }
        return condition()
    }

    /// The targets of a process's descriptors.
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

    /// The letter of a process's state: S while it sleeps; `nil` if there is no such process.
    static func state(of process: pid_t) -> Substring? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        return text.lastIndex(of: ")").flatMap { text[$0...].split(separator: " ").dropFirst().first }
    }

    /// The running processes of a program, with their parents. A test that kills workers asks thousands of times.
    static func named(_ program: String) -> [(process: pid_t, parent: pid_t)] {
        let mark = Array("(\(program))".utf8)
        return entries("/proc").compactMap { name in
            guard let process = pid_t(name) else { return nil }
            let text = beginning(of: "/proc/\(process)/stat")
            guard let start = text.firstIndex(of: mark[0]), text[start...].starts(with: mark) else { return nil }
            // A letter and the parent follow the name.
            let rest = String(decoding: text[(start + mark.count)...], as: UTF8.self).split(separator: " ")
            return rest.count > 1 && rest[0] != "Z" ? pid_t(rest[1]).map { (process, $0) } : nil
        }
    }

    private static func beginning(of path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return [UInt8](unsafeUninitializedCapacity: 512) { buffer, count in
            count = max(0, read(file, buffer.baseAddress, buffer.count))
        }
    }

    private static func entries(_ path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }
}
