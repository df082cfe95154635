import Firn
import FirnSystem

/// The arguments of the process, as bytes.
enum SystemArguments {
    /// All arguments except the command's name. A file name that is not UTF-8 is preserved (`SystemPath`); Swift
    /// repairs its own arguments, which then name no file.
    static var all: [String] {
        CommandLine.unsafeArgv.withMemoryRebound(to: UnsafeMutablePointer<CChar>?.self, capacity: 1) { words in
            (1..<max(1, Int(CommandLine.argc))).compactMap { index in
                words[index].map { SystemPath.text(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
            }
        }
    }
}
