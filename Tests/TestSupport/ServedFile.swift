import FirnData
package import FirnTesting
package import FoundationEssentials

/// A file on a correct server, with an entity tag and ranges for `Range: bytes=N-`.
///
/// A range whose `If-Range` is another tag gets the whole file (RFC 9110 §13.1.5); a range after the end gets status
/// 416.
package struct ServedFile: Sendable {
    /// The bytes.
    package var data: Data
    /// The entity tag, with its quotes.
    package var tag: String
    /// Gates by position: the server waits before the byte at a position until its gate is open.
    package var gates: [Int: Gate]
    /// True if the length of the whole file is stated. A range always has a length.
    package var isLengthTold: Bool

    /// Creates a file.
    package init(_ data: Data, tag: String = "\"v1\"", gates: [Int: Gate] = [:], isLengthTold: Bool = true) {
        self.data = data
        self.tag = tag
        self.gates = gates
        self.isLengthTold = isLengthTold
    }

    fileprivate func response(to headers: HTTPHeaderFields) -> ScriptedResponse {
        var fields: HTTPHeaderFields = ["ETag": tag, "Accept-Ranges": "bytes"]
        guard let range = headers["Range"], headers["If-Range"].map({ $0 == tag }) ?? true else {
            return .steps(steps(from: 0), framing: isLengthTold ? .length : .chunked, headers: fields)
        }
        guard range.hasPrefix("bytes="), range.hasSuffix("-"), let start = Int(range.dropFirst(6).dropLast()),
            start < data.count
        else {
            var response = ScriptedResponse.status(416, "Range Not Satisfiable")
            response.headers["Content-Range"] = "bytes */\(data.count)"
            return response
        }
        fields["Content-Range"] = "bytes \(start)-\(data.count - 1)/\(data.count)"
        var response = ScriptedResponse.steps(steps(from: start), headers: fields)
        (response.status, response.reason) = (206, "Partial Content")
        return response
    }

    private func steps(from start: Int) -> [ScriptedResponse.Step] {
        var steps: [ScriptedResponse.Step] = []
        var place = start
        for (stop, gate) in gates.sorted(by: { $0.key < $1.key }) where stop >= start && stop <= data.count {
            if stop > place { steps.append(.bytes(piece(place..<stop))) }
            steps.append(.hold(gate))
            place = stop
        }
        if place < data.count { steps.append(.bytes(piece(place..<data.count))) }
        return steps
    }

    private func piece(_ range: Range<Int>) -> Data {
        data.subdata(in: (data.startIndex + range.lowerBound)..<(data.startIndex + range.upperBound))
    }
}

extension ScriptedResponse {
    /// Serves a file, of which a client may request the rest.
    package static func file(_ file: ServedFile) -> ScriptedResponse {
        var response = ScriptedResponse()
        response.computed = { file.response(to: $0) }
        return response
    }
}
