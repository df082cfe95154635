import FoundationEssentials
import FirnSystem

/// What the fuzzer calls once. Where the environment names a folder as `FIRN_FUZZ_SEEDS`, the seeds of the format are written there and
/// the process ends.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzStart(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    let environment = ProcessInfo.processInfo.environment
    guard let folder = environment["FIRN_FUZZ_SEEDS"], !folder.isEmpty else { return 0 }
    let format = environment["FIRN_FUZZ_FORMAT"] ?? ""
    for (number, image) in FuzzSeeds.images(of: format).enumerated() {
        do {
            try image.write(to: URL(filePath: "\(folder)/made-\(number)"))
        } catch {
            fatalError("the seeds of \(format) cannot be written to \(folder): \(error)")
        }
    }
    exit(0)
}
