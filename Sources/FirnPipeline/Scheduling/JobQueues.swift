/// The jobs that could start, by priority and stage: 25 lists, linked through the jobs themselves.
///
/// A bit per list says whether it holds a job, so the best runnable job is one bit scan away however many wait.
/// Order: first in, first out within a list.
struct JobQueues {
    /// Link of one job; lives beside the job.
    struct Link {
        var next: Int32 = -1
        var previous: Int32 = -1
        /// The list the job is in; -1 for none.
        var list: Int8 = -1
    }

    private var heads = [Int32](repeating: -1, count: JobQueues.lists)
    private var tails = [Int32](repeating: -1, count: JobQueues.lists)
    private var filled: UInt32 = 0
    private(set) var counts = [Int](repeating: 0, count: JobStage.count)

    static let levels = 5
    static let lists = levels * JobStage.count

    /// Number of the list for a stage at a level; a lower number comes first.
    private static func list(_ stage: JobStage, _ level: Int) -> Int {
        (levels - 1 - level) * JobStage.count + Int(stage.rawValue)
    }

    /// The lists of the stages in `stages`, at all levels.
    static func mask(_ stages: UInt32) -> UInt32 {
        var mask: UInt32 = 0
        for level in 0..<levels { mask |= stages << UInt32(level * JobStage.count) }
        return mask
    }

    var isEmpty: Bool { filled == 0 }

    /// The job to start first among the lists in `open`.
    func first(in open: UInt32) -> Int32? {
        let candidates = filled & open
        return candidates == 0 ? nil : heads[candidates.trailingZeroBitCount]
    }

    mutating func append(_ job: Int32, _ stage: JobStage, _ level: Int, _ links: inout ContiguousArray<Link>) {
        let list = JobQueues.list(stage, level)
        let tail = tails[list]
        links[Int(job)] = Link(next: -1, previous: tail, list: Int8(list))
        if tail >= 0 { links[Int(tail)].next = job } else { heads[list] = job }
        tails[list] = job
        filled |= 1 << UInt32(list)
        counts[Int(stage.rawValue)] += 1
    }

    /// Takes a job out of the list it is in, if it is in one.
    mutating func remove(_ job: Int32, _ links: inout ContiguousArray<Link>) {
        let link = links[Int(job)]
        guard link.list >= 0 else { return }
        let list = Int(link.list)
        if link.previous >= 0 { links[Int(link.previous)].next = link.next } else { heads[list] = link.next }
        if link.next >= 0 { links[Int(link.next)].previous = link.previous } else { tails[list] = link.previous }
        if heads[list] < 0 { filled &= ~(1 << UInt32(list)) }
        links[Int(job)] = Link()
        counts[list % JobStage.count] -= 1
    }
}
