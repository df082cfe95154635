/// Splits a list of processors into words with their ranges in the text.
///
///     list      = step *( "," step )
///     step      = name [ "=" argument *( ":" argument ) ]
///     argument  = value / key "=" value
///     value     = 1*( any character but , : = ' ) / "'" *( any character but ' ) "'"
struct ProcessorWords {
    struct Word: Hashable {
        var text: String
        var range: Range<Int>
    }

    struct Argument {
        var key: Word?
        var value: Word
    }

    struct Step {
        var name: Word
        var arguments: [Argument]
    }

    private let text: String
    private let characters: [Character]
    private var place = 0

    static func steps(of text: String) throws(ProcessorSyntaxError) -> [Step] {
        var words = ProcessorWords(text)
        var steps = [try words.step()]
        while words.take(",") { steps.append(try words.step()) }
        return steps
    }

    private init(_ text: String) {
        self.text = text
        characters = Array(text)
    }

    private mutating func step() throws(ProcessorSyntaxError) -> Step {
        let name = try word("the name of a processor")
        var step = Step(name: name, arguments: [])
        guard take("=") else {
            if place < characters.count, characters[place] != "," {
                throw error(place..<place + 1, "behind a processor's name comes '=' or ','")
            }
            return step
        }
        repeat {
            var value = try word("a value")
            var key: Word?
            if take("=") {
                key = value
                value = try word("a value")
            }
            step.arguments.append(Argument(key: key, value: value))
        } while take(":")
        if place < characters.count, characters[place] != "," {
            throw error(place..<place + 1, "behind a value comes ':' or ','")
        }
        return step
    }

    private mutating func take(_ character: Character) -> Bool {
        guard place < characters.count, characters[place] == character else { return false }
        place += 1
        return true
    }

    private mutating func word(_ what: String) throws(ProcessorSyntaxError) -> Word {
        while place < characters.count, characters[place] == " " { place += 1 }
        let start = place
        if take("'") {
            while place < characters.count, characters[place] != "'" { place += 1 }
            guard place < characters.count else { throw error(start..<place, "the quotation has no end") }
            place += 1
            return Word(text: String(characters[start + 1..<place - 1]), range: start..<place)
        }
        while place < characters.count, !",:='".contains(characters[place]) { place += 1 }
        var end = place
        while end > start, characters[end - 1] == " " { end -= 1 }
        guard end > start else { throw error(start..<start, "\(what) is missing") }
        return Word(text: String(characters[start..<end]), range: start..<end)
    }

    private func error(_ range: Range<Int>, _ message: String) -> ProcessorSyntaxError {
        ProcessorSyntaxError(text: text, range: range, message: message)
    }
}
