/// What is known of hosts: how many transfers run from each, which wait for that, and how fast it answers.
///
/// Hosts without jobs are remembered for what they taught, up to a number; then their places are used for others.
struct HostRegistry {
    struct Host {
        var key: HostKey
        /// Jobs that name it.
        var jobs = 0
        /// Transfers from it that hold a slot.
        var running = 0
        /// Transfers that wait until fewer run, by level.
        var blocked = InlineArray<5, JobList>(repeating: JobList())
        var blockedCount = 0
        /// From question to the first byte of the answer; late answers count more. 0 while unknown.
        var timeToFirstByte: Moment = 0

        /// Takes note of how long an answer took.
        mutating func answered(in time: Moment) {
            timeToFirstByte = timeToFirstByte == 0 ? time : timeToFirstByte + (time - timeToFirstByte) / 4
        }
    }

    private(set) var hosts = ContiguousArray<Host>()
    /// How many of all that were put aside are of the levels that others make room for.
    private(set) var blockedUrgent = 0
    private var places: [UInt64: Int32] = [:]
    private var latest: Int32 = -1
    private var searched = 0

    static let remembered = 512

    subscript(index: Int32) -> Host {
        _read { yield hosts[Int(index)] }
        _modify { yield &hosts[Int(index)] }
    }

    /// Puts a transfer aside until fewer run from its host.
    mutating func block(
        _ job: Int32, on place: Int32, _ level: Int, behind other: Int32, _ firstList: Int32,
        _ links: Slots<JobList.Link>
    ) {
        self[place].blocked[level].insert(job, behind: other, list: firstList + Int32(level), links)
        self[place].blockedCount += 1
        if level >= JobLevel.firstHigh { blockedUrgent += 1 }
    }

    /// Takes a transfer out of those put aside.
    mutating func unblock(_ job: Int32, on place: Int32, _ firstList: Int32, _ links: Slots<JobList.Link>) {
        let level = Int(links[job].list - firstList)
        self[place].blocked[level].remove(job, links)
        self[place].blockedCount -= 1
        if level >= JobLevel.firstHigh { blockedUrgent -= 1 }
    }

    /// The place of a host, for a job that names it.
    mutating func enter(_ key: HostKey) -> Int32 {
        let place = latest >= 0 && self[latest].key == key ? latest : find(key)
        latest = place
        self[place].jobs += 1
        return place
    }

    /// A job that names it is gone.
    mutating func leave(_ place: Int32) { self[place].jobs -= 1 }

    private mutating func find(_ key: HostKey) -> Int32 {
        if let place = places[key.number] { return place }
        let place = vacated() ?? Int32(hosts.count)
        if Int(place) < hosts.count { self[place] = Host(key: key) } else { hosts.append(Host(key: key)) }
        places[key.number] = place
        return place
    }

    /// The place of a host that can be forgotten, once there are many. Looks at a few only.
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
