/// The bytes granted to decodes, and the decodes that wait for memory.
///
/// Rules: the decode of the highest level is first, and none gets memory while one of a higher level waits. Among
/// equals the oldest that fits is first. Equals pass a waiting decode at most 8 times, all others together at most 64
/// times. A single decode gets whatever it requests.
///
/// Invariant: if nothing is granted, no decode waits, except for paused tasks.
struct DecodingMemory {
    struct Share {
        let job: Int32
        let bytes: Int
        /// The number of later decodes that got memory while this one waited.
        var passes = 0
    }

    private(set) var promised = 0
    private(set) var holders: [Share] = []
    /// In the order of their requests.
    private(set) var waiting: [Share] = []

    static let passesByEquals = 8
    static let passes = 64

    /// Requests memory.
    ///
    /// - Parameter level: returns the level of a job.
    /// - Returns: whether it is granted; if not, the job waits.
    mutating func ask(_ bytes: Int, for job: Int32, limit: Int, level: (Int32) -> Int) -> Bool {
        let share = Share(job: job, bytes: bytes)
        let own = level(job)
        let isFirst = waiting.allSatisfy { other in
            level(other.job) < own && other.passes < DecodingMemory.passes
                || level(other.job) == own && other.passes < DecodingMemory.passesByEquals
                || level(other.job) == JobLevel.resting
        }
        guard isFirst, fits(bytes, limit) else {
            waiting.append(share)
            return false
        }
        grant(share, passing: waiting.count)
        return true
    }

    /// Grants memory to the next waiting decode, if there is enough.
    mutating func grantNext(limit: Int, level: (Int32) -> Int) -> Int32? {
        guard let index = next(limit, level) else { return nil }
        let share = waiting.remove(at: index)
        grant(share, passing: index)
        return share.job
    }

    /// Frees the memory of a job, and ends its wait.
    mutating func giveBack(_ job: Int32) {
        if let index = holders.firstIndex(where: { $0.job == job }) { promised -= holders.remove(at: index).bytes }
        waiting.removeAll { $0.job == job }
    }

    /// Reserves free memory for optional work that is not a job, if no decode waits.
    ///
    /// - Returns: whether there was enough. The caller then returns it with `takeBack`.
    mutating func lend(_ bytes: Int, limit: Int) -> Bool {
        guard waiting.isEmpty, bytes <= limit - promised else { return false }
        promised += bytes
        return true
    }

    mutating func takeBack(_ bytes: Int) { promised -= bytes }

    func held(by job: Int32) -> Int { holders.first { $0.job == job }?.bytes ?? 0 }

    private func next(_ limit: Int, _ level: (Int32) -> Int) -> Int? {
        guard !waiting.isEmpty else { return nil }
        if let oldest = waiting.firstIndex(where: { $0.passes >= DecodingMemory.passes && level($0.job) >= 0 }) {
            return fits(waiting[oldest].bytes, limit) ? oldest : nil
        }
        let most = waiting.reduce(JobLevel.resting) { max($0, level($1.job)) }
        guard most >= 0 else { return nil }
        for (index, share) in waiting.enumerated() where level(share.job) == most {
            if fits(share.bytes, limit) { return index }
            if share.passes >= DecodingMemory.passesByEquals { return nil }
        }
        return nil
    }

    private mutating func grant(_ share: Share, passing count: Int) {
        for index in 0..<count { waiting[index].passes += 1 }
        holders.append(Share(job: share.job, bytes: share.bytes))
        promised += share.bytes
    }

    private func fits(_ bytes: Int, _ limit: Int) -> Bool { promised == 0 || bytes <= limit - promised }
}
