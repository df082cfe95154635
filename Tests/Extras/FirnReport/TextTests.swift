import Testing

@testable import FirnReport

/// Tests numbers and names in readable form.
@Suite struct ReportTextTests {
    @Test(arguments: [
        (0, "0 B"), (-5, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (9_994, "9.99 kB"), (9_996, "10.0 kB"),
        (999_499, "999 kB"), (999_500, "1.00 MB"), (15_783_184, "15.8 MB"), (Int.max, "9223 PB"),
    ])
    func `Bytes have three digits and a unit that fits`(count: Int, text: String) {
        #expect(ByteText.text(count) == text)
    }

    @Test(arguments: [
        ("plain name.jpg", "plain name.jpg"), ("\u{1B}[31mred\u{7}", "\\x1b[31mred\\x07"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\u{7F}\u{9B}31m\u{85}", "\\x7f\\x9b31m\\x85"), ("a\u{202E}gpj.exe", "a\\u{202e}gpj.exe"),
        ("\u{2066}\u{200F}\u{2028}", "\\u{2066}\\u{200f}\\u{2028}"), ("\u{10FFFF}", "\\xff"),
        ("été 雪 🏔 \\n", "été 雪 🏔 \\n"),
    ])
    func `control characters are escaped, and other text stays unchanged`(text: String, shown: String) {
        #expect(TerminalText.escaped(text) == shown)
        #expect(TerminalText.escaped(shown) == shown)
        let json = JSONValue.string(text).text
        #expect(TerminalText.escaped(json) == json, "JSON needs no other escapes")
    }

    @Test func `a table of wide characters is aligned`() {
        var table = TextTable([TextTable.Column("n", alignment: .left), TextTable.Column("x")])
        table.append(["雪山", "1"])
        table.append(["abcd", "2"])
        #expect(table.lines == ["n     x", "----  -", "雪山  1", "abcd  2"])
    }

    @Test(arguments: [
        (Duration.zero, "0 µs"), (.microseconds(40), "40 µs"), (.microseconds(1500), "1.5 ms"),
        (.milliseconds(23), "23 ms"), (.milliseconds(999), "999 ms"), (.microseconds(999_600), "1.00 s"),
        (.seconds(12.34), "12.3 s"), (.seconds(99.96), "1 min 40 s"), (.seconds(125), "2 min 05 s"),
        (.seconds(11_225), "3 h 07 min"),
    ])
    func `Times have the unit that fits`(duration: Duration, text: String) {
        #expect(DurationText.text(duration) == text)
    }

    @Test(arguments: [
        (3.14159, 2, "3.14"), (-3.14159, 2, "-3.14"), (2, 1, "2.0"), (0.999, 2, "1.00"), (-0.001, 2, "0.00"),
        (7.6, 0, "8"), (1.05, 1, "1.1"),
    ])
    func `Decimals are rounded, also across the point`(value: Double, decimals: Int, text: String) {
        #expect(FixedText.text(value, decimals: decimals) == text)
    }

    @Test func `Text that does not fit loses as little of its middle as possible`() {
        #expect(ShortenedText.middle("short.jpg") { $0.count <= 9 } == "short.jpg")
        #expect(ShortenedText.middle("a-long-name.jpg") { $0.count <= 11 } == "a-lo....jpg")
        for limit in 3...40 {
            let text = ShortenedText.middle("the quick brown fox jumps over") { $0.count <= limit }
            #expect(text.count == min(limit, 30))
        }
        #expect(ShortenedText.middle("anything") { $0.count <= 2 }.isEmpty)
    }

    @Test func `A table's columns stand under their titles`() {
        var table = TextTable([.init("pass", alignment: .left), .init("disk", "hits")])
        table.append(["cold", "0"])
        table.append(["warm disk", "12345"])
        table.append(["short"])
        #expect(
            table.lines == [
                "            disk", "pass        hits", "---------  -----", "cold           0", "warm disk  12345",
                "short",
            ])
    }

    @Test func `JSON keeps the order of fields and escapes special characters`() {
        let value = JSONValue.object([
            ("b", .string("quote \" back \\ line \n bell \u{7} é 😀")),
            ("a", .array([.int(1), .bool(true), .null, .double(1.5)])),
            ("n", .double(.infinity)), ("o", .object([])),
        ])
        #expect(
            value.text
                == #"{"b":"quote \" back \\ line \n bell \u0007 é 😀","a":[1,true,null,1.5],"n":null,"o":{}}"#)
    }
}
