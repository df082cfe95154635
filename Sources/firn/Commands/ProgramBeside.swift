import ArgumentParser
import Firn
import FirnReport
import FirnSystem

/// A program of ours that `firn` executes in its place, so that `firn` itself does not link what only that one needs.
enum ProgramBeside {
    /// Executes a program from the folder of this one or from `PATH`. Returns only by throwing.
    static func execute(_ name: String, _ arguments: [String]) throws {
        let beside = folder.map { PathText.join($0, name) }
        let program = beside.flatMap { path in path.withSystemPath { access($0, X_OK) } == 0 ? path : nil } ?? name
        let words = ([program] + arguments).map { word in word.withSystemPath { strdup($0) } } + [nil]
        execvp(program, words)
        // Reached only if it could not be started.
        let reason = String(cString: strerror(errno))
        words.forEach { free($0) }
        StandardError.line("firn: cannot start \(name): \(reason)")
        throw ExitCode.someFailed
    }

    /// The folder of this executable.
    private static var folder: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return nil }
        return PathText.split(SystemPath.text(buffer.prefix(count).map { UInt8(bitPattern: $0) })).folder
    }
}
