import { Controller, Param, Post, Req, Res } from "@nestjs/common"
import { Logger } from "@vendure/core"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Checkouts } from "./checkouts"
import { LoggedEvent, verifyWebhook } from "./client"
import { Receiving } from "./receiving"

/** Where webhooks come, before the name of the checkout. */
export const HOOKS = "hooks/coinslot"

/**
 * Receives webhooks. It verifies first, and answers 204 when all is stored. After any other answer,
 * Coinslot sends the webhook again for 30 days.
 */
@Controller(HOOKS)
export class CoinslotController {
  constructor(
    private readonly checkouts: Checkouts,
    private readonly receiving: Receiving,
  ) {}

  @Post(":checkout")
  async receive(
    @Param("checkout") name: string,
    @Req() request: IncomingMessage & { body: unknown },
    @Res() response: ServerResponse,
  ): Promise<void> {
    const answer = (status: number, text = "") =>
      void response.writeHead(status, { "Content-Type": "text/plain" }).end(text)
    const checkout = this.checkouts.find(name)
    if (!checkout) return answer(404, "no such checkout")
    if (!Buffer.isBuffer(request.body)) {
      return answer(500, "another middleware has read the body before the plugin")
    }

    let event: LoggedEvent
    try {
      event = await verifyWebhook(checkout.webhookSecret, request.headers, request.body)
    } catch (error: any) {
      return answer(401, error.message)
    }
    try {
      await this.receiving.receive(name, event)
      return answer(204)
    } catch (error: any) {
      const failed = `${event.type} of ${event.data.id} is not done yet, and comes again: `
      Logger.error(failed + error.message, "Coinslot", error.stack)
      return answer(503, error.message)
    }
  }
}

const LIMIT = 1 << 20 // bytes; a webhook has a few thousand

/**
 * Keeps the body of a webhook as it came, which its signature is of. Others would have parsed it.
 */
export function keepBody(
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
  next: (error?: unknown) => void,
): void {
  const parts: Buffer[] = []
  let size = 0
  request.on("data", (part: Buffer) => {
    size += part.length
    if (size > LIMIT) request.destroy()
    else parts.push(part)
  })
  request.on("error", next)
  request.on("end", () => {
    request.body = Buffer.concat(parts)
    next()
  })
}
