extension PipelineStatistics {
    /// Counts what a job has done in a stage.
    mutating func note(_ stage: JobStage, _ outcome: StageOutcome, _ work: JobWork) {
        switch (stage, outcome) {
        case (.transfer, .finished), (.transfer, .failed):
            transfers += 1
            if case .bytes(let bytes) = work.product {
                if !bytes.isFromDisk {
                    bytesLoaded += bytes.count
                } else if bytes.known?.isStale == true {
                    staleHits += 1
                } else {
                    revalidations += 1
                }
            }
            bytesLoaded += work.keptBytes
            bytesWasted += work.wastedBytes
        case (.read, .finished):
            guard case .bytes(let bytes) = work.product else { break }
            if bytes.isFromDisk { diskHits += 1 } else { localReads += 1 }
        case (.decode, .finished): decodes += 1
        case (.process, .finished): processes += 1
        default: break
        }
    }
}
