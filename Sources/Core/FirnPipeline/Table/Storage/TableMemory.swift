/// Owns the slots of a ``JobTable``. It is one object, so that one check tells whether a table shares them with a
/// copy.
final class TableMemory<Job, Task> {
    let jobs: Slots<Job>
    let links: Slots<JobList.Link>
    let tasks: Slots<Task>

    init(copying other: TableMemory? = nil) {
        jobs = other?.jobs.copied() ?? Slots()
        links = other?.links.copied() ?? Slots()
        tasks = other?.tasks.copied() ?? Slots()
    }

    deinit {
        jobs.free()
        links.free()
        tasks.free()
    }
}
