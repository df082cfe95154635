import CMemory
import FirnPipeline
import FirnSync
import FirnSystem
import Synchronization

/// Calls the public API from many threads at once. Built with the thread sanitizer, which ends it at the first race.
struct RaceRun {
    let threads: Int
    let deeds: Int
    let rounds: Int
    let seed: UInt64

    init(_ values: [String: Int]) {
        threads = values["threads"] ?? 6
        deeds = values["deeds"] ?? 4000
        rounds = values["rounds"] ?? 2
        seed = UInt64(values["seed"] ?? time(nil))
    }

    func run() -> Int32 {
        print("race: seed \(seed), \(rounds) rounds of \(threads) threads with \(deeds) deeds each")
        for round in 0..<rounds {
            let directory = "/tmp/firn-stress-\(getpid())"
            let stage = Stage(directory: directory)
            let shared = Locked<[ImageTask]>([])
            let done = Bell()
            for thread in 0..<threads {
                let (seed, deeds) = (seed &+ UInt64(round * 1000 + thread), deeds)
                WorkerThread.start {
                    var user = User(stage: stage, shared: shared, seed: seed, addresses: 300)
                    for deed in 0..<deeds {
                        user.act()
                        // No faster than the engine, so that there is always running work to change.
                        if deed % 4 == 0 { stage.keepPace() }
                    }
                    done.ring()
                }
            }
            for _ in 0..<threads {
                guard done.wait(seconds: 300) else {
                    print("a thread does not come back")
                    return 1
                }
            }
            shared.withLock { $0 = [] }
            stage.letGo()
            guard
                Settling.wait({
                    stage.counts.started.load(ordering: .relaxed) == stage.counts.ended.load(ordering: .relaxed)
                })
            else {
                let (started, ended) = (
                    stage.counts.started.load(ordering: .relaxed), stage.counts.ended.load(ordering: .relaxed)
                )
                print("\(started - ended) of \(started) did not end")
                return 1
            }
            let counts = stage.counts
            print(
                "round \(round): \(counts.ended.load(ordering: .relaxed)) ends, "
                    + "paused \(counts.paused.load(ordering: .relaxed)), "
                    + "previews \(counts.previews.load(ordering: .relaxed)), "
                    + "ranges \(counts.ranges.load(ordering: .relaxed))"
            )
            stage.close()
            Directory.remove(directory)
            if counts.faults.load(ordering: .relaxed) > 0 { return 1 }
        }
        return 0
    }
}
