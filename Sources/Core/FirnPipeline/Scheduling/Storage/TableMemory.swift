/// Owns the slots of a ``JobTable``. It is one object, so that one check tells whether a table shares them with a
/// copy.
final class TableMemory<Job, Task> {
    let jobs: Slots<Job>
    let links: Slots<JobList.Link>
    let tasks: Slots<Task>
    let buckets: Slots<KeyIndex.Bucket>
    let furtherBuckets: Slots<KeyIndex.Bucket>

    init() {
        jobs = Slots()
        links = Slots()
        tasks = Slots()
        buckets = Slots()
        furtherBuckets = Slots()
    }

    init(copying other: TableMemory) {
        jobs = other.jobs.copied()
        links = other.links.copied()
        tasks = other.tasks.copied()
        buckets = other.buckets.copied()
        furtherBuckets = other.furtherBuckets.copied()
    }

    deinit {
        jobs.free()
        links.free()
        tasks.free()
        buckets.free()
        furtherBuckets.free()
    }
}
