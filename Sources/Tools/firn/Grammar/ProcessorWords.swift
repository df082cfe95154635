/// Splits a list of processors into words with their ranges in the text.
///
///     list      = step *( "," step )
///     step      = name [ "=" argument *( ":" argument ) ]
///     argument  = value / key "=" value
///     value     = 1*( any character but , : = ' ) / "'" *( any character but ' ) "'"
struct ProcessorWords {
    typealias Word = (text: String, range: Range<Int>)
    typealias Argument = (key: Word?, value: Word)
    typealias Step = (name: Word, arguments: [Argument])

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
        var step: Step = (try word("the name of a processor"), [])
        let hasArguments = take("=")
        if hasArguments {
            repeat {
                let first = try word("a value")
                step.arguments.append(take("=") ? (first, try word("a value")) : (nil, first))
            } while take(":")
        }
        if place < characters.count, characters[place] != "," {
            let message =
                hasArguments ? "behind a value comes ':' or ','" : "behind a processor's name comes '=' or ','"
            throw error(place..<place + 1, message)
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
            return (String(characters[start + 1..<place - 1]), start..<place)
        }
        while place < characters.count, !",:='".contains(characters[place]) { place += 1 }
        var end = place
        while end > start, characters[end - 1] == " " { end -= 1 }
        guard end > start else { throw error(start..<start, "\(what) is missing") }
        return (String(characters[start..<end]), start..<end)
    }

    private func error(_ range: Range<Int>, _ message: String) -> ProcessorSyntaxError {
        ProcessorSyntaxError(text: text, range: range, message: message)
    }
}
