import ArgumentParser
import FirnReport
import FirnSystem
import Firn

/// The program behind `firn serve` and `firn sign`.
@main
struct FirnServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firn", abstract: "Serves images over HTTP.", version: FirnVersion.current,
        subcommands: [ServeCommand.self, SignCommand.self])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            UsageFault.exit(
                fullMessage(for: error), Array(CommandLine.arguments.dropFirst()), dump: _dumpHelp())
        }
    }
}
