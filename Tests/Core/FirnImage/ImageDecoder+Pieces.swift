import FirnImage
import FoundationEssentials

extension ImageDecoder {
    /// Appends a whole file in pieces of `length` bytes, asks for the status after each, and finishes.
    func receive(_ data: Data, inPiecesOf length: Int) throws {
        var rest = data[...]
        while !rest.isEmpty {
            try append(rest.prefix(length))
            rest = rest.dropFirst(length)
            _ = status
        }
        finish()
    }
}
