import FirnData
import FirnPipeline

// Delivers the events of loads to the views.
extension BindingContext {
    /// Empties the mailbox and delivers its events. Runs on the drawing thread.
    func takeTurn() {
        statistics.turns += 1
        for delivery in mailbox.empty() {
            let load = delivery.load
            if let preview = delivery.update.preview { load.preview = preview }
            if load.binding == nil { load.notePreviewTaken() }
            if load.binding != nil {
                queue.add(load.id, delivery) { $0.update.merge($1.update) }
            } else if let result = delivery.update.result {
                end(load, result)
            }
        }
        deliver()
    }

    /// Delivers events to the views until the budget of this frame is used up.
    func deliver() {
        guard !queue.isEmpty else { return }
        queue.beginTurn(now: moment) { $0.load.binding?.visibility }
        let start = moment
        while let (_, delivery) = queue.next(now: moment) {
            delivery.load.notePreviewTaken()
            delivery.load.binding?.take(delivery.update, of: delivery.load)
        }
        let end = moment
        queue.endTurn(now: end)
        statistics.deliveryTime += .nanoseconds(max(0, end - start))
        if !queue.isEmpty { statistics.postponements += 1 }
        awaitFrame()
    }

    private var moment: Int64 { now().nanoseconds }
}
