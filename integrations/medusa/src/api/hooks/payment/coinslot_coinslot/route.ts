// Takes the place of Medusa's own route, which answers 200 before it looks at a webhook, and forgets it if Medusa stops or
// fails then. This one verifies first and answers when it is done. After any other answer than 2xx, Coinslot tries again
// for 30 days.
import { MedusaRequest, MedusaResponse } from "@medusajs/framework/http"
import { MedusaContainer, OrderDTO, PaymentSessionDTO, WebhookActionResult } from "@medusajs/framework/types"
import { ContainerRegistrationKeys, MedusaError, Modules } from "@medusajs/framework/utils"
import { processPaymentWorkflow } from "@medusajs/medusa/core-flows"
import type { Event } from "../../../../modules/coinslot/coinslot"
import { PROVIDER, receive, Shop } from "../../../../modules/coinslot/receive"

export const POST = async (req: MedusaRequest, res: MedusaResponse) => {
  const shop = shopOf(req.scope)
  let result: WebhookActionResult
  try {
    result = await shop.payments.getWebhookActionAndData({
      provider: PROVIDER, payload: { data: req.body as Record<string, unknown>, rawData: req.rawBody, headers: req.headers },
    })
  } catch (error: any) {
    const forged = MedusaError.isMedusaError(error) && error.type === MedusaError.Types.UNAUTHORIZED
    return res.status(forged ? 401 : 500).send(error.message)
  }
  if (!result.data) return res.sendStatus(204) // of another shop, a test, or play money
  const event = req.body as Event
  try {
    await receive(shop, String(req.headers["webhook-id"]), event, result)
    res.sendStatus(204)
  } catch (error: any) {
    shop.logger.error(`Coinslot: ${event.type} of ${event.data.id} is not done yet, and comes again: ${error.message}`)
    res.status(503).send(error.message)
  }
}

function shopOf(scope: MedusaContainer): Shop {
  return {
    payments: scope.resolve(Modules.PAYMENT),
    logger: scope.resolve(ContainerRegistrationKeys.LOGGER),
    lock: (key, job) => scope.resolve(Modules.LOCKING).execute(key, job, { timeout: 15 }), // Coinslot waits for 20 s
    placeOrder: (session, result) => placeOrder(scope, session, result),
    noteOrder: (session, key, line) => noteOrder(scope, session, key, line),
    emit: (name, data) => scope.resolve(Modules.EVENT_BUS).emit({ name, data }),
  }
}

async function placeOrder(scope: MedusaContainer, session: PaymentSessionDTO, result: WebhookActionResult) {
  await processPaymentWorkflow(scope).run({ input: result })
  const order = await orderOf(scope, session)
  if (order?.status === "canceled") {
    scope.resolve(ContainerRegistrationKeys.LOGGER).error(`Coinslot: money for payment session ${session.id} came after its order ${order.id} was canceled: refund it`)
  }
  if (order) return
  const query = scope.resolve(ContainerRegistrationKeys.QUERY)
  const { data: [cart] } = await query.graph({
    entity: "cart_payment_collection", fields: ["cart_id"], filters: { payment_collection_id: session.payment_collection_id! },
  })
  if (cart) throw new Error(`money for payment session ${session.id} has come, and cart ${cart.cart_id} could not become an order`)
}

async function noteOrder(scope: MedusaContainer, session: PaymentSessionDTO, key: string, line: string) {
  const order = await orderOf(scope, session)
  if (order) await scope.resolve(Modules.ORDER).updateOrders(order.id, { metadata: { ...order.metadata, [key]: line } })
}

/** Returns the order of a payment session, if there is one. */
async function orderOf(scope: MedusaContainer, session: PaymentSessionDTO): Promise<OrderDTO | undefined> {
  const { data: [found] } = await scope.resolve(ContainerRegistrationKeys.QUERY).graph({
    entity: "order_payment_collection",
    fields: ["order.id", "order.status", "order.metadata"],
    filters: { payment_collection_id: session.payment_collection_id! },
  })
  return found?.order as OrderDTO | undefined
}
