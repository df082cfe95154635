/// News of a load, on its way to the drawing thread.
struct Delivery: Sendable {
    let load: BindingLoad
    var news: LoadNews
}
