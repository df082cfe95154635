import FirnSync

/// A request that was answered from memory, with what has to be true for the same answer.
struct RecentAnswer: Sendable {
    let asked: AskedImage
    let job: ResultJob
    /// The source, if it is a file.
    let file: SourceFile?
    /// The response, without its body.
    let answer: ResultAnswer
    let entityTag: String
}

/// The requests that were answered from memory, so that what is asked again is not checked and read again: the
/// signature and options of an address stay what they are, only the source and its result change.
///
/// Bounded: at most 4096 requests of at most a kilobyte.
final class RecentAnswers: Sendable {
    private static let most = 4096
    private static let mostBytes = 1024

    private let known = Locked<[AskedWords: RecentAnswer]>([:])

    /// Returns what is known of a request, if its source is the same as then.
    func answer(to words: AskedWords) -> RecentAnswer? {
        guard let answer = known.withLock({ $0[words] }), answer.file?.isCurrent ?? true else { return nil }
        return answer
    }

    /// Keeps an answer, unless it holds for a time only.
    func keep(_ answer: RecentAnswer, for words: AskedWords) {
        guard words.length <= RecentAnswers.mostBytes, answer.asked.request.options.expires == nil else { return }
        known.withLock { known in
            if known.count >= RecentAnswers.most { known = [:] }
            known[words] = answer
        }
    }
}
