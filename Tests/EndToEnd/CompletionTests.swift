import FoundationEssentials
import FirnSystem
import Testing

/// Tests the completion scripts in the shells themselves.
@Suite final class CompletionTests: CommandSuite {
    override init() throws {
        try super.init()
        for name in ["some/a list.txt", "some/photo.png", "some/inner/x.png"] { try scratch.write(name, Data()) }
        try scratch.write("bin/path", Data())
        try #require(symlink(firn.path, scratch.path("bin/firn")) == 0)
    }

    /// The lines to complete, and what is offered. `/` ends folders, where the shell appends it.
    private static let lines: [(line: String, offers: [String])] = [
        ("firn inf", ["info"]), ("firn info some/p", ["some/photo.png"]),
        ("firn info some/", ["some/a list.txt", "some/inner", "some/photo.png"]),
        ("firn info @some/a", ["@some/a list.txt"]), ("firn info @some/i", ["@some/inner/"]),
        ("firn load x.png some/p", ["some/photo.png"]), ("firn thumbnail some/p", ["some/photo.png"]),
        ("firn decode some/p", ["some/photo.png"]), ("firn placeholder some/p", ["some/photo.png"]),
        ("firn pyramid some/p", ["some/photo.png"]), ("firn gallery some/p", ["some/photo.png"]),
        ("firn compare x.png some/p", ["some/photo.png"]), ("firn convert -o some/p", ["some/photo.png"]),
        ("firn convert --out some/p", ["some/photo.png"]), ("firn load --sheet some/p", ["some/photo.png"]),
        ("firn load --cache some/", ["some/inner"]), ("firn cache stats some/", ["some/inner"]),
        ("firn convert --format j", ["jpeg", "jxl"]), ("firn metadata --remove se", ["serials"]),
        ("firn info --js", ["--json"]),
    ]

    private func shell(_ path: String, _ name: String, _ script: String) throws -> [String] {
        let script = try scratch.write("script", Data(script.utf8))
        let made = try firn.run(["--generate-completion-script", name], in: scratch)
        try scratch.write("completion", Data(made.output.utf8))
        let run = try BuiltCommand(at: path).run(
            [script], in: scratch, shell: "PATH=\(scratch.path("bin")):$PATH; export PATH")
        #expect(run.errors.isEmpty, "\(run.errors)")
        return run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private func check(_ output: [String], separator: Character = "|") {
        for (line, offered) in zip(CompletionTests.lines, output) {
            let offers = offered.split(separator: separator).map(String.init).sorted()
            let plain = offers.map { offer in
                !line.offers.contains(offer) && offer.hasSuffix("/") ? String(offer.dropLast()) : offer
            }.filter { $0 != "some" || line.offers.contains($0) }
            #expect(plain == line.offers, "\(line.line)")
        }
        #expect(output.count >= CompletionTests.lines.count)
    }

    @Test func `bash completes files, folders, lists and words`() throws {
        let calls = CompletionTests.lines.map { line in
            let words = line.line.split(separator: " ", omittingEmptySubsequences: false)
            return "offer " + words.map { "'\($0)'" }.joined(separator: " ")
        }
        check(
            try shell(
                "/bin/bash", "bash",
                """
                source ./completion
                offer() {
                    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMPREPLY=()
                    _firn_with_lists firn "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                    (IFS='|'; echo "${COMPREPLY[*]}")
                }
                complete -p firn | grep -q -- '-F _firn_with_lists firn' || echo 'not registered'
                \(calls.joined(separator: "\n"))
                """))
    }

    @Test(.enabled(if: access("/usr/bin/fish", X_OK) == 0))
    func `fish completes files, folders, lists and words`() throws {
        let calls = CompletionTests.lines.map {
            "echo (complete -C '\($0.line)' | string replace -r '\\t.*' '' | string join '|')"
        }
        check(
            try shell(
                "/usr/bin/fish", "fish",
                "set -x HOME \(scratch.root); source ./completion\n\(calls.joined(separator: "\n"))"))
    }

    /// A zsh in a pseudo-terminal, whose key Control-X prints the line, and a function that completes a line in it.
    private static let innerZsh = #"""
        zmodload zsh/zpty
        zpty inner "TERM=dumb PS1= zsh -f -i"
        zpty -w inner "unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; source ./completion"
        zpty -w inner 'show() { print -r -- "<<$BUFFER>>"; zle kill-buffer }; zle -N show; bindkey "^X" show'
        zpty -w inner "print READ''Y"
        zpty -r inner text '*READY*'
        offer() {
            zpty -w -n inner "$1"$'\t\x18'
            zpty -r inner text '*<<*>>*'
            text=${text##*<<}
            print -r -- "${text%%>>*}"
        }

        """#

    @Test(.enabled(if: access("/usr/bin/zsh", X_OK) == 0))
    func `zsh completes the names of files and of lists`() throws {
        let lines = [
            ("firn info some/p", "firn info some/photo.png"), ("firn info @some/a", "firn info @some/a\\ list.txt"),
            ("firn convert -o some/p", "firn convert -o some/photo.png"),
            ("firn load --cache some/i", "firn load --cache some/inner/"),
        ]
        let calls = lines.map { "offer '\($0.0)'" }
        let output = try shell(
            "/usr/bin/zsh", "zsh",
            CompletionTests.innerZsh + calls.joined(separator: "\n") + "\nzpty -d inner")
        #expect(output.prefix(lines.count).map { $0.trimmed } == lines.map(\.1), "\(output)")
    }
}

extension String {
    /// The text without spaces at its end.
    fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
