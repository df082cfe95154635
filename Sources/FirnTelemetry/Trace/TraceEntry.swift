/// An entry of a trace in the Trace Event Format, whose letters are the names of the keys.
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
    /// The kind: `X` a slice, `b`/`e` the start and end of an interval outside the lanes, `s`/`t`/`f` start, middle and
    /// end of an arrow, `C` a counter, `i` an instant, `M` a name.
    let ph: String
    /// The time in microseconds.
    var ts: Double = 0
    var dur: Double?
    let pid = 1
    var tid: Int
    var cat: String?
    var id: Int?
    /// For arrows: they end at the surrounding slice.
    var bp: String?
    var args: [String: Value]?
}
