// The roots, by their keys.
extension JobTable {
    /// Roots that can be joined.
    var rootCount: Int { keys.count }

    @inline(__always) mutating func root(_ key: Key, _ hash: UInt) -> Int32? {
        let jobs = jobs
        return keys.find(hash) { jobs[$0].key == key }
    }

    mutating func addRoot(_ job: Int32, _ key: consuming Key, _ hash: UInt) {
        jobs[job].key = key
        keys.insert(job, hash)
    }

    /// Removes a root, so that no task joins it.
    mutating func removeRoot(_ job: Int32) {
        guard let hash = jobs[job].key?.keyHash else { return }
        jobs[job].key = nil
        keys.remove(job, hash)
    }
}
