/// Events of a load for the drawing thread.
struct Delivery: Sendable {
    let load: BindingLoad
    var news: LoadUpdate
}
