// What the tests with shop systems as they run have in common: requests, waiting, and a checkout in
// sandbox mode.
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"

export async function request(url, { method, headers, body } = {}) {
  const json = body && typeof body === "object"
  const response = await fetch(url, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    body: json ? JSON.stringify(body) : body,
    headers: { ...(json && { "Content-Type": "application/json" }), ...headers },
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    data: text.startsWith("{") ? JSON.parse(text) : {},
  }
}

export async function ok(url, options) {
  const answer = await request(url, options)
  assert.ok(answer.status < 300, `${url} answered ${answer.status}: ${answer.text.slice(0, 600)}`)
  return answer.data
}

export async function until(what, met) {
  for (const end = Date.now() + 90_000; ;) {
    const got = await met()
    if (got) return got
    assert.ok(Date.now() < end, `gave up waiting: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

// A checkout at url, which sends its webhooks to hook.
export class Checkout {
  constructor({ url, secretKey, webhookSecret, hook }) {
    Object.assign(this, { url, secretKey, webhookSecret, hook })
  }

  // As the merchant.
  api(path, options = {}) {
    return ok(this.url + path, {
      ...options,
      headers: { Authorization: `Bearer ${this.secretKey}` },
    })
  }

  read({ id }) {
    return this.api(`/v1/sessions/${id}`)
  }

  cancel({ id }) {
    return this.api(`/v1/sessions/${id}/cancel`, { body: {} })
  }

  recheck({ id }) {
    return this.api(`/v1/sessions/${id}/recheck`, { body: {} })
  }

  // Waits until the merchant reads what is met by a function of the session.
  becomes(session, what, met) {
    return until(`${session.id} to have ${what}`, async () => {
      const now = await this.read(session)
      return met(now) && now
    })
  }

  // As the shopper.
  address({ id }) {
    return ok(`${this.url}/checkout/${id}/attempts`, {
      body: { currency_symbol: "USDT", network_code: "trc20" },
    })
  }

  simulate({ id }, kind) {
    return ok(`${this.url}/checkout/${id}/simulate`, { body: { kind } })
  }

  // Sends what the checkout would send, signed as it does.
  webhook(
    type,
    session,
    changes = {},
    { secret = this.webhookSecret, ago = 0, sent, id = "evt_1" } = {},
  ) {
    const body = JSON.stringify({
      type,
      timestamp: new Date().toISOString(),
      data: { ...session, ...changes },
    })
    const stamp = String(Math.floor(Date.now() / 1000) - ago)
    const mac = createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
      .update(`${id}.${stamp}.${body}`)
      .digest("base64")
    return request(this.hook, {
      body: sent ?? body,
      headers: {
        "Content-Type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": stamp,
        "webhook-signature": `v1,${mac}`,
      },
    })
  }

  // Nothing that is not signed by the checkout, now, is accepted.
  async assertRefusesForged(session) {
    const other = `whsec_${Buffer.alloc(32).toString("base64")}`
    assert.equal(
      (await this.webhook("checkout.confirmed", session, {}, { secret: other })).status,
      401,
    )
    assert.equal((await this.webhook("checkout.confirmed", session, {}, { ago: 301 })).status, 401)
    assert.equal((await this.webhook("checkout.confirmed", session, {}, { ago: -301 })).status, 401)
    const sent = JSON.stringify({ type: "checkout.confirmed", data: session })
    assert.equal((await this.webhook("checkout.pending", session, {}, { sent })).status, 401)
    assert.equal(
      (await request(this.hook, { body: { type: "checkout.confirmed", data: session } })).status,
      401,
    )
  }
}
