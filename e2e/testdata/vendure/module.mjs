// A project of ES modules imports the plugin by name, too, and has one copy of Vendure.
import { CoinslotEvent, CoinslotPlugin } from "@coinslot/vendure"
import { VendureEvent } from "@vendure/core"
import assert from "node:assert/strict"

assert.equal(typeof CoinslotPlugin.init, "function")
assert.ok(CoinslotEvent.prototype instanceof VendureEvent)
