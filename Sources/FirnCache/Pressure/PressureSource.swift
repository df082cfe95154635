/// A source of memory pressure readings. Tests use sources of their own.
package protocol PressureSource: AnyObject, Sendable {
    /// Waits on the watcher's thread until the system sends a notification, the time has passed, or ``stop()`` was
    /// called.
    ///
    /// - Parameter isTense: whether memory was short recently, so that changes should be seen soon.
    func wait(isTense: Bool) -> PressureWait

    /// Returns the current reading. Called on the watcher's thread.
    func read() -> PressureReading

    /// Makes ``wait(isTense:)`` return `stopped` from now on. Called on any thread; must not block.
    func stop()
}

/// The reason for the end of a wait.
package enum PressureWait: Sendable {
    /// The system sent a notification: tasks wait for memory.
    case called
    /// The time has passed.
    case elapsed
    /// The source was stopped.
    case stopped
}
