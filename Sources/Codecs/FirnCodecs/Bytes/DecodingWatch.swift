import FirnData
import FirnSync
import Synchronization

/// Counts the steps of the calls on one file, and ends a call that was cancelled or exceeded its time limit.
///
/// A ``ByteChain`` carries the watch of its file, and each read of it, or of ``ISOFields`` in it, is a step. After the
/// watch has ended a call, reads return nothing, so that every loop over a file's content ends. The session then throws
/// ``ended`` and replaces its reader, which may have mistaken that for the end of the file. Loops that read nothing
/// call ``step(_:)`` or ``count(_:)``.
///
/// Threads: one call at a time; stripes of that call may count from several threads, and may then lose steps.
final class DecodingWatch: Sendable {
    /// The steps between two reads of the clock, which cost as much as several steps.
    static let stepsPerLook = 256
    private static let shiftOfLook = 8

    private let cancellation: CancellationFlag
    private let deadline = Atomic<Int64>(.max)
    private let counted = Atomic<Int>(0)
    /// 0, or the raw value of an ``End``.
    private let end = Atomic<UInt8>(0)

    private enum End: UInt8 { case cancelled = 1, late = 2 }

    /// Starts a first call.
    init(_ cancellation: CancellationFlag = CancellationFlag(), limit: Duration? = nil) {
        self.cancellation = cancellation
        start(limit: limit)
    }

    /// Starts the time limit of a call.
    func start(limit: Duration?) {
        end.store(0, ordering: .relaxed)
        let moment = limit.map { MonotonicClock.now().saturatingAdd($0.nanoseconds) }
        deadline.store(moment ?? .max, ordering: .relaxed)
    }

    /// The number of steps of all calls so far.
    var steps: Int { counted.load(ordering: .relaxed) }

    /// Counts steps; checks the clock and the cancellation flag at every 256th.
    ///
    /// - Returns: whether the call goes on.
    @discardableResult
    func count(_ steps: Int = 1) -> Bool {
        guard end.load(ordering: .relaxed) == 0 else { return false }
        let before = counted.load(ordering: .relaxed)
        let after = before &+ steps
        counted.store(after, ordering: .relaxed)
        return before &>> DecodingWatch.shiftOfLook == after &>> DecodingWatch.shiftOfLook || look()
    }

    /// Counts steps.
    ///
    /// - Throws: ``ended``.
    func step(_ steps: Int = 1) throws(ImageError) {
        guard !count(steps), let ended else { return }
        throw ended
    }

    /// Checks the clock and the cancellation flag.
    ///
    /// - Throws: ``ended``.
    func check() throws(ImageError) {
        guard !look(), let ended else { return }
        throw ended
    }

    /// The time until the end of the call, at least 0; `nil` for no limit.
    var remaining: Duration? {
        let deadline = deadline.load(ordering: .relaxed)
        return deadline == .max ? nil : .nanoseconds(max(0, deadline &- MonotonicClock.now()))
    }

    /// Why the call ended; `nil` if it goes on.
    var ended: ImageError? {
        switch End(rawValue: end.load(ordering: .relaxed)) {
        case nil: nil
        case .cancelled: ImageError(.cancelled, at: .decoding, "the decode was cancelled")
        case .late: .late
        }
    }

    /// Checks the clock and the cancellation flag; returns whether the call goes on.
    func look() -> Bool {
        if cancellation.isCancelled {
            end.store(End.cancelled.rawValue, ordering: .relaxed)
        } else if end.load(ordering: .relaxed) == 0, MonotonicClock.now() > deadline.load(ordering: .relaxed) {
            end.store(End.late.rawValue, ordering: .relaxed)
        }
        return end.load(ordering: .relaxed) == 0
    }
}

extension ImageError {
    /// The error of a decode that exceeded its time limit.
    static let late = ImageError(
        .limit, at: .decoding, "takes longer to decode than allowed",
        setting: "ImageLimits.maximumDecodingTime")

    /// True if the time limit was exceeded, and not another limit.
    var isLate: Bool { setting == ImageError.late.setting }
}
