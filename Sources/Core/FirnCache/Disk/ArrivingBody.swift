import FirnSync
import FirnSystem

/// The body of a future entry, which the cache's own thread writes while its bytes arrive.
///
/// The file has no name, so nothing of it remains after a failure, a cancellation or a killed process
/// (`FileSystem.makeFile(near:)`). An entry that is staged with it needs only a header and a name. If a write fails or
/// comes too late, or if the body is longer than a quarter of the cache, the entry is written as a whole.
package final class ArrivingBody: Sendable {
    /// The bytes that wait for the thread.
    private struct Queue {
        var chunks: [Data] = []
        var end = 0
        var isOver = false
    }

    private struct Output {
        var file: (any NewFile)?
        var count = 0
        var isOver = false
    }

    /// The space for the header, which is written last.
    static let headerLength = 4096

    private let cache: DataCache
    private let id: EntryID
    private let queue = Locked(Queue())
    /// The lock is held during writes. Only the threads that write entries take it.
    private let output = Locked(Output())

    init(_ cache: DataCache, _ id: EntryID) {
        self.cache = cache
        self.id = id
    }

    /// Queues bytes, and returns at once. The chunks are released once they are written.
    ///
    /// - Parameter offset: the number of bytes before them. After a gap, the rest is written with the entry.
    package func append(_ chunks: [Data], at offset: Int) {
        let isNew = queue.withLock { queue in
            guard !queue.isOver, offset == queue.end else {
                queue.isOver = true
                return false
            }
            defer { queue.chunks += chunks }
            queue.end += chunks.reduce(0) { $0 + $1.count }
            return queue.chunks.isEmpty
        }
        if isNew { cache.writeSoon(self) }
    }

    /// Has the cache's thread remove the file. For a body that will not be stored.
    package func drop() {
        let isNew = queue.withLock { queue in
            defer { (queue.isOver, queue.chunks) = (true, []) }
            return queue.end > 0 && queue.chunks.isEmpty
        }
        if isNew { cache.writeSoon(self) }
    }

    /// Writes the queued bytes, or removes the file after ``drop()``.
    func write() {
        let (chunks, isOver) = queue.withLock { queue in
            defer { queue.chunks = [] }
            return (queue.chunks, queue.isOver)
        }
        output.withLock { output in
            if isOver { return output = Output(isOver: true) }
            guard !output.isOver else { return }
            do {
                let file = try output.file ?? makeFile()
                output.file = file
                // The limits of the cache do not include the file yet.
                let limit = cache.limits.bytes / 4
                for chunk in chunks {
                    guard chunk.count <= limit - ArrivingBody.headerLength - output.count else {
                        return output = Output(isOver: true)
                    }
                    try chunk.withUnsafeBytes { try file.write($0, at: ArrivingBody.headerLength + output.count) }
                    output.count += chunk.count
                }
            } catch {
                // The entry is written as a whole, which makes room or reports the failure.
                output = Output(isOver: true)
            }
        }
    }

    private func makeFile() throws(DataFileError) -> any NewFile {
        try cache.tree.check()
        let name = cache.temporaries.next(in: cache.tree.shard(of: id))
        do throws(DataFileError) {
            return try cache.fileSystem.makeFile(near: name)
        } catch {
            guard error.code == ENOENT else { throw error }
            try cache.tree.makeShard(of: id)
            return try cache.fileSystem.makeFile(near: name)
        }
    }

    /// Completes the file and gives it a temporary name.
    ///
    /// - Parameters:
    ///   - header: the header, ``headerLength`` bytes.
    ///   - body: all bytes of the body. Those that were not written yet are written now.
    /// - Returns: false if there is no such file.
    func finish(_ header: Data, _ body: Data, as temporary: String) -> Bool {
        queue.withLock { ($0.isOver, $0.chunks) = (true, []) }
        return output.withLock { output in
            defer { output = Output(isOver: true) }
            guard let file = output.file, header.count == ArrivingBody.headerLength, output.count <= body.count else {
                return false
            }
            do {
                let rest = body.dropFirst(output.count)
                try rest.withUnsafeBytes { try file.write($0, at: ArrivingBody.headerLength + output.count) }
                try header.withUnsafeBytes { try file.write($0, at: 0) }
                try file.link(as: temporary)
                return true
            } catch { return false }
        }
    }
}

extension DataCache {
    /// Returns the file for the body of a key's next entry. Does not access the disk.
    package func arrivingBody(for key: String) -> ArrivingBody { ArrivingBody(self, identify(key)) }

    /// Has the writer's thread call ``ArrivingBody/write()``.
    func writeSoon(_ body: ArrivingBody) {
        staging.withLock { $0.arriving.append(body) }
        callWriter()
    }
}
