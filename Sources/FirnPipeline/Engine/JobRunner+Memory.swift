import FirnImage
import FirnSync

// Decodes take their memory from a budget that others use, too.
extension JobRunner {
    /// Asks for the memory of a decode.
    ///
    /// Order: the budget first, so that caches have made room before the table decides; what they could not free it
    /// knows then, too. A decode that has to wait gives the bytes back meanwhile.
    func reserve(_ bytes: Int, for ticket: JobTicket) -> Bool {
        take(bytes) { $0.reserve(bytes, for: ticket) }
    }

    /// Makes an image that is worth making only while there is memory for it.
    ///
    /// - Parameter make: asks for so many bytes, at most once, and returns without them if they are not there.
    func lending(_ make: (_ lend: (Int) -> Bool) -> ImageContainer?) -> ImageContainer? {
        var lent = 0
        let container = make { bytes in
            guard take(bytes, { $0.lend(bytes) }) else { return false }
            lent += bytes
            return true
        }
        if lent > 0 { change { $0.takeBack(lent) } }
        return container
    }

    private func take(_ bytes: Int, _ ask: (inout Table) -> Bool) -> Bool {
        guard let memory else { return state.withLock { ask(&$0.table) } }
        memory.add(bytes)
        let (isGranted, difference) = state.withLock { state in
            refreshRoom(&state)
            let isGranted = ask(&state.table)
            return (isGranted, state.takeBytes() - bytes)
        }
        if difference != 0 { memory.add(difference) }
        return isGranted
    }

    /// The same, told to those who observe.
    func reserved(_ bytes: Int, for ticket: JobTicket) -> Bool {
        let isGranted = reserve(bytes, for: ticket)
        observeMemory()
        return isGranted
    }

    /// The budget has become smaller or larger: decodes that wait for memory may get it.
    func memoryChanged() {
        guard let memory else { return }
        if memory.isShort { keeper.removeAll() }
        change { $0.setDecodingRoom(memory.decodingRoom) }
    }

    /// Has the table know what the budget has for decodes at the moment. Called with the lock held.
    func refreshRoom(_ state: inout State) {
        if let memory { state.table.decodingRoom = memory.decodingRoom }
    }
}

extension JobRunner.State {
    /// Bytes that decodes hold now beside those that the budget was told of; from then on it is told of these, too.
    mutating func takeBytes() -> Int {
        defer { toldBytes = table.reservedBytes }
        return table.reservedBytes - toldBytes
    }
}
