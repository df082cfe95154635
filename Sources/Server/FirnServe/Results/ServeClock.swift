import FirnData
import FirnSync

/// The time of a response, as its Date field names it. Made once a second.
enum ResponseDate {
    private static let last = Locked((second: Int.min, text: ""))

    static var now: String {
        let second = ServeClock.seconds()
        return last.withLock { last in
            if last.second != second { last = (second, HTTPDate.text(Int64(second))) }
            return last.text
        }
    }
}

/// The clock by which results age.
package enum ServeClock {
    /// The seconds since 1970.
    @Sendable package static func seconds() -> Int { Int(clamping: Duration.sinceEpoch().components.seconds) }
}
