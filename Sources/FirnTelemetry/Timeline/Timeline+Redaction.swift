import FirnData

extension Timeline {
    /// The timeline with redacted addresses, for output.
    func redacted(by redaction: AddressRedaction) -> Timeline {
        var timeline = self
        for index in requests.indices {
            timeline.requests[index].source = redaction.address(requests[index].source)
            timeline.requests[index].end = requests[index].end.redacted(by: redaction)
        }
        for index in spans.indices {
            timeline.spans[index].source = redaction.address(spans[index].source)
            timeline.spans[index].end = spans[index].end.redacted(by: redaction)
        }
        return timeline
    }
}

extension Timeline.End {
    fileprivate func redacted(by redaction: AddressRedaction) -> Timeline.End {
        if case .failed(let message) = self { .failed(redaction.text(message)) } else { self }
    }
}
