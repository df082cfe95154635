extension ImagePipeline {
    /// Forgets which addresses failed lately: the next request for any of them is sent.
    ///
    /// For one address, a request with ``ImageRequest/Options/reloadIgnoringCachedData`` does the same.
    public func forgetFailures() { engine.environment.failures?.removeAll() }

    /// Forgets that a request failed lately, so that a retry is sent.
    public func forgetFailure(of request: ImageRequest) {
        if let sent = keyed(request).dataRequest { engine.environment.failures?.forget(sent) }
    }
}
