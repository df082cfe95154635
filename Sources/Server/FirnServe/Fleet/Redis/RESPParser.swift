package import NIOCore

/// Reads values of Redis's protocol as their bytes arrive.
package struct RESPParser: Sendable {
    /// The most levels of lists in lists.
    private static let deepest = 8
    /// The longest line without its end: a number, or an error.
    private static let longestLine = 64 << 10
    private let maximumBytes: Int
    private var buffer = ByteBuffer()

    package init(maximumBytes: Int = 4 << 20) { self.maximumBytes = maximumBytes }

    package mutating func append(_ bytes: ByteBuffer) {
        if buffer.readableBytes == 0 {
            buffer = bytes
        } else {
            var bytes = bytes
            buffer.discardReadBytes()
            buffer.writeBuffer(&bytes)
        }
    }

    /// Returns the next value; `nil` if bytes are missing.
    package mutating func next() throws(RESPError) -> RESPValue? {
        var reader = buffer
        guard let value = try value(&reader, level: 0) else {
            if buffer.readableBytes > maximumBytes { throw RESPError(message: "a value is too long") }
            return nil
        }
        buffer = reader
        return value
    }

    private func value(_ reader: inout ByteBuffer, level: Int) throws(RESPError) -> RESPValue? {
        guard level < RESPParser.deepest else { throw RESPError(message: "lists lie too deep") }
        guard let kind: UInt8 = reader.readInteger() else { return nil }
        guard let line = try line(&reader) else { return nil }
        switch kind {
        case UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: "("): return .text(line)
        case UInt8(ascii: "-"): return .error(line)
        case UInt8(ascii: ":"): return .number(try number(line))
        case UInt8(ascii: "#"): return .number(line == "t" ? 1 : 0)
        case UInt8(ascii: "_"): return .null
        case UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: "!"): return try bulk(&reader, kind, try number(line))
        case UInt8(ascii: "*"), UInt8(ascii: "~"), UInt8(ascii: ">"), UInt8(ascii: "%"), UInt8(ascii: "|"):
            return try list(&reader, kind, try number(line), level)
        default: throw RESPError(message: "an unknown kind of value")
        }
    }

    private func bulk(_ reader: inout ByteBuffer, _ kind: UInt8, _ count: Int) throws(RESPError) -> RESPValue? {
        if count == -1 { return .null }
        guard (0...maximumBytes).contains(count) else { throw RESPError(message: "a value is too long") }
        guard reader.readableBytes >= count + 2, var bytes = reader.readSlice(length: count) else { return nil }
        guard reader.readInteger(as: UInt16.self) == 0x0D0A else { throw RESPError(message: "a value has no end") }
        if kind == UInt8(ascii: "!") { return .error(String(buffer: bytes)) }
        // A verbatim text begins with its kind, as `txt:`.
        if kind == UInt8(ascii: "=") { bytes.moveReaderIndex(forwardBy: min(4, bytes.readableBytes)) }
        return .bytes(bytes)
    }

    private func list(
        _ reader: inout ByteBuffer, _ kind: UInt8, _ count: Int, _ level: Int
    ) throws(RESPError) -> RESPValue? {
        if count == -1 { return .null }
        let isMap = kind == UInt8(ascii: "%") || kind == UInt8(ascii: "|")
        // Each element has three bytes at least.
        guard (0...maximumBytes / 6).contains(count) else { throw RESPError(message: "a list is too long") }
        var values: [RESPValue] = []
        for _ in 0..<(isMap ? 2 * count : count) {
            guard let value = try value(&reader, level: level + 1) else { return nil }
            values.append(value)
        }
        // Attributes describe the value that follows.
        if kind == UInt8(ascii: "|") { return try value(&reader, level: level + 1) }
        return kind == UInt8(ascii: ">") ? .push(values) : .list(values)
    }

    private func line(_ reader: inout ByteBuffer) throws(RESPError) -> String? {
        let view = reader.readableBytesView
        guard let end = view.firstIndex(of: 0x0D) else {
            if view.count > RESPParser.longestLine { throw RESPError(message: "a line is too long") }
            return nil
        }
        let text = String(decoding: view[..<end], as: UTF8.self)
        guard view.index(after: end) < view.endIndex else { return nil }
        guard view[view.index(after: end)] == 0x0A else { throw RESPError(message: "a line has no end") }
        reader.moveReaderIndex(forwardBy: view.distance(from: view.startIndex, to: end) + 2)
        return text
    }

    private func number(_ line: String) throws(RESPError) -> Int {
        guard let number = Int(line) else { throw RESPError(message: "a number is none") }
        return number
    }
}

package struct RedisCommand: Sendable {
    package let arguments: [ByteBuffer]

    package init(_ texts: String...) { arguments = texts.map { ByteBuffer(string: $0) } }

    init(arguments: [ByteBuffer]) { self.arguments = arguments }

    package func write(to buffer: inout ByteBuffer) {
        buffer.writeString("*\(arguments.count)\r\n")
        for argument in arguments {
            buffer.writeString("$\(argument.readableBytes)\r\n")
            buffer.writeImmutableBuffer(argument)
            buffer.writeString("\r\n")
        }
    }
}
