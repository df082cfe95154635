/// The time limit of an operation.
enum S3Deadline {
    /// Runs an operation, and cancels it after a time.
    ///
    /// - Throws: kind `timeout` after `limit`, `cancelled` if the caller is cancelled, or the operation's error.
    static func run<Value: Sendable>(
        within limit: Duration, _ operation: @escaping @Sendable () async throws(S3Error) -> Value
    ) async throws(S3Error) -> Value {
        let result = await withTaskGroup(of: Result<Value, S3Error>?.self) { group in
            group.addTask {
                do throws(S3Error) { return .success(try await operation()) } catch { return .failure(error) }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let result else { throw Task.isCancelled ? .cancelled : .timeout(limit) }
        return try result.get()
    }
}
