// What the provider uses of @medusajs/framework/utils, for tests without Medusa.
export class AbstractPaymentProvider<T> {
  constructor(readonly container: unknown, protected readonly config: T) {}
}

export class MedusaError extends Error {
  static Types = { INVALID_DATA: "invalid_data", NOT_ALLOWED: "not_allowed", UNAUTHORIZED: "unauthorized", UNEXPECTED_STATE: "unexpected_state" }
  constructor(readonly type: string, message: string) {
    super(message)
  }
}

export class BigNumber {
  constructor(readonly value: string) {}

  toString() {
    return this.value
  }
}
