/// Decides which arriving bytes go to the data cache before the body is complete.
///
/// A pure value. Short bodies go there as a whole, after the tasks have their result.
struct EarlyStore {
    /// The number of bytes between two parts.
    private static let step = 256 << 10

    struct Part {
        let body: ArrivingBody
        let chunks: [Data]
        let offset: Int
    }

    private var edition: UInt32?
    private var body: ArrivingBody?
    /// The file of an earlier body.
    private var former: ArrivingBody?
    private var count = 0
    private var chunks = 0

    func isDue(_ machine: TransferMachine) -> Bool {
        let isNew = edition != machine.edition
        return machine.count - (isNew ? 0 : count) >= EarlyStore.step && (isNew ? !machine.isWhole : body != nil)
    }

    /// Returns whether the body needs a file. Returns true once for each body.
    mutating func begin(_ machine: TransferMachine) -> Bool {
        guard edition != machine.edition else { return false }
        (former, body, edition) = (body ?? former, nil, machine.edition)
        return true
    }

    /// Sets the file of a body.
    ///
    /// - Returns: the file that is not needed.
    mutating func set(_ new: ArrivingBody?, _ edition: UInt32) -> ArrivingBody? {
        guard edition == self.edition else { return new }
        (body, count, chunks) = (new, 0, 0)
        return former.take()
    }

    mutating func next(_ machine: TransferMachine) -> Part? {
        guard edition == machine.edition, let body else { return nil }
        defer { (count, chunks) = (machine.count, machine.chunks.count) }
        return Part(body: body, chunks: Array(machine.chunks.dropFirst(chunks)), offset: count)
    }

    /// The file of a body; `nil` if it has none.
    func body(of edition: UInt32) -> ArrivingBody? { edition == self.edition ? body : nil }
}
