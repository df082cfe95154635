/// The state of hosts: their running transfers, their blocked transfers, and their time to first byte.
///
/// Up to a number, hosts without jobs are remembered; above it their entries are reused.
struct HostRegistry {
    struct Host {
        var key: HostKey
        var jobs = 0
        /// The number of its transfers that hold a slot.
        var running = 0
        /// Transfers that wait until fewer of this host run, by level.
        var blocked = InlineArray<5, JobList>(repeating: JobList())
        var blockedCount = 0
        /// The time from request to first byte, as a moving average; 0 while it is unknown.
        var timeToFirstByte: Moment = 0

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
        if level >= JobLevel.firstHigh { blockedUrgent += 1 }
    }

    /// Removes a transfer from the blocked ones.
    mutating func unblock(_ job: Int32, on place: Int32, _ firstList: Int32, _ links: Slots<JobList.Link>) {
        let level = Int(links[job].list - firstList)
        self[place].blocked[level].remove(job, links)
        self[place].blockedCount -= 1
        if level >= JobLevel.firstHigh { blockedUrgent -= 1 }
    }

    /// Returns the entry of a host, for a new job.
    mutating func enter(_ key: HostKey) -> Int32 {
        let place = latest >= 0 && self[latest].key == key ? latest : find(key)
        latest = place
        self[place].jobs += 1
        return place
    }

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
