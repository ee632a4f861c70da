// Takes the place of Medusa's own route, which answers 200 before it looks at a webhook, and forgets it if Medusa stops or
// fails then. This one verifies first and answers when it is done. After any other answer than 2xx, Coinslot tries again
// for 30 days.
import { MedusaRequest, MedusaResponse } from "@medusajs/framework/http"
import { CreatePaymentCollectionDTO, IPaymentModuleService, MedusaContainer, WebhookActionResult } from "@medusajs/framework/types"
import { ContainerRegistrationKeys, MedusaError, Modules } from "@medusajs/framework/utils"
import { processPaymentWorkflow } from "@medusajs/medusa/core-flows"
import { Seen, type Event, type Session } from "../../../../modules/coinslot/coinslot"

const PROVIDER = "pp_coinslot_coinslot"
const seen = new Seen()

export const POST = async (req: MedusaRequest, res: MedusaResponse) => {
  const logger = req.scope.resolve(ContainerRegistrationKeys.LOGGER)
  let result: WebhookActionResult
  try {
    result = await req.scope.resolve(Modules.PAYMENT).getWebhookActionAndData({
      provider: PROVIDER, payload: { data: req.body as Record<string, unknown>, rawData: req.rawBody, headers: req.headers },
    })
  } catch (error: any) {
    const forged = MedusaError.isMedusaError(error) && error.type === MedusaError.Types.UNAUTHORIZED
    return res.status(forged ? 401 : 500).send(error.message)
  }
  if (!result.data) return res.sendStatus(204) // of another shop, a test, or play money
  const event = req.body as Event
  const id = String(req.headers["webhook-id"])
  if (!seen.isNew(id, event)) return res.sendStatus(204)
  try {
    if (result.action === "captured") await placeOrder(req.scope, result, event.data)
    await tell(req.scope, event.type.replace("checkout.", "coinslot."), result.data.session_id, event.data)
    seen.keep(id, event)
    res.sendStatus(204)
  } catch (error: any) {
    logger.error(`Coinslot: ${event.type} of ${event.data.id} is not done yet, and comes again: ${error.message}`)
    res.status(503).send(error.message)
  }
}

/** Captures the payment and makes the cart an order, once. What belongs to no payment session is kept as one of its own. */
async function placeOrder(scope: MedusaContainer, result: WebhookActionResult, paid: Session) {
  const payments = scope.resolve(Modules.PAYMENT)
  const [session] = await payments.listPaymentSessions({ id: [result.data!.session_id] })
  if (session?.data?.id !== paid.id) return keepUnmatched(scope, payments, result.data!.session_id, paid)
  await processPaymentWorkflow(scope).run({ input: result })
  const query = scope.resolve(ContainerRegistrationKeys.QUERY)
  const { data: [cart] } = await query.graph({
    entity: "cart_payment_collection", fields: ["cart_id"], filters: { payment_collection_id: session.payment_collection_id! },
  })
  if (!cart) return // an order that was there before its payment
  const { data: [order] } = await query.graph({ entity: "order_cart", fields: ["order_id"], filters: { cart_id: cart.cart_id } })
  if (!order) throw new Error(`payment session ${session.id} is paid, and cart ${cart.cart_id} could not become an order`)
}

/**
 * Keeps money for a payment session that is gone: the shopper chose another way to pay or changed the cart, then paid the
 * old address all the same. It becomes a captured payment in a collection of its own, without an order.
 */
async function keepUnmatched(scope: MedusaContainer, payments: IPaymentModuleService, gone: string, paid: Session) {
  const id = `pay_col_${paid.id}` // the same for every webhook about it
  const [collection] = await payments.listPaymentCollections({ id: [id] }, { relations: ["payment_sessions"] })
  if (!collection) {
    await payments.createPaymentCollections({
      id, currency_code: "usd", amount: paid.amount_usd, metadata: { coinslot_unmatched: paid.id, payment_session: gone },
    } as CreatePaymentCollectionDTO)
  }
  const session = collection?.payment_sessions?.[0] ?? await payments.createPaymentSession(id, {
    provider_id: PROVIDER, currency_code: "usd", amount: paid.amount_usd, data: {}, context: { coinslot_session: paid.id } as object,
  })
  await payments.authorizePaymentSession(session.id, {})
  scope.resolve(ContainerRegistrationKeys.LOGGER)
    .error(`Coinslot: ${paid.amount_usd} USD of ${paid.id} came for payment session ${gone}, which is gone. Deliver or refund it: ${id}`)
  await tell(scope, "coinslot.unmatched", gone, paid)
}

/** Emits an event for subscribers of the shop's own. */
function tell(scope: MedusaContainer, name: string, paymentSession: string, session: Session) {
  const { id, version, status, amount_usd, late, missing_amount, overpaid_amount, review_reason } = session
  return scope.resolve(Modules.EVENT_BUS).emit({
    name,
    data: { id, version, payment_session_id: paymentSession, status, amount_usd, late, missing_amount, overpaid_amount, review_reason },
  })
}
