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
