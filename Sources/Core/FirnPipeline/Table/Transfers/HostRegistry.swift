/// The state of hosts: their running transfers, their blocked transfers, and their time to first byte.
///
/// Up to a number, hosts without jobs are remembered; above it their entries are reused.
///
/// With ``StageLimits/sharesByHost``, each host has two more states:
/// - Its places: the number of its transfers that may run, from the limit per host down to 1. A time-out before the
///   first byte halves them, and a response doubles them. They refuse nothing: the other transfers wait.
/// - Its turn, for each level: a host with queued transfers either has exactly one of them in the queue of the level,
/// or
///   it is full and all are blocked. The queue is the ring of a deficit round robin (Shreedhar and Varghese 1995). The
///   length of a body is unknown when its transfer starts, so a host is charged afterwards: each start and each byte
///   lowers its deficit. While the deficit is positive, its next transfer takes the place of the last one. Otherwise it
///   moves to the end of the ring, and each time it is first again, the deficit grows by ``quantum``.
///
/// The order is by level first. Paused transfers precede the ring of their level.
struct HostRegistry {
    struct Host {
        var key: HostKey
        var jobs = 0
        /// The number of its transfers that hold a slot; for a file system, of its running reads.
        var running = 0
        /// The number of its transfers that may run, as far as its time-outs tell. The limit per host applies, too.
        private(set) var places = Int.max
        /// The bytes that remain in its turn; negative if it has received more.
        var deficit = HostRegistry.quantum
        /// The job that is in the queue for it, by level; -1 if there is none.
        var turns = InlineArray<5, Int32>(repeating: -1)
        /// The bytes that its bodies may come to hold; see `JobTable+Held`.
        var claimed = 0
        /// Transfers that wait until fewer of this host run, by level.
        var blocked = InlineArray<5, JobList>(repeating: JobList())
        var blockedCount = 0
        /// The time from request to first byte, as a moving average; 0 while it is unknown.
        var timeToFirstByte: Moment = 0

        init(key: HostKey) { self.key = key }

        /// Records that it responded, or that it did not in time.
        ///
        /// - Parameter limit: the limit per host.
        mutating func adjustPlaces(_ isInTime: Bool, limit: Int) {
            let present = min(places, limit)
            places = !isInTime ? max(1, present / 2) : present > limit / 2 ? .max : present * 2
        }

        /// Begins another turn.
        mutating func beginTurn() { deficit = max(deficit, HostRegistry.lowestDeficit) + HostRegistry.quantum }

        /// Records a time to first byte.
        mutating func responded(in time: Moment) {
            timeToFirstByte = timeToFirstByte == 0 ? time : timeToFirstByte + (time - timeToFirstByte) / 4
        }
    }

    private(set) var hosts = ContiguousArray<Host>()
    /// The number of blocked transfers of the levels that others yield to.
    private(set) var blockedUrgent = 0
    private var places: [UInt64: Int32] = [:]
    private var latest: Int32 = -1
    private var searched = 0

    static let remembered = 512
    /// The bytes by which the deficit of a host grows in each round.
    static let quantum = 128 << 10
    /// The cost of a start, in bytes: also those of a host that sends nothing count.
    static let startCost = 16 << 10
    /// A lower deficit is forgotten, so that a host waits for 16 rounds at most.
    static let lowestDeficit = -16 * quantum

    subscript(index: Int32) -> Host {
        _read { yield hosts[Int(index)] }
        _modify { yield &hosts[Int(index)] }
    }

    /// Blocks a transfer until fewer run from its host.
    mutating func block(
        _ job: Int32, on place: Int32, _ level: Int, behind other: Int32, _ firstList: Int32,
        _ links: Slots<JobList.Link>
    ) {
        self[place].blocked[level].insert(job, behind: other, list: firstList + Int32(level), links)
        self[place].blockedCount += 1
        if level >= JobLevel.firstHigh, !self[place].key.isFileSystem { blockedUrgent += 1 }
    }

    /// Removes a transfer from the blocked ones.
    mutating func unblock(_ job: Int32, on place: Int32, _ firstList: Int32, _ links: Slots<JobList.Link>) {
        let level = Int(links[job].list - firstList)
        self[place].blocked[level].remove(job, links)
        self[place].blockedCount -= 1
        if level >= JobLevel.firstHigh, !self[place].key.isFileSystem { blockedUrgent -= 1 }
    }

    /// Returns the entry of a host, for a new job.
    mutating func enter(_ key: HostKey) -> Int32 {
        let place = latest >= 0 && self[latest].key == key ? latest : find(key)
        latest = place
        self[place].jobs += 1
        return place
    }

    /// Returns the entry of a host; `nil` if it is not known.
    func place(of key: HostKey) -> Int32? { places[key.number] }

    mutating func leave(_ place: Int32) { self[place].jobs -= 1 }

    private mutating func find(_ key: HostKey) -> Int32 {
        if let place = places[key.number] { return place }
        let place = vacated() ?? Int32(hosts.count)
        if Int(place) < hosts.count { self[place] = Host(key: key) } else { hosts.append(Host(key: key)) }
        places[key.number] = place
        return place
    }

    /// Returns the entry of a host without jobs for reuse, if there are many hosts. Checks only a few.
    private mutating func vacated() -> Int32? {
        guard hosts.count >= HostRegistry.remembered else { return nil }
        for _ in 0..<8 {
            searched = (searched + 1) % hosts.count
            guard hosts[searched].jobs == 0 else { continue }
            places[hosts[searched].key.number] = nil
            return Int32(searched)
        }
        return nil
    }
}
