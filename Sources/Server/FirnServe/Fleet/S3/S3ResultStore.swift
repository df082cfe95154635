import FirnSync
import Logging
import NIOCore

/// Stores results in a bucket. Every fault is a miss or a dropped store.
///
/// The bytes are not trusted: the caller checks that it stored them.
final class S3ResultStore: Sendable {
    /// The limits of operations.
    struct Limits: Sendable {
        /// The time limit of a read. Default: 500 ms, less than most results take to make.
        var readTime = Duration.milliseconds(500)
        /// The time limit of a store. Default: 10 seconds; no request waits for it.
        var storeTime = Duration.seconds(10)
        /// The maximum size of an object in bytes. Default: 16 MiB.
        var bytes = 16 << 20
        /// The maximum number of concurrent stores; further ones are dropped. Default: 16.
        var stores = 16
        /// The number of consecutive faults after which requests pause. Default: 5.
        var faults = 5
        /// The first and the longest pause. Default: 1 to 30 seconds.
        var pauses = Duration.seconds(1)...Duration.seconds(30)
    }

    private struct State {
        /// The number of running stores.
        var storing = 0
        /// Reads and stores fail independently: a bucket may be slow in one direction, or forbid it.
        var reads: StoreBreaker
        var stores: StoreBreaker

        var isFailing: Bool { reads.isOpen || stores.isOpen }
    }

    private typealias Direction = any WritableKeyPath<State, StoreBreaker> & Sendable

    private let client: S3Client
    private let limits: Limits
    private let logger: Logger?
    private let state: Locked<State>
    private let clock: @Sendable () -> Duration

    /// - Parameters:
    ///   - logger: logs when consecutive faults pause requests, and when the store works again. Default: none.
    ///   - clock: returns the time since a fixed moment. Default: the system's monotonic clock.
    init(
        _ client: S3Client, limits: Limits = Limits(), logger: Logger? = nil,
        clock: @escaping @Sendable () -> Duration = { .monotonic() }
    ) {
        self.client = client
        self.limits = limits
        self.logger = logger
        self.clock = clock
        let breaker = StoreBreaker(threshold: limits.faults, pauses: limits.pauses)
        state = Locked(State(reads: breaker, stores: breaker))
    }

    /// Returns the bytes of an object; `nil` if there are none or the store fails.
    func bytes(for name: String) async -> ByteBuffer? {
        let now = clock()
        guard state.withLock({ $0.reads.permits(at: now) }) else { return nil }
        do throws(S3Error) {
            let bytes = try await client.get(name, maximumBytes: limits.bytes, within: limits.readTime)
            note(\.reads, nil)
            return bytes
        } catch {
            note(\.reads, error)
            return nil
        }
    }

    /// Stores an object, unless it is too large, too many stores run, or stores pause.
    func store(_ bytes: ByteBuffer, for name: String) async {
        let now = clock()
        let isPermitted = state.withLock { state in
            guard bytes.readableBytes <= limits.bytes, state.storing < limits.stores, state.stores.permits(at: now)
            else { return false }
            state.storing += 1
            return true
        }
        guard isPermitted else { return }
        defer { state.withLock { $0.storing -= 1 } }
        do throws(S3Error) {
            // Objects are replaced, so that damaged ones disappear.
            try await client.put(bytes, for: name, within: limits.storeTime)
            note(\.stores, nil)
        } catch {
            note(\.stores, error)
        }
    }

    /// Records the end of a request. Logs if the store starts to fail or works again.
    private func note(_ breaker: Direction, _ error: S3Error?) {
        // A cancellation says nothing about the store.
        if error?.kind == .cancelled { return }
        let fault = error.flatMap { $0.isHarmless ? nil : $0 }
        let now = clock()
        let changes = state.withLock { state in
            let wasFailing = state.isFailing
            state[keyPath: breaker].record(isFailure: fault != nil, at: now)
            return state.isFailing != wasFailing
        }
        guard changes else { return }
        if let fault {
            logger?.warning("the S3 store fails; requests to it pause", metadata: ["error": "\(fault)"])
        } else {
            logger?.notice("the S3 store works again")
        }
    }
}
