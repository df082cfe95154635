import FirnCache
import FirnData
import FirnFigures
import FoundationEssentials
import FirnSystem

/// Compares the data cache with plain system calls, on a file system in memory. This measures the cache's overhead
/// without a disk.
struct DiskBenchmark {
    let rounds: Int
    private let count = 1_000
    private let body = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 131 ^ $0 >> 7) })

    func run() throws -> [Figure] {
        var template = Array("/dev/shm/firn-bench-XXXXXX".utf8CString)
        let folder = template.withUnsafeMutableBufferPointer { text in
            text.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let folder else { return [] }
        defer {
            do {
                try FileManager.default.removeItem(atPath: folder)
            } catch {
                complain("\(folder): cannot be removed: \(error)")
            }
        }
        print("disk: \(count) entries of \(body.count) bytes in \(folder)")
        return try store(folder) + reads(folder) + [first(folder)]
    }

    private func cache(_ folder: String) -> DataCache {
        DataCache(directory: folder, limits: DataCacheLimits(bytes: 1 << 30))
    }

    private func keys(_ count: Int) -> [String] {
        (0..<count).map { "https://photos.example.org/albums/2026/image-\($0).jpg?width=640" }
    }

    // MARK: Storing

    private func store(_ folder: String) throws -> [Figure] {
        var (ours, plain, cpu, plainCPU): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        let keys = keys(count)
        for round in 0..<max(rounds, 3) * 2 + 1 {
            let cached = "\(folder)/cache-\(round)"
            let files = PlainFiles(folder: "\(folder)/plain-\(round)")
            mkdir(files.folder, 0o777)
            let cache = cache(cached)
            let (wall, used) = measured {
                for key in keys { cache.stage(DataCacheEntry(data: body), for: key) }
                cache.flush()
            }
            let (plainWall, plainUsed) = measured { for number in keys.indices { files.store(body, number) } }
            try FileManager.default.removeItem(atPath: cached)
            try FileManager.default.removeItem(atPath: files.folder)
            // In the first round, the system allocates the memory.
            guard round > 0 else { continue }
            ours.append(wall)
            plain.append(plainWall)
            cpu.append(used)
            plainCPU.append(plainUsed)
        }
        let entries = Double(count)
        return [
            figure("disk.store", ours.median / entries, "plain write + rename", plain.median / entries),
            figure("disk.store.cpu", cpu.median / entries, "plain write + rename", plainCPU.median / entries),
        ]
    }

    // MARK: Reading

    private func reads(_ folder: String) throws -> [Figure] {
        let keys = keys(count)
        let cache = cache("\(folder)/reads")
        let files = PlainFiles(folder: "\(folder)/plain")
        mkdir(files.folder, 0o777)
        for (number, key) in keys.enumerated() {
            try cache.store(DataCacheEntry(data: body), for: key)
            files.store(body, number)
        }
        let paths = keys.indices.map { files.path($0) }
        let absent = keys.map { "\($0)&absent" }
        let absentPaths = paths.map { "\($0)-absent" }
        var (hits, mapped, misses, stats): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        var sum: UInt64 = 0
        for _ in 0..<max(rounds, 3) * 2 {
            hits.append(
                measured {
                    for key in keys { sum &+= UInt64((try? cache.entry(for: key))?.data.last ?? 0) }
                }.0)
            mapped.append(measured { for path in paths { sum &+= files.hash(path) } }.0)
            misses.append(
                measured {
                    for key in absent where (try? cache.entry(for: key)) != nil { sum &+= 1 }
                }.0)
            stats.append(
                measured {
                    var status = stat()
                    for path in absentPaths where stat(path, &status) == 0 { sum &+= 1 }
                }.0)
        }
        if sum == 1 { print("") }
        let entries = Double(count)
        return [
            figure("disk.read", hits.median / entries, "open + mmap + checksum", mapped.median / entries),
            Figure(
                name: "disk.read.time", value: hits.median / entries, unit: "µs", peer: "other caches",
                peerValue: 39, note: "39 to 50 µs, measured elsewhere"),
            figure("disk.absent", misses.median / entries, "stat of an absent file", stats.median / entries),
        ]
    }

    // MARK: Starting

    /// Measures the first lookup of a cache in a directory with 100,000 entries.
    private func first(_ folder: String) throws -> Figure {
        let keys = keys(100_000)
        let filler = cache("\(folder)/many")
        for key in keys { filler.stage(DataCacheEntry(data: body.prefix(100)), for: key) }
        filler.flush()
        var times: [Double] = []
        for round in 0..<max(rounds, 3) {
            let cache = cache("\(folder)/many")
            // Order: the writer of the cache has ended before the folder is removed, or it would create files in it
            // again.
            defer { cache.flush() }
            times.append(
                try measured {
                    guard try cache.entry(for: keys[round * 17]) != nil else { throw CocoaError(.fileNoSuchFile) }
                    cache.stage(DataCacheEntry(data: body), for: "new \(round)")
                }.0)
        }
        return Figure(
            name: "disk.first", value: times.median, unit: "µs",
            note: "first lookup and store with 100,000 entries")
    }

    // MARK: Figures

    private func figure(_ name: String, _ value: Double, _ peer: String, _ other: Double) -> Figure {
        Figure(name: name, value: value, unit: "µs", peer: peer, peerValue: other)
    }

    /// Returns wall time and CPU time, in microseconds.
    private func measured(_ body: () throws -> Void) rethrows -> (Double, Double) {
        let (wall, cpu) = (Stopwatch.wallNow, Stopwatch.cpuNow)
        try body()
        return ((Stopwatch.wallNow - wall) * 1e6, Stopwatch.cpuNow - cpu)
    }
}
