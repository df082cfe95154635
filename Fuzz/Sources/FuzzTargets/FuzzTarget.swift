import FirnImage
import FoundationEssentials

/// The fuzzer's entry: decodes the input whole and in pieces, and stops the process if the results differ. A reader of
/// metadata gets the input as it is.
///
/// Safety: the fuzzer owns the bytes, which stay valid until the call ends; they are copied at once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let bytes, count > 0 else { return 0 }
    let file = Data(bytes: bytes, count: count)
    if let read = FuzzReaders.chosen {
        read(file)
        return 0
    }
    guard let decoder = FuzzDecoder.chosen else { return 0 }
    let input = FuzzInput(file)
    let whole = Outcome.whole(input, decoder)
    let split = Outcome.inPieces(input, decoder)
    if let difference = whole.difference(from: split) {
        fatalError("decoded whole and in pieces differ (\(input)): \(difference)")
    }
    Outcome.partial(input, decoder)
    return 0
}
