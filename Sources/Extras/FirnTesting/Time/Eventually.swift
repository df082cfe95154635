/// Waits until a condition is true, for values that no ``Recorder`` reports. Checks it every millisecond.
///
/// - Throws: `CancellationError` if the task is cancelled, as by the time limit of a test.
public func eventually(_ condition: () async -> Bool) async throws {
    while await !condition() {
        // Sleeps: nothing reports the change of the value.
        try await Task.sleep(for: .milliseconds(1))
    }
}
