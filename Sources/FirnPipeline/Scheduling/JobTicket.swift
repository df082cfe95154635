/// Identifies a job or a task of a ``JobTable``. Ignored once that job or task has ended.
struct JobTicket: Hashable, Sendable {
    let index: Int32
    let generation: UInt32

    static let none = JobTicket(index: -1, generation: 0)
}
