import FirnSync
import HTTPTypes

/// What of a request decides about its answer: the target, and the fields that any of the languages reads.
struct AskedWords: Hashable, Sendable {
    private let target: String
    private let fields: [String?]

    init(_ head: HTTPRequest) {
        target = head.path ?? "/"
        fields = [head.authority] + AskedWords.names.map { head.headerFields[$0] }
    }

    private static let names =
        [.accept]
        + ["X-Forwarded-Proto", "Sec-CH-DPR", "DPR", "Sec-CH-Width", "Width", "Save-Data"].compactMap {
            HTTPField.Name($0)
        }

    var length: Int { fields.reduce(target.utf8.count) { $0 + ($1?.utf8.count ?? 0) } }
}

/// What has to be true for the same answer to the same request.
struct AnswerCondition: Sendable {
    /// The work that made the result, for the source as it was.
    let job: ResultJob
    let entityTag: String
}

/// The answers that were given, without their bodies, so that what is asked again is not checked and read again: the
/// signature and options of an address stay what they are, only the source and its result change.
///
/// Bounded: at most 4096 answers to requests of at most a kilobyte.
final class RecentAnswers: Sendable {
    struct Answer: Sendable {
        let condition: AnswerCondition
        let headers: HTTPFields
        /// The source as the log names it.
        let source: String?
    }

    private static let most = 4096
    private static let mostBytes = 1024

    private let known = Locked<[AskedWords: Answer]>([:])

    /// Returns the answer to a request, if its source is the same as then.
    func answer(to words: AskedWords) -> Answer? {
        guard let answer = known.withLock({ $0[words] }), answer.condition.job.source.isCurrent else { return nil }
        return answer
    }

    func keep(_ answer: Answer, for words: AskedWords) {
        guard words.length <= RecentAnswers.mostBytes else { return }
        known.withLock { known in
            if known.count >= RecentAnswers.most { known = [:] }
            known[words] = answer
        }
    }
}
