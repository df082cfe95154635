import ArgumentParser
import FirnReport
import FirnServe
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
            var command = try parseAsRoot(SystemArguments.all)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            let names = [
                "--port": "--listen 127.0.0.1:8080", "-p": "--listen 127.0.0.1:8080", "--host": "--listen HOST:8080",
                "--bind": "--listen HOST:8080", "--root": "--local-root", "--dir": "--local-root",
            ]
            UsageFault.exit(fullMessage(for: error), SystemArguments.all, dump: _dumpHelp()) { names[$0] }
        }
    }
}

struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign the path of an address for 'firn serve' and imgproxy.",
        discussion: """
            EXAMPLES
              firn sign /rs:fit:300:200/plain/http://example.com/a.jpg --key 736563726574 --salt 68656c6c6f
            """)

    @OptionGroup
    var keys: SigningKeys

    @Argument(help: ArgumentHelp("Options and source: what follows the signature.", valueName: "path"))
    var path: String

    func run() throws {
        var settings = ImgproxySettings()
        settings.keyPairs = try keys.pairs()
        guard path.hasPrefix("/") else { throw ValidationError("\(path): a path starts with '/'") }
        guard let signed = ImgproxySigner(settings: settings).signed(path: path) else {
            throw ValidationError("Give --key and --salt.")
        }
        StandardOutput.line(signed)
    }
}
