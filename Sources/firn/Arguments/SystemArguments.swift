import Firn
import FirnSystem

/// The arguments of the command as the system has them.
enum SystemArguments {
    /// All but the command's name. A name of a file that is not UTF-8 stays whole (`SystemPath`); Swift's own arguments are repaired
    /// and would name no file.
    static var all: [String] {
        CommandLine.unsafeArgv.withMemoryRebound(to: UnsafeMutablePointer<CChar>?.self, capacity: 1) { words in
            (1..<max(1, Int(CommandLine.argc))).compactMap { index in
                words[index].map { SystemPath.text(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
            }
        }
    }
}
