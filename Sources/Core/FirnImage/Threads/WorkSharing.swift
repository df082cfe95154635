/// A session whose decode can share its work with idle threads.
package protocol WorkSharing: AnyObject {
    /// Where stripes of a decode run. Default: on the calling thread alone. Set it before the decode.
    var stripes: any StripeExecutor { get set }
}
