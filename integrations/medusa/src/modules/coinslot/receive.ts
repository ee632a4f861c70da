// What a verified webhook does. Each event is done once, and what is older than the session's newest event is not done.
import type { CreatePaymentCollectionDTO, IPaymentModuleService, PaymentSessionDTO, WebhookActionResult } from "@medusajs/framework/types"
import { Event, priceOf, priceText, Session, sessionPrice } from "./coinslot"

export const PROVIDER = "pp_coinslot_coinslot"

/** What this needs of Medusa. */
export type Shop = {
  payments: IPaymentModuleService
  logger: { warn: (line: string) => void; error: (line: string) => void }
  /** Runs one job of a key at a time. */
  lock: (key: string, job: () => Promise<void>) => Promise<void>
  /** Makes the cart of a payment session an order, once, and captures the payment if it is confirmed. */
  placeOrder: (session: PaymentSessionDTO, result: WebhookActionResult) => Promise<void>
  /** Writes a line into the metadata of a payment session's order, in place of an older one under the same key, if there is an order. */
  noteOrder: (session: PaymentSessionDTO, key: string, line: string) => Promise<void>
  /** Emits an event for subscribers of the shop's own. */
  emit: (name: string, data: Record<string, unknown>) => Promise<void>
}

type Facts = Pick<Session, "version" | "status" | "late" | "missing_amount" | "overpaid_amount" | "review_reason">

/** What a payment collection's metadata keeps of a Coinslot session, in `coinslot`, by its id. */
type Note = Facts & { events: string[] }

/** Does what an event asks for. It throws if that failed: then the event must come again. */
export async function receive(shop: Shop, id: string, event: Event, result: WebhookActionResult) {
  const paymentSession = result.data!.session_id
  await shop.lock(`coinslot_${paymentSession}`, async () => {
    const [session] = await shop.payments.listPaymentSessions({ id: [paymentSession] })
    const fits = session?.data?.id === event.data.id && costs(session) === priceText(sessionPrice(event.data))
    const collection = fits ? session.payment_collection_id! : await ownCollection(shop.payments, paymentSession, event.data)
    const known = await notes(shop.payments, collection)
    if (isOld(known, id, event)) return

    const captured = result.action === "captured"
    const hasMoney = captured || result.action === "pending_authorization"
    if (hasMoney && fits) await shop.placeOrder(session, result)
    if (captured && !fits) await keepUnmatched(shop, collection, paymentSession, event.data)
    if (event.type === "checkout.partial") {
      shop.logger.warn(`Coinslot: a part of ${event.data.id} was paid; ${event.data.missing_amount} is missing, in the coin`)
    }
    if (event.type === "checkout.confirmed" && event.data.overpaid_amount) {
      shop.logger.warn(`Coinslot: ${event.data.overpaid_amount} too much was paid for ${event.data.id}, in the coin`)
    }
    const line = describe(newest(known, event.data))
    if (session) await shop.noteOrder(session, `coinslot_${event.data.id}`, fits ? line : `${line}; see ${collection}`)
    await shop.emit(event.type.replace("checkout.", "coinslot."), summary(paymentSession, event.data))
    await remember(shop.payments, collection, id, event.data)
  })
}

/** Says what an operator has to know of a session. Amounts are in the coin. */
function describe({ status, late, missing_amount, overpaid_amount, review_reason }: Facts): string {
  const facts: string[] = [status]
  if (late) facts.push("late")
  if (missing_amount) facts.push(`${missing_amount} is missing`)
  if (overpaid_amount) facts.push(`${overpaid_amount} too much`)
  return facts.join(", ") + (review_reason ? ` (${review_reason})` : "")
}

/** Returns what a payment session of Medusa's is for, as text. The raw amount has all digits, the other one is a number. */
function costs(session: PaymentSessionDTO & { raw_amount?: unknown }): string {
  return priceText(priceOf(session.raw_amount ?? session.amount, session.currency_code))
}

async function notes(payments: IPaymentModuleService, collection: string): Promise<Record<string, Note>> {
  const { metadata } = await payments.retrievePaymentCollection(collection)
  return (metadata?.coinslot ?? {}) as Record<string, Note>
}

/**
 * Reports whether an event came before, or a newer one of its session did. One change of a session can have several events,
 * which have one version. A payment counts even if its event comes late.
 */
function isOld(known: Record<string, Note>, id: string, { type, data }: Event): boolean {
  const note = known[data.id]
  if (!note) return false
  return note.events.includes(eventKey(id, data)) || (data.version < note.version && type !== "checkout.confirmed")
}

async function remember(payments: IPaymentModuleService, collection: string, id: string, session: Session) {
  const { metadata } = await payments.retrievePaymentCollection(collection)
  const known = (metadata?.coinslot ?? {}) as Record<string, Note>
  const events = [...(known[session.id]?.events ?? []), eventKey(id, session)]
  await payments.updatePaymentCollections(collection, {
    metadata: { ...metadata, coinslot: { ...known, [session.id]: { ...newest(known, session), events } } },
  })
}

/** Returns what is known of a session: of an event, or of a newer one that came before it. */
function newest(known: Record<string, Note>, session: Session): Facts {
  const before = known[session.id]
  if (before && before.version > session.version) return before
  const { version, status, late, missing_amount, overpaid_amount, review_reason } = session
  return { version, status, late, missing_amount, overpaid_amount, review_reason }
}

const eventKey = (id: string, session: Session) => `${id} ${session.version}`

/** Returns the collection for events of a session that is no payment session's any more. It has no order. */
async function ownCollection(payments: IPaymentModuleService, gone: string, session: Session): Promise<string> {
  const id = `pay_col_${session.id}` // the same for every webhook about it
  const [collection] = await payments.listPaymentCollections({ id: [id] })
  if (!collection) {
    const { amount, currency } = sessionPrice(session)
    await payments.createPaymentCollections({
      id, currency_code: currency.toLowerCase(), amount, metadata: { coinslot_unmatched: session.id, payment_session: gone },
    } as CreatePaymentCollectionDTO)
  }
  return id
}

/**
 * Keeps money for a payment session that is gone or has another price: the shopper chose another way to pay or changed the
 * cart, then paid the old address all the same. It becomes a captured payment without an order.
 */
async function keepUnmatched(shop: Shop, id: string, gone: string, paid: Session) {
  const [collection] = await shop.payments.listPaymentCollections({ id: [id] }, { relations: ["payment_sessions"] })
  const { amount, currency } = sessionPrice(paid)
  const session = collection?.payment_sessions?.[0] ?? await shop.payments.createPaymentSession(id, {
    provider_id: PROVIDER, currency_code: currency.toLowerCase(), amount, data: {}, context: { coinslot_session: paid.id } as object,
  })
  await shop.payments.authorizePaymentSession(session.id, {})
  shop.logger.error(`Coinslot: ${amount} ${currency} of ${paid.id} came for payment session ${gone}, which is gone or has another price. Deliver or refund it: ${id}`)
  await shop.emit("coinslot.unmatched", summary(gone, paid))
}

function summary(paymentSession: string, session: Session) {
  const { id, status, amount_usd, late, missing_amount, overpaid_amount, review_reason } = session
  return {
    id, payment_session_id: paymentSession, status, ...sessionPrice(session), amount_usd, late, missing_amount, overpaid_amount, review_reason,
  }
}
