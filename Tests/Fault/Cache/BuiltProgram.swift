import FirnSync
import FirnSystem

/// An executable of this package in the build folder of the tests.
struct BuiltProgram: Sendable {
    let path: String

    /// Creates the program with this name in the folder of the running tests.
    init(_ name: String) {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex) + "/\(name)"
    }

    /// Runs the program to its end, without blocking a thread of Swift's pool.
    ///
    /// - Returns: its status; -1 if it could not be started or a signal ended it.
    func run(_ words: [String]) async -> Int32 { await BuiltProgram.onThread { self.run(words) } }

    /// Waits for a program on a thread of its own.
    static func onThread(_ body: @escaping @Sendable () -> Int32) async -> Int32 {
        await withUnsafeContinuation { continuation in
            let isStarted = WorkerThread.start { continuation.resume(returning: body()) }
            if !isStarted { continuation.resume(returning: -1) }
        }
    }

    private func run(_ words: [String]) -> Int32 {
        var child = pid_t()
        var texts: [UnsafeMutablePointer<CChar>?] = ([path] + words).map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        guard posix_spawn(&child, path, nil, nil, &texts, environ) == 0 else { return -1 }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
    }
}
