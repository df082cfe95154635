/// The heads of one response: discards interim ones, and returns the final one.
///
/// libcurl is lenient with heads, so violations of HTTP become errors here, except for a length beside a transfer
/// coding, which browsers accept. Source: RFC 9110 §15 (status codes) and §8.6 (lengths), RFC 9112 §5 and §6.
package struct HeadSequence {
    /// The head of a final response.
    package struct Head: Equatable, Sendable {
        package let status: Int
        package let reason: String
        package fileprivate(set) var headers: HTTPHeaderFields
        /// True if the connection must not be reused: the head had a length beside a transfer coding.
        package fileprivate(set) var endsConnection = false
    }

    /// The maximum number of interim responses (1xx) before the final one. 100, since servers send one or two.
    package static let interimLimit = 100

    private var interim = 0
    /// True if the final head has arrived.
    package private(set) var isComplete = false

    package init() {}

    /// Takes the next head, from its status line to its empty line.
    ///
    /// - Returns: `nil` for an interim response.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) throws(DataLoadingError) -> Head? {
        guard !bytes.isEmpty else { throw HeadSequence.isTooLong }
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: true).map { line in
            line.last == 13 ? line.dropLast() : line
        }
        guard !lines.isEmpty else { throw HeadSequence.isNotHTTP("it has no status") }
        let (status, reason) = try HeadSequence.status(lines.removeFirst())
        switch status {
        case 101: throw DataLoadingError(.other, "the server changes the protocol, which was not asked for")
        case 100..<200:
            interim += 1
            guard interim <= HeadSequence.interimLimit else {
                throw DataLoadingError(.other, "more than \(HeadSequence.interimLimit) interim responses")
            }
            return nil
        case 200..<1000: break
        default: throw HeadSequence.isNotHTTP("status \(status)")
        }
        isComplete = true
        var head = Head(status: status, reason: reason, headers: try HeadSequence.fields(lines))
        let length = ContentLength(head.headers)
        guard let coding = head.headers["Transfer-Encoding"] else {
            guard length != .invalid else { throw HeadSequence.isNotHTTP("its length is not one number") }
            return head
        }
        // libcurl 8.5 treats chunks within another coding as content, and no version decodes the other coding.
        guard FieldList.members(coding).count < 2 else {
            throw HeadSequence.isNotHTTP("it has several transfer codings, \(coding.prefix(80))")
        }
        if length != .none {
            // The transfer coding takes precedence. The next receiver may see another end than the sender (RFC 9112
            // §6.3).
            head.headers["Content-Length"] = nil
            head.endsConnection = true
        }
        return head
    }

    private typealias Line = Slice<UnsafeRawBufferPointer>

    static var isTooLong: DataLoadingError { DataLoadingError(.other, "the header of the response is too long") }

    private static func isNotHTTP(_ reason: String) -> DataLoadingError {
        DataLoadingError(.other, "the response is not HTTP: \(reason)")
    }

    private static func status(_ line: Line) throws(DataLoadingError) -> (Int, String) {
        let parts = line.split(separator: 32, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[1].count == 3, let status = Int(digits: parts[1]) else {
            throw isNotHTTP("its status is not a number")
        }
        return (status, parts.count == 3 ? text(FieldList.trimmed(parts[2])) : "")
    }

    private static func fields(_ lines: [Line]) throws(DataLoadingError) -> HTTPHeaderFields {
        var fields: [HTTPHeaderFields.Field] = []
        fields.reserveCapacity(lines.count)
        for line in lines {
            guard let first = line.first else { continue }
            if first == 32 || first == 9 {
                // A continued line (RFC 9112 §5.2).
                guard let last = fields.indices.last else { throw isNotHTTP("a field has no name") }
                fields[last].value += " " + text(FieldList.trimmed(line))
                continue
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
                throw isNotHTTP("a field has no name")
            }
            let name = text(FieldList.trimmed(line[..<colon]))
            let value = FieldList.trimmed(line[line.index(after: colon)...])
            fields.append(HTTPHeaderFields.Field(name: name, value: HeadSequence.value(value, of: name)))
        }
        return HTTPHeaderFields(fields)
    }

    /// The text of a value. In a `Location` that is not UTF-8, bytes are percent-encoded, as in browsers.
    private static func value(_ bytes: some Collection<UInt8>, of name: String) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        guard name.lowercased() == "location" else { return text(bytes) }
        return PercentEncoding.encoded(bytes) { $0 < 0x80 }
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
