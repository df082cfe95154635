/// Names a job or a task of a ``JobTable``. Stays harmless when what it names is gone.
struct JobTicket: Hashable, Sendable {
    let index: Int32
    let generation: UInt32

    static let none = JobTicket(index: -1, generation: 0)
}
