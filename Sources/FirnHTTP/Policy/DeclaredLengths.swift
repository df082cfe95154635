/// Merges several equal `Content-Length` fields into one.
///
/// A recipient may do so (RFC 9110 §8.6); the HTTP client's parser rejects them. Different lengths stay, and are
/// rejected.
package enum DeclaredLengths {
    /// Returns the head of a response with one length instead of several equal ones; `nil` if nothing changes.
    ///
    /// - Parameter head: from the status line to the empty line after the last field, inclusive.
    package static func mended(_ head: [UInt8]) -> [UInt8]? {
        let lines = head.split(separator: 10, omittingEmptySubsequences: false)
        let stated = lines.map { DeclaredLengths.values(of: $0) }
        let all = stated.compactMap { $0 }.flatMap { $0 }
        guard all.count > 1, let first = all.first, all.allSatisfy({ $0 == first }), isNumber(first) else {
            return nil
        }
        var result: [UInt8] = []
        var isWritten = false
        for (number, line) in lines.enumerated() {
            if stated[number] == nil {
                result += line
            } else if isWritten {
                continue
            } else {
                isWritten = true
                result += Array("Content-Length: ".utf8) + first
                if line.last == 13 { result.append(13) }
            }
            if number < lines.count - 1 { result.append(10) }
        }
        return result
    }

    /// Returns the members of a line that states a length; `nil` for any other line.
    private static func values(of line: ArraySlice<UInt8>) -> [[UInt8]]? {
        guard line.count > name.count, line.prefix(name.count).map({ $0 | 0x20 }) == name else { return nil }
        let value = line.dropFirst(name.count).filter { $0 != 13 }
        return value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { FieldList.trimmed($0) }
    }

    /// In lower case. The bit of lower case does not change the colon.
    private static let name = Array("content-length:".utf8)

    private static func isNumber(_ text: [UInt8]) -> Bool {
        !text.isEmpty && text.allSatisfy { $0 >= 48 && $0 <= 57 }
    }
}
