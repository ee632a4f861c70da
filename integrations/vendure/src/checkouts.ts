import { Inject, Injectable } from "@nestjs/common"
import { Coinslot, CoinslotError } from "./client"
import { type Checkout, client, type CoinslotOptions } from "./options"

export const COINSLOT_OPTIONS: unique symbol = Symbol("options of CoinslotPlugin")

/** The checkouts of the plugin's options. */
@Injectable()
export class Checkouts {
  constructor(@Inject(COINSLOT_OPTIONS) private readonly options: CoinslotOptions) {}

  /** Returns the checkout of a name, or undefined if there is none. */
  find(name: string): Checkout | undefined {
    return new Map(Object.entries(this.options.checkouts)).get(name)
  }

  /** Returns the checkout of a name. Throws if there is none. */
  get(name: string): Checkout {
    const checkout = this.find(name)
    if (!checkout) throw new Error(`the options of the plugin have no checkout "${name}"`)
    return checkout
  }

  /**
   * Calls the API of a checkout. Throws a CoinslotError if it refuses, and others if no answer
   * comes.
   */
  async call<T>(name: string, use: (api: Coinslot) => Promise<T>): Promise<T> {
    const api = client(this.get(name))
    try {
      return await use(api)
    } catch (error: any) {
      if (error instanceof CoinslotError) throw error
      throw new Error(`the checkout "${name}" does not answer: ${error.message}`)
    }
  }
}
