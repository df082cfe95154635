import FirnSync

// Downloads into files. Their transfers are jobs of the table: they take slots and are paused like those of loads.
extension Engine {
    /// The threads that write the files of all downloads.
    private static let writers = WorkerQueue(count: 8)

    /// Copies the bytes of a download, or adds a task for them and writes the bytes while they arrive.
    ///
    /// - Throws: `ImageLoadingError`, `DataFileError` or `CancellationError`. Nothing writes to the file afterwards.
    func run(_ download: FileDownload) async throws -> DataResponse? {
        defer {
            transfers.ended(download)
            download.close()
        }
        let copied = try await BlockingCall.run(on: Engine.writers) { [read] in
            try download.copy(from: read, $0)
        }
        if case .complete(let response) = copied { return response }
        var signals = download.signals.makeAsyncIterator()
        // With a delegate, the load may have sent other fields and get another response.
        var joins = caches.choices == nil
        while true {
            let task = ImageTask(request: download.request, owner: self, number: taskNumber())
            defer { task.cancel() }
            if task.number != 0 { emitter.emit(.taskStarted(task.number, task.request)) }
            task.onEnd { _ in download.signal() }
            download.begins(task)
            completion.start(task, of: download, joins: joins)
            // Bytes that a load has received before.
            download.signal()
            var step = FileDownload.Step.waits
            while case .waits = step {
                guard await signals.next() != nil else { throw CancellationError() }
                step = try await BlockingCall.run(on: Engine.writers) { [shell, joins] in
                    try download.advance(task, joins: joins, $0) { shell.job(of: task) }
                }
            }
            if case .complete(let response) = step { return response }
            joins = false
        }
    }
}
