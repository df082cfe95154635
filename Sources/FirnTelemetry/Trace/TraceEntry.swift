/// One entry of a trace, as the Trace Event Format has them (its letters are the names of the keys).
struct TraceEntry: Encodable {
    enum Value: Encodable {
        case number(Int)
        case time(Double)
        case text(String)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .time(let time): try container.encode(time)
            case .text(let text): try container.encode(text)
            }
        }
    }

    let name: String
    /// Kind: `X` a slice, `b`/`e` begin and end of something beside the lanes, `s`/`t`/`f` an arrow's start, way and end,
    /// `C` a counter, `i` a moment, `M` a name.
    let ph: String
    /// When, in microseconds.
    var ts: Double = 0
    var dur: Double?
    let pid = 1
    var tid: Int
    var cat: String?
    var id: Int?
    /// For arrows: they end at the slice around them.
    var bp: String?
    var args: [String: Value]?
}
