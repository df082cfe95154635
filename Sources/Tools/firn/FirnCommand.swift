// Every file of the command uses these modules.
@_exported public import ArgumentParser
@_exported public import Firn
@_exported public import FirnReport
import FirnSystem

@main
struct FirnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firn",
        abstract: "Loads, converts, describes and compares images.",
        discussion: """
            EXAMPLES
              firn convert photo.png photo.webp
              firn convert photo.jpg --size 50% -q 80 small.jpg
              firn thumbnail ~/Images --size 256 -o thumbs
              firn info --json photo.jpg
              firn metadata --remove place photo.jpg
              firn load https://example.org/photo.jpg --size 800x600 --out images
              firn compare photo.jpg copy.webp
              firn serve --insecure --local-root ~/Images
              firn cache stats
              firn gallery ~/Images

            EXIT STATUS
              0: all inputs succeeded; 1: some input failed; 2: wrong usage.
            """,
        version: FirnVersion.current,
        subcommands: [
            LoadCommand.self, ThumbnailCommand.self, InfoCommand.self, DecodeCommand.self, ConvertCommand.self,
            MetadataCommand.self,
            CompareCommand.self, PlaceholderCommand.self, PyramidCommand.self, ServeCommand.self, SignCommand.self,
            ProcessorsCommand.self, CacheCommand.self, GalleryCommand.self,
        ])

    static func main() async {
        // Order: before anything waits or handles signals, for which Dispatch needs descriptors. Without them it ends
        // the process.
        if let reason = FreeDescriptors.shortage(of: 8) {
            StandardError.line("firn: \(reason)")
            FirnSystem.exit(1)
        }
        let arguments = CommandWords.translated(SystemArguments.all)
        // ArgumentParser shows its overview for an unknown command after `help`.
        if arguments.first == "help", let tree = CommandTree(dump: _dumpHelp()),
            let fault = UsageFault(in: arguments, of: tree, replacement: CommandWords.replacement)
        {
            StandardError.line("Error: \(TerminalText.escaped(fault.message))")
            FirnSystem.exit(2)
        }
        do {
            var command = try parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error, arguments)
        }
    }

    /// Prints help, version or an error, and ends the process. An `ExitCode` was reported already.
    private static func end(with error: any Error, _ arguments: [String]) -> Never {
        let code = exitCode(for: error)
        if code == .validationFailure {
            let message = fullMessage(for: error)
            UsageFault.exit(message, arguments, dump: _dumpHelp(), replacement: CommandWords.replacement)
        }
        var message = UsageFault.escaped(fullMessage(for: error), arguments)
        if code == .success, arguments.contains("--generate-completion-script"), let shell = arguments.last {
            message = CompletionScript.completingLists(message, for: CompletionShell(rawValue: shell) ?? .bash)
        }
        let lines = message.isEmpty ? [] : message.split(separator: "\n", omittingEmptySubsequences: false)
        lines.map { String($0) }.forEach(code == .success ? StandardOutput.line : StandardError.line)
        if message == FirnVersion.current { printLibraries() }
        FirnSystem.exit(code.rawValue)
    }

    private static func printLibraries() {
        #if HTTP
        StandardOutput.line("http: \(HTTPLibrary.versions)")
        #else
        StandardOutput.line("http: left out of this build; enable the package trait HTTP")
        #endif
        for line in FormatLibraries.lines() { StandardOutput.line(line) }
    }
}

extension ExitCode {
    /// Some input failed, and the reason was reported.
    static let someFailed = ExitCode(1)

    /// Reports on standard error why a command fails, and returns its status. Default: 1.
    static func reported(_ reason: String, status: Int32 = 1) -> ExitCode {
        StandardError.line("firn: \(reason)")
        return ExitCode(status)
    }
}
