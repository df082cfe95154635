import FirnReport
import Testing

@Suite struct UsageFaultTests {
    private static let dump = """
        {"command": {"commandName": "x", "arguments": [{"kind": "flag", "shouldDisplay": true, "names": [
            {"kind": "long", "name": "version"}]}],
         "subcommands": [
          {"commandName": "load", "arguments": [
            {"kind": "option", "shouldDisplay": true, "names": [
                {"kind": "long", "name": "size"}, {"kind": "short", "name": "s"}]},
            {"kind": "flag", "shouldDisplay": true, "names": [
                {"kind": "long", "name": "quiet"}, {"kind": "short", "name": "q"}]},
            {"kind": "flag", "shouldDisplay": false, "names": [{"kind": "long", "name": "secrets"}]},
            {"kind": "positional", "shouldDisplay": true}]},
          {"commandName": "cache", "subcommands": [
            {"commandName": "stats", "aliases": ["info"]}, {"commandName": "clear"}]},
          {"commandName": "help"}]}}
        """

    private func message(_ words: String...) throws -> String? {
        let tree = try #require(CommandTree(dump: UsageFaultTests.dump))
        return UsageFault(in: words, of: tree)?.message
    }

    @Test func `An unknown command is named, with the nearest one`() throws {
        #expect(try message("laod", "--size", "3") == "Unknown command 'laod'. Did you mean 'load'?")
        #expect(try message("cache", "stat") == "Unknown command 'stat'. Did you mean 'stats'?")
        #expect(try message("help", "cache", "claer") == "Unknown command 'claer'. Did you mean 'clear'?")
        #expect(try message("paint") == "Unknown command 'paint'")
    }

    @Test func `An unknown option is named, with the nearest one that help lists`() throws {
        #expect(try message("load", "a", "--siez", "3") == "Unknown option '--siez'. Did you mean '--size'?")
        #expect(try message("load", "--quite=1") == "Unknown option '--quite'. Did you mean '--quiet'?")
        #expect(try message("load", "--secret") == "Unknown option '--secret'")
        #expect(try message("load", "-qx") == "Unknown option '-qx'")
        #expect(try message("cache", "stats", "--size", "3") == "Unknown option '--size'")
    }

    @Test func `Values, names behind two dashes and known words are no faults`() throws {
        #expect(try message("load", "--size", "--siez", "-s", "-x", "-qs", "-y", "-q", "-", "--size=-1") == nil)
        #expect(try message("load", "--", "--siez") == nil)
        #expect(try message("help", "load") == nil)
        #expect(try message("--version") == nil)
        #expect(try message() == nil)
    }

    @Test func `A replacement comes before the nearest name, but only if the command has the option`() throws {
        let tree = try #require(CommandTree(dump: UsageFaultTests.dump))
        func message(_ words: String...) -> String? {
            let known = [
                "sizes": "x cache", "cache stat": "x cache clear", "--width": "--size 80", "--siez": "--bytes",
            ]
            return UsageFault(in: words, of: tree) { known[$0] }?.message
        }
        #expect(message("sizes") == "Unknown command 'sizes'. Did you mean 'x cache'?")
        #expect(message("cache", "stat") == "Unknown command 'stat'. Did you mean 'x cache clear'?")
        #expect(message("load", "--width", "3") == "Unknown option '--width'. Did you mean '--size 80'?")
        #expect(message("cache", "clear", "--width") == "Unknown option '--width'")
        #expect(message("load", "--siez") == "Unknown option '--siez'. Did you mean '--size'?")
        #expect(message("cache", "info") == nil)
    }

    @Test func `The fault takes the place of another message, before the usage`() throws {
        let tree = try #require(CommandTree(dump: UsageFaultTests.dump))
        let fault = try #require(UsageFault(in: ["load", "--siez"], of: tree))
        #expect(
            fault.replacing("Error: Name a format.\nHelp:  x\nUsage: x load\n  See 'x load --help'")
                == "Error: \(fault.message)\nUsage: x load\n  See 'x load --help'")
    }

    @Test func `A word of any length is compared`() throws {
        let word = String(repeating: "size", count: 50_000)
        #expect(try message("load", "--\(word)") == "Unknown option '--\(word)'. Did you mean '--size'?")
        #expect(try message("load", "--x\(word)") == "Unknown option '--x\(word)'")
    }
}
