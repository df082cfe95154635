// The roots, by their keys.
extension JobTable {
    /// Roots that can be joined.
    var rootCount: Int { keys.count }

    @inline(__always) mutating func root(_ key: Key, _ hash: UInt) -> Int32? {
        var job = keys.heads[keys.bucket(hash)]
        while job >= 0 {
            if jobs[job].key == key { return job }
            job = jobs[job].nextInBucket
        }
        return nil
    }

    mutating func addRoot(_ job: Int32, _ key: consuming Key, _ hash: UInt) {
        jobs[job].key = key
        link(job, into: keys.bucket(hash))
        keys.added()
        guard let (old, new) = keys.grow() else { return }
        // Order: all are taken out first; those that stay are put back.
        var next = keys.heads[old]
        keys.heads[old] = -1
        while next >= 0 {
            let job = next
            next = jobs[job].nextInBucket
            let bucket = jobs[job].key.map { keys.bucket($0.keyHash) } ?? new
            link(job, into: bucket)
        }
    }

    /// Takes a root out, so that nobody joins it.
    mutating func removeRoot(_ job: Int32) {
        guard let key = jobs[job].key.take() else { return }
        let bucket = keys.bucket(key.keyHash)
        let next = jobs[job].nextInBucket
        jobs[job].nextInBucket = -1
        keys.removed()
        var previous = keys.heads[bucket]
        if previous == job {
            keys.heads[bucket] = next
            return
        }
        while previous >= 0 {
            if jobs[previous].nextInBucket == job {
                jobs[previous].nextInBucket = next
                return
            }
            previous = jobs[previous].nextInBucket
        }
    }

    private mutating func link(_ job: Int32, into bucket: Int32) {
        jobs[job].nextInBucket = keys.heads[bucket]
        keys.heads[bucket] = job
    }
}
