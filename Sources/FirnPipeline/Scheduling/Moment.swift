/// A point in time: nanoseconds of a clock that never runs backwards. The table receives it and reads no clock.
typealias Moment = Int64
