/// A point in time: nanoseconds of a monotonic clock. The table receives it and reads no clock.
typealias Moment = Int64
