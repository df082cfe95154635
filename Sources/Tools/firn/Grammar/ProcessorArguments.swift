/// The arguments of one step. Methods remove arguments one by one; a remaining argument is an error.
struct ProcessorArguments {
    let text: String
    let name: ProcessorWords.Word
    private var rest: [ProcessorWords.Argument]

    init(_ step: ProcessorWords.Step, of text: String) {
        self.text = text
        name = step.name
        rest = step.arguments
    }

    func error(_ word: ProcessorWords.Word, _ message: String) -> ProcessorSyntaxError {
        ProcessorSyntaxError(text: text, range: word.range, message: message)
    }

    /// Removes and returns the next value without a key, if there is one.
    mutating func next() -> ProcessorWords.Word? { take { $0.key == nil } }

    /// Removes and returns the next value without a key; throws if there is none.
    mutating func required(_ what: String) throws(ProcessorSyntaxError) -> ProcessorWords.Word {
        guard let word = next() else { throw error(name, "\(name.text) needs \(what)") }
        return word
    }

    /// Removes the first value without a key that `read` accepts, and returns the result of `read`.
    mutating func first<Value>(_ read: (String) -> Value?) -> Value? {
        for (index, argument) in rest.enumerated() where argument.key == nil {
            if let value = read(argument.value.text) {
                rest.remove(at: index)
                return value
            }
        }
        return nil
    }

    /// Removes and returns the first value without a key that satisfies `isWanted`.
    mutating func word(where isWanted: (String) -> Bool) -> ProcessorWords.Word? {
        take { $0.key == nil && isWanted($0.value.text) }
    }

    /// Removes and returns the next `count` values without a key, if all satisfy `areWanted`.
    mutating func words(_ count: Int, where areWanted: (String) -> Bool) -> [ProcessorWords.Word]? {
        let words = rest.filter { $0.key == nil }.prefix(count).map(\.value)
        guard words.count == count, words.allSatisfy({ areWanted($0.text) }) else { return nil }
        return words.compactMap { _ in next() }
    }

    mutating func value(_ key: String) -> ProcessorWords.Word? { take { $0.key?.text == key } }

    private mutating func take(where isWanted: (ProcessorWords.Argument) -> Bool) -> ProcessorWords.Word? {
        rest.firstIndex(where: isWanted).map { rest.remove(at: $0).value }
    }

    /// Removes the bare word `word`, and returns whether it was there.
    mutating func flag(_ word: String) -> Bool { first { $0 == word ? true : nil } ?? false }

    func end(_ syntax: String) throws(ProcessorSyntaxError) {
        guard let argument = rest.first else { return }
        let word = argument.key ?? argument.value
        let words = ProcessorSyntax.words.filter { syntax.contains($0.name) }.map {
            "; \($0.name) is \($0.values.joined(separator: ", "))"
        }
        throw error(
            word, "\(name.text) has no use for '\(word.text)'; it is written \(syntax)" + words.joined())
    }

    // MARK: Values

    func number(_ word: ProcessorWords.Word, _ range: ClosedRange<Double>) throws(ProcessorSyntaxError) -> Double {
        guard let number = Double(word.text), range.contains(number) else {
            let (least, most) = (ProcessorName.number(range.lowerBound), ProcessorName.number(range.upperBound))
            throw error(word, "'\(word.text)' is no number from \(least) to \(most)")
        }
        return number
    }

    func integer(_ word: ProcessorWords.Word, _ range: ClosedRange<Int>) throws(ProcessorSyntaxError) -> Int {
        guard let number = Int(word.text), range.contains(number) else {
            throw error(word, "'\(word.text)' is no whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func size(_ word: ProcessorWords.Word) throws(ProcessorSyntaxError) -> PixelSize {
        let sides = word.text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1], width > 0, height > 0,
            max(width, height) <= Self.longest
        else { throw error(word, "'\(word.text)' is no size like 400x300") }
        return PixelSize(width: width, height: height)
    }

    func color(_ word: ProcessorWords.Word) throws(ProcessorSyntaxError) -> SRGBColor {
        guard let color = SRGBColor(name: word.text) else {
            throw error(word, "'\(word.text)' is no color like #ff8000, #ff800080, white or clear")
        }
        return color
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ word: ProcessorWords.Word, _ type: Choice.Type
    ) throws(ProcessorSyntaxError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: word.text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(word, "'\(word.text)' is none of \(all)")
        }
        return choice
    }

    /// The maximum side, in pixels.
    static let longest = 1 << 24
}

/// A mistake in a list of processors.
struct ProcessorSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    let text: String
    /// The range of the wrong characters, counted from 0; empty if something is missing.
    let range: Range<Int>
    let message: String

    /// The message, the text, and a line that marks the wrong characters.
    var description: String {
        let marks = String(repeating: " ", count: range.lowerBound) + String(repeating: "^", count: max(1, range.count))
        return "\(message)\n  \(text)\n  \(marks)"
    }
}
