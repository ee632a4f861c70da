// A small stand-in for Coinslot, and what it signs, for the tests of integrations without a
// checkout.
import { createHmac } from "node:crypto"
import { createServer } from "node:http"

export const KEY = "secret-key-0123456789abcdef0123456789"
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
export const OLD = `whsec_${Buffer.alloc(32, 8).toString("base64")}`

/** Returns the headers of a webhook. */
export function signed(body: string, secret = SECRET, stamp = "1000", id = "evt_1") {
  const mac = createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
    .update(`${id}.${stamp}.${body}`)
    .digest("base64")
  return { "webhook-id": id, "webhook-timestamp": stamp, "webhook-signature": `v1,${mac}` }
}

export type Call = {
  method: string
  path: string
  headers: Record<string, unknown>
  body: Record<string, unknown>
}

/**
 * Starts a Coinslot of which a test says what it answers, and returns its URL and what it was
 * asked.
 */
export async function startCoinslot(
  t: { after(f: () => unknown): void },
  answer: (call: Call, n: number) => [number, object] | "hang up",
) {
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    let text = ""
    for await (const part of request) text += part
    const call = {
      method: request.method!,
      path: request.url!,
      headers: request.headers,
      body: text ? JSON.parse(text) : {},
    }
    calls.push(call)
    const said = answer(call, calls.length)
    if (said === "hang up") return request.socket.destroy()
    response
      .writeHead(said[0], { "Content-Type": "application/json", Location: "/elsewhere" })
      .end(JSON.stringify(said[1]))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.after(() => server.close())
  return { calls, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` }
}
