import { ModuleProvider, Modules } from "@medusajs/framework/utils"
import CoinslotPaymentProvider from "./service"

export default ModuleProvider(Modules.PAYMENT, { services: [CoinslotPaymentProvider] })
