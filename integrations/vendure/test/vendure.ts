// What the plugin uses of Vendure, NestJS, TypeORM and GraphQL, for tests without them.
const decorator = () => () => {}

export {
  decorator as Inject,
  decorator as Allow,
  decorator as Args,
  decorator as Ctx,
  decorator as Mutation,
  decorator as Resolver,
  decorator as Injectable,
  decorator as Controller,
  decorator as Post,
  decorator as Param,
  decorator as Req,
  decorator as Res,
  decorator as Column,
  decorator as Entity,
  decorator as EntityId,
  decorator as Index,
}
export const Not = (value: unknown) => ({ not: value })

export default String.raw // of GraphQL

export const Permission = {}
export class ActiveOrderService {}
export const LanguageCode = { en: "en" }
export const RequestContext = { empty: () => ({}) }
export class ChannelService {}
export class ConfigService {}
export class EventBus {}
export class Order {}
export class OrderService {}
export class PaymentMethodService {}
export class PaymentService {}
export class RefundEvent {}
export class RequestContextService {}
export class TransactionalConnection {}
export class TransactionSubscriber {}
export class UserInputError extends Error {}
export class VendureEvent {}

export class VendureEntity {
  constructor(input: object) {
    Object.assign(this, input)
  }
}

export class PaymentMethodHandler {
  constructor(config: object) {
    Object.assign(this, config)
  }
}

export const logged: string[] = []
export const Logger = Object.fromEntries(
  ["info", "warn", "error"].map((level) => [
    level,
    (line: string) => logged.push(`${level}: ${line}`),
  ]),
)

export const isGraphQlErrorResult = (result: object) => "errorCode" in result

export function totalCoveredByPayments({ payments }: { payments: { amount: number }[] }): number {
  return payments.reduce((sum, { amount }) => sum + amount, 0)
}
