import FoundationEssentials
import FirnSystem

/// The fuzzer's initialization. If the environment variable `FIRN_FUZZ_SEEDS` names a folder, writes the seeds of the
/// format there and ends the process.
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
