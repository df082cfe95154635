/// Where readings of how short memory is come from: what a test puts in the place of the system.
package protocol PressureSource: AnyObject, Sendable {
    /// Waits, on the watcher's thread, until the system calls, the time is over, or ``stop()`` was called.
    ///
    /// - Parameter isTense: whether memory was short lately, so that changes should be seen soon.
    func wait(isTense: Bool) -> PressureWait

    /// How short memory is now. Called on the watcher's thread.
    func read() -> PressureReading

    /// Has ``wait(isTense:)`` return `stopped`, now and ever after. Called on any thread; must not block.
    func stop()
}

/// Why a wait is over.
package enum PressureWait: Sendable {
    /// The system called: tasks wait for memory.
    case called
    /// It is time to look.
    case elapsed
    /// The watch is to end.
    case stopped
}
