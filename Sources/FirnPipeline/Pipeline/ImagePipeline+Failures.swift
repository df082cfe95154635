extension ImagePipeline {
    /// Forgets which addresses failed lately: the next request for any of them is sent.
    ///
    /// For one address, a request with ``ImageRequest/Options/reloadIgnoringCachedData`` does the same.
    public func forgetFailures() { runner.environment.failures?.removeAll() }

    /// Forgets whether a request failed lately: for a user who has it tried again.
    public func forgetFailure(of request: ImageRequest) {
        if let sent = keyed(request).dataRequest { runner.environment.failures?.forget(sent) }
    }
}
