/// A session whose decode can share its work with idle threads.
package protocol WorkSharing: AnyObject {
    /// The threads of a decode's stripes. Default: the calling thread alone. Set it before the decode.
    var stripes: any StripeExecutor { get set }
}
