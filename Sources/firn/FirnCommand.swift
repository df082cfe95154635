import ArgumentParser
import Glibc

/// The command `firn`.
@main
struct FirnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firn",
        abstract: "Loads, describes and decodes pictures.",
        discussion: """
            EXAMPLES
              firn load https://example.org/photo.jpg --size 800x600 --out pictures
              firn load ~/Pictures --sheet sheet.png
              firn info --json photo.jpg
              firn decode photo.jpg --size 256x256 --out small.png
              firn convert animation.gif --format webp --quality 80
              firn placeholder photo.jpg
              firn cache stats ~/.cache/firn
              firn gallery ~/Pictures

            EXIT STATUS
              0 all went well; 1 some input failed; 2 the command was used wrongly.
            """,
        version: "0.1.0",
        subcommands: [
            LoadCommand.self, InfoCommand.self, DecodeCommand.self, ConvertCommand.self, PlaceholderCommand.self,
            ProcessorsCommand.self, CacheCommand.self, GalleryCommand.self,
        ])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// Help and version are no failure; what this command itself throws has said its reason already.
    private static func end(with error: any Error) -> Never {
        let code = exitCode(for: error)
        let message = fullMessage(for: error)
        if code == .success {
            if !message.isEmpty { StandardOutput.line(message) }
            Glibc.exit(0)
        }
        if !message.isEmpty { StandardError.line(message) }
        Glibc.exit(code == .validationFailure ? 2 : code.rawValue)
    }
}

extension ExitCode {
    /// Some input failed, and its reason was told.
    static let someFailed = ExitCode(1)
}
