import NIOCore

/// A value of Redis's protocol, versions 2 and 3.
///
/// Source: Redis serialization protocol specification.
enum RESPValue: Sendable, Equatable {
    /// A simple string; also doubles and big numbers, as they were sent.
    case text(String)
    case error(String)
    case number(Int)
    case bytes(ByteBuffer)
    case null
    /// An array, a set, or the alternating keys and values of a map.
    case list([RESPValue])
    /// A pushed message, which is not a reply.
    case push([RESPValue])

    /// The value of a simple or bulk string; `nil` for others.
    var string: String? {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): String(buffer: bytes)
        default: nil
        }
    }
}

/// Parses values of Redis's protocol incrementally.
///
/// Throws ``RedisFault/malformed`` for other bytes, and for values that are too long or too deep.
struct RESPParser {
    /// The maximum depth of nested lists.
    private static let deepest = 8
    /// The maximum length of a line, without its end: a number or an error.
    private static let longestLine = 64 << 10
    private let maximumBytes: Int
    private var buffer = ByteBuffer()

    init(maximumBytes: Int = 4 << 20) { self.maximumBytes = maximumBytes }

    mutating func append(_ bytes: ByteBuffer) {
        guard buffer.readableBytes > 0 else { return buffer = bytes }
        buffer.discardReadBytes()
        buffer.writeImmutableBuffer(bytes)
    }

    /// Returns the next value; `nil` if bytes are missing.
    mutating func next() throws(RedisFault) -> RESPValue? {
        var reader = buffer
        guard let value = try value(&reader, level: 0) else {
            if buffer.readableBytes > maximumBytes { throw .malformed }
            return nil
        }
        buffer = reader
        return value
    }

    private func value(_ reader: inout ByteBuffer, level: Int) throws(RedisFault) -> RESPValue? {
        guard level < RESPParser.deepest else { throw .malformed }
        guard let byte: UInt8 = reader.readInteger(), let line = try line(&reader) else { return nil }
        let kind = Character(Unicode.Scalar(byte))
        switch kind {
        case "+", ",", "(": return .text(line)
        case "-": return .error(line)
        case ":": return .number(try number(line))
        case "#": return .number(line == "t" ? 1 : 0)
        case "_": return .null
        case "$", "=", "!": return try bulk(&reader, kind, number(line))
        case "*", "~", ">", "%", "|": return try list(&reader, kind, number(line), level)
        default: throw .malformed
        }
    }

    private func bulk(_ reader: inout ByteBuffer, _ kind: Character, _ count: Int) throws(RedisFault) -> RESPValue? {
        if count == -1 { return .null }
        guard (0...maximumBytes).contains(count) else { throw .malformed }
        guard reader.readableBytes >= count + 2, var bytes = reader.readSlice(length: count) else { return nil }
        guard reader.readInteger(as: UInt16.self) == 0x0D0A else { throw .malformed }
        if kind == "!" { return .error(String(buffer: bytes)) }
        // A verbatim string begins with its kind, such as `txt:`.
        if kind == "=" { bytes.moveReaderIndex(forwardBy: min(4, bytes.readableBytes)) }
        return .bytes(bytes)
    }

    private func list(
        _ reader: inout ByteBuffer, _ kind: Character, _ count: Int, _ level: Int
    ) throws(RedisFault) -> RESPValue? {
        if count == -1 { return .null }
        let isMap = kind == "%" || kind == "|"
        // Each element has at least three bytes.
        guard (0...maximumBytes / 6).contains(count) else { throw .malformed }
        var values: [RESPValue] = []
        for _ in 0..<(isMap ? 2 * count : count) {
            guard let value = try value(&reader, level: level + 1) else { return nil }
            values.append(value)
        }
        // Attributes describe the value that follows.
        if kind == "|" { return try value(&reader, level: level + 1) }
        return kind == ">" ? .push(values) : .list(values)
    }

    private func line(_ reader: inout ByteBuffer) throws(RedisFault) -> String? {
        let view = reader.readableBytesView
        guard let end = view.firstIndex(of: 0x0D) else {
            if view.count > RESPParser.longestLine { throw .malformed }
            return nil
        }
        let text = String(decoding: view[..<end], as: UTF8.self)
        guard view.index(after: end) < view.endIndex else { return nil }
        guard view[view.index(after: end)] == 0x0A else { throw .malformed }
        reader.moveReaderIndex(forwardBy: view.distance(from: view.startIndex, to: end) + 2)
        return text
    }

    private func number(_ line: String) throws(RedisFault) -> Int {
        guard let number = Int(line) else { throw .malformed }
        return number
    }
}

struct RedisCommand: Sendable {
    let arguments: [ByteBuffer]

    /// The bytes that are sent.
    var bytes: ByteBuffer {
        var buffer = ByteBuffer(string: "*\(arguments.count)\r\n")
        for argument in arguments {
            buffer.writeString("$\(argument.readableBytes)\r\n")
            buffer.writeImmutableBuffer(argument)
            buffer.writeString("\r\n")
        }
        return buffer
    }
}

extension RedisCommand {
    init(_ texts: String...) { self.init(texts) }

    init(_ texts: [String], _ last: ByteBuffer? = nil) {
        arguments = texts.map { ByteBuffer(string: $0) } + (last.map { [$0] } ?? [])
    }
}
