/// The jobs that could start, by level and kind: 40 lists, linked through the jobs themselves.
///
/// A bit for each list says whether it holds a job, so one bit scan finds the best job, however many are queued.
/// Order: the lists are numbered in the order in which they are served.
struct JobQueues {
    private var lists = InlineArray<40, JobList>(repeating: JobList())
    private(set) var filled: UInt64 = 0
    private(set) var counts = InlineArray<8, Int>(repeating: 0)

    static let levels = 5

    /// The number of the list for a kind at a level. Lists with lower numbers are served first.
    @inline(__always) static func list(_ kind: QueueKind, _ level: Int) -> Int {
        (levels - 1 - level) * QueueKind.count + kind.rawValue
    }

    @inline(__always) static func kind(_ list: Int) -> QueueKind {
        QueueKind(rawValue: list % QueueKind.count) ?? .store
    }

    @inline(__always) static func level(_ list: Int) -> Int { levels - 1 - list / QueueKind.count }

    /// The lists of a kind, at the levels from `level` up.
    @inline(__always) static func mask(_ kind: QueueKind, from level: Int = 0) -> UInt64 {
        // One bit in eight: a list of each level.
        let all: UInt64 = 0b1_00000001_00000001_00000001_00000001
        let from = max(0, level)
        guard from < levels else { return 0 }
        return (all & ((1 << UInt64((levels - from) * QueueKind.count)) - 1)) << UInt64(kind.rawValue)
    }

    /// The lists of the kinds in a group.
    static func mask(group: Int) -> UInt64 {
        QueueKind.allCases.reduce(0) { $1.group == group ? $0 | mask($1) : $0 }
    }

    var isEmpty: Bool { filled == 0 }

    func count(_ kind: QueueKind) -> Int { counts[kind.rawValue] }

    /// The list to serve first among those in `open`.
    @inline(__always) func first(in open: UInt64) -> Int? {
        let candidates = filled & open
        return candidates == 0 ? nil : candidates.trailingZeroBitCount
    }

    @inline(__always) func head(_ list: Int) -> Int32 { lists[list].head }
    @inline(__always) func tail(_ list: Int) -> Int32 { lists[list].tail }

    /// Inserts a job behind another of the same list, or at the front if that is -1.
    @inline(__always)
    mutating func insert(
        _ job: Int32, _ kind: QueueKind, _ level: Int, behind other: Int32, _ links: Slots<JobList.Link>
    ) {
        let list = JobQueues.list(kind, level)
        lists[list].insert(job, behind: other, list: Int32(list), links)
        filled |= 1 << UInt64(list)
        counts[kind.rawValue] += 1
    }

    @inline(__always)
    mutating func remove(_ job: Int32, _ links: Slots<JobList.Link>) {
        let list = Int(links[job].list)
        lists[list].remove(job, links)
        if lists[list].isEmpty { filled &= ~(1 << UInt64(list)) }
        counts[list % QueueKind.count] -= 1
    }
}

/// The kinds of queued jobs. Among jobs of the same level, kinds that are closer to the image start first, in this
/// order.
enum QueueKind: Int, CaseIterable, Sendable {
    case process, decode, read, preview
    /// Paused transfers.
    case resuming
    /// Transfers from a host.
    case network
    /// Transfers that need no network.
    case local
    case store

    static let count = 8

    /// The group for counting passed jobs. Jobs of a group share limits.
    var group: Int {
        switch self {
        case .process, .decode: 0
        case .read: 1
        case .resuming, .network, .local: 2
        case .store: 3
        case .preview: 4
        }
    }
}

/// A list of jobs, linked through ``Link``s that are stored beside the jobs.
struct JobList {
    /// The link of a job. A job is in at most one list.
    struct Link {
        var next: Int32 = -1
        var previous: Int32 = -1
        /// The number of the job's list; -1 for none.
        var list: Int32 = -1
    }

    private(set) var head: Int32 = -1
    private(set) var tail: Int32 = -1

    var isEmpty: Bool { head < 0 }

    /// Inserts a job behind `other`, or at the front if that is -1.
    @inline(__always)
    mutating func insert(_ job: Int32, behind other: Int32, list: Int32, _ links: Slots<Link>) {
        let next = other >= 0 ? links[other].next : head
        links[job] = Link(next: next, previous: other, list: list)
        if other >= 0 { links[other].next = job } else { head = job }
        if next >= 0 { links[next].previous = job } else { tail = job }
    }

    @inline(__always)
    mutating func remove(_ job: Int32, _ links: Slots<Link>) {
        let link = links[job]
        if link.previous >= 0 { links[link.previous].next = link.next } else { head = link.next }
        if link.next >= 0 { links[link.next].previous = link.previous } else { tail = link.previous }
        links[job] = Link()
    }
}
