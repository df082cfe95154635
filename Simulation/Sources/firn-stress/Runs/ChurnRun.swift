import CMemory
import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnSystem
import Synchronization

/// Sends many requests with cancellations through the public API, and then checks that nothing is left.
struct ChurnRun {
    let requests: Int
    let seed: UInt64
    /// The bytes by which memory may grow: the allocator, the runtime and the tables keep some for reuse.
    static let margin = 2 << 20
    static let residentMargin = 16 << 20

    init(_ values: [String: Int]) {
        requests = values["requests"] ?? 100_000
        seed = UInt64(values["seed"] ?? time(nil))
    }

    private struct State {
        let used: Int
        let resident: Int
        let files: Int
        let threads: Int

        init() {
            firn_trim_memory()
            used = firn_bytes_in_use()
            files = Directory.count("/proc/self/fd")
            threads = Directory.count("/proc/self/task")
            var pages = 0
            if let file = fopen("/proc/self/statm", "r") {
                var line = [CChar](repeating: 0, count: 128)
                if fgets(&line, 128, file) != nil {
                    let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                        .split(separator: " ")
                    pages = words.count > 1 ? Int(words[1]) ?? 0 : 0
                }
                fclose(file)
            }
            resident = pages * 4096
        }
    }

    func run() -> Int32 {
        print("churn: seed \(seed), \(requests) requests")
        let directory = "/tmp/firn-stress-\(getpid())"
        defer { Directory.remove(directory) }
        let stage = Stage(directory: directory)
        // Some memory stays allocated after the first use: threads, tables, the allocator's arenas.
        guard burst(stage, requests / 5, seed) == 0 else { return 1 }
        let before = State()
        guard burst(stage, requests, seed &+ 1) == 0 else { return 1 }
        let after = State()
        let grown = after.used - before.used
        let resident = after.resident - before.resident
        print(
            "memory in use \(before.used / 1024) KB, then \(after.used / 1024) KB "
                + "(\(grown) B more, at most \(ChurnRun.margin)); "
                + "resident \(before.resident / 1024) KB, then \(after.resident / 1024) KB")
        print("open files \(before.files), then \(after.files); threads \(before.threads), then \(after.threads)")
        var isRight = grown <= ChurnRun.margin && resident <= ChurnRun.residentMargin
        isRight = isRight && after.files <= before.files && after.threads <= before.threads + 1
        isRight = isRight && stage.counts.faults.load(ordering: .relaxed) == 0
        stage.close()
        if !isRight { print("missed") }
        return isRight ? 0 : 1
    }

    /// Sends requests, at most a few hundred at a time.
    private func burst(_ stage: Stage, _ requests: Int, _ seed: UInt64) -> Int32 {
        var random = SeededGenerator(seed: seed)
        let counts = stage.counts
        let before = counts.ended.load(ordering: .relaxed)
        var tasks: [ImageTask] = []
        var watched: [Weak] = []
        for number in 0..<requests {
            var request = stage.request(&random, of: 3000)
            if number % 500 == 0 { request.options = .disableCaches }
            let task = stage.pipeline.loadImage(with: request, on: .immediate) { _ in
                counts.ended.add(1, ordering: .relaxed)
            }
            if number % 16 == 0 { watched.append(Weak(task)) }
            tasks.append(task)
            if tasks.count > 400 {
                tasks[random.below(tasks.count)].cancel()
                if random.below(3) == 0 { tasks[random.below(tasks.count)].priority = .veryHigh }
                tasks.swapAt(random.below(tasks.count), tasks.count - 1)
                tasks.removeLast()
                while number + 1 - (counts.ended.load(ordering: .relaxed) - before) > 2000 { usleep(100) }
            }
        }
        for task in tasks where random.below(2) == 0 { task.cancel() }
        tasks = []
        guard Settling.wait({ counts.ended.load(ordering: .relaxed) - before == requests }) else {
            print("\(requests - counts.ended.load(ordering: .relaxed) + before) requests did not end")
            return 1
        }
        stage.cache.removeAll()
        // Also removes the bytes of cancelled transfers.
        let limit = stage.pipeline.scheduling.partialBodyLimit
        stage.pipeline.scheduling.partialBodyLimit = 0
        stage.pipeline.scheduling.partialBodyLimit = limit
        func left() -> (tasks: Int, transfers: Int, sessions: Int) {
            (
                watched.count { $0.task != nil }, counts.transfers.load(ordering: .relaxed),
                counts.sessions.load(ordering: .relaxed)
            )
        }
        guard Settling.wait({ left() == (0, 0, 0) }) else {
            print("left: \(left())")
            return 1
        }
        return 0
    }

    private struct Weak {
        weak var task: ImageTask?
        init(_ task: ImageTask) { self.task = task }
    }
}
