// Root jobs by key.
extension JobTable {
    /// The number of roots that tasks can join.
    var rootCount: Int { keys.count }

    @inline(__always) mutating func root(_ key: Key, _ hash: UInt) -> Int32? {
        let jobs = jobs
        return keys.find(hash) { jobs[$0].key == key }
    }

    mutating func addRoot(_ job: Int32, _ key: consuming Key, _ hash: UInt) {
        jobs[job].key = key
        keys.insert(job, hash)
    }

    /// Removes a root from the index, so that no task joins it.
    mutating func removeRoot(_ job: Int32) {
        guard let hash = jobs[job].key?.keyHash else { return }
        jobs[job].key = nil
        keys.remove(job, hash)
    }
}
