/// A point in time: nanoseconds of a clock that never runs backwards. The table is told it and reads no clock.
typealias Moment = Int64
