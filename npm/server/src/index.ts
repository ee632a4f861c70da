/**
 * The client of a Coinslot server's API, for servers: sessions, events and webhooks.
 *
 * It needs only `fetch` and Web Crypto, so it runs in Node 20, Deno, Bun and workers. Never use it
 * in a browser: the key must stay on your server.
 *
 * Amounts are exact decimal text such as "25.00"; do not read them as numbers. Release goods only
 * when a session's `status` is "confirmed" and, in production, `test` is false.
 *
 * @module
 */

/** State of a session. Releases may add others. */
export type Status = "open" | "preparing" | "pending" | "confirmed" | "expired" | "cancelled" | "review" | (string & {});

/** What happened to a session. Ignore types that you do not know. */
export type EventType =
  | "checkout.pending" | "checkout.partial" | "checkout.confirmed"
  | "checkout.expired" | "checkout.cancelled" | "checkout.review"
  | "checkout.refund" | (string & {});

/** A price in US dollars. */
export interface PriceInDollars {
  /** "25.00" */
  amount_usd: string;
  amount?: never;
  currency?: never;
}

/** A price in the shop's currency. */
export interface PriceInCurrency {
  /** With at most the digits of its currency: "17.00", "2980" of JPY. */
  amount: string;
  /** ISO 4217 code, "EUR". */
  currency: string;
  amount_usd?: never;
}

/** An order to open a session for. docs/api.md has the limits. */
export type NewSession = (PriceInDollars | PriceInCurrency) & OrderDetails;

/** What an order may have besides its price. */
export interface OrderDetails {
  /** Your reference, unique. The same reference and order return the same session. */
  order_ref?: string;
  /** Six digits, passed to the gateway; absent = any. */
  order_id?: number;
  /** The shop's name, shown to the shopper; absent = `COINSLOT_SHOP_NAME`. */
  shop_name?: string;
  title?: string;
  description?: string;
  email?: string;
  /** Pairs of text, returned to you. */
  metadata?: Record<string, string>;
  /** Allowed coins, "USDT" or "USDT_trc20"; absent = all. */
  currencies?: string[];
  /** Minutes to pay after a coin is chosen; absent = 30. */
  ttl_minutes?: number;
  /** Minutes to choose a coin; absent = 1440. */
  expires_in_minutes?: number;
  success_url?: string;
  cancel_url?: string;
  /** BCP 47 tag of the page's language. */
  lang?: string;
}

/** One order, to be paid once. Times are RFC 3339 in UTC. */
export interface Session {
  /** "cs_…": anyone who knows it can see and pay the order. */
  id: string;
  object: "session";
  /** The page to send the shopper to. */
  url: string;
  status: Status;
  /** Only grows: of two copies, the higher is the newer. */
  version: number;
  /** No real money moves; reject it in production. */
  test: boolean;
  /** The price as you sent it, with all digits of its currency. */
  amount: string;
  /** ISO 4217 code. */
  currency: string;
  /** What is charged, in US dollars. */
  amount_usd: string;
  /** How the price was converted; null if it is in dollars. */
  rate: Rate | null;
  order_ref: string;
  shop_name: string;
  title: string;
  description: string;
  email: string;
  metadata: Record<string, string>;
  currencies: string[];
  success_url: string;
  cancel_url: string;
  lang: string;
  created_at: string;
  /** The shopper has to choose a coin before this. */
  expires_at: string;
  /** Time of the gateway's last answer. */
  checked_at: string | null;
  /** The money came after the end. */
  late: boolean;
  /** The excess in the coin; empty if there is none. */
  overpaid_amount: string;
  /** What is still due in the coin; empty if nothing is. */
  missing_amount: string;
  /** Why it is in review, or what the gateway reported after confirmation; otherwise empty. */
  review_reason: string;
  /** The signed proof of a confirmed payment; otherwise empty. */
  receipt: string;
  erased_at?: string;
  /** True if only a tombstone remains. */
  deleted?: boolean;
  /** The gateway's transactions, the oldest first. */
  attempts: Attempt[];
  /** The timeline. */
  "timeline": Entry[];
  /** What you recorded as sent back, the oldest first. */
  refunds: Refund[];
  /** What is probably wrong with the order; only in the answer that opens the session. */
  warnings?: Warning[];
}

/** The exchange rate at which a session's price was converted into dollars. */
export interface Rate {
  /** What one unit of the currency was worth, rounded to ten digits. */
  usd_per_unit: string;
  /** The same as a fraction of the source's own numbers, "1.0921/163.27". */
  usd_per_unit_exact: string;
  /** "ecb", "json" or "fixed". */
  source: string;
  as_of: string;
  spread_percent: string;
}

/** What one unit of a currency is worth now. */
export interface ListedRate {
  currency: string;
  /** Rounded to ten digits; empty if there was no rate yet. */
  usd_per_unit: string;
  usd_per_unit_exact: string;
  source: string;
  as_of: string | null;
  /** Null = without limit. */
  valid_until: string | null;
  /** Whether sessions can be opened in it. */
  usable: boolean;
  /** Why not: "too_old", "held", "absent" or "invalid"; empty if it is usable. */
  reason: string;
}

/** A transaction at the gateway. Amounts are in its coin. */
export interface Attempt {
  number: number;
  status: string;
  order_id: number;
  tracking_code: string;
  currency_symbol: string;
  network_code: string;
  address: string;
  pay_amount: string;
  paid_amount: string;
  missing_amount: string;
  overpaid_amount: string;
  tolerance_percent: string;
  late: boolean;
  reason: string;
  tx_id: string;
  tx_url: string;
  /** All transactions that the gateway has reported, in order. */
  transactions: { tx_id: string; tx_url: string }[];
  payment_url: string;
  created_at: string;
  expires_at: string | null;
  paid_at: string | null;
}

/** Money that you sent back by a wallet of your own. */
export interface Refund {
  /** In the coin. */
  amount: string;
  currency_symbol: string;
  network_code: string;
  tx_id: string;
  /** The transaction in an explorer; empty if the gateway links none. */
  tx_url: string;
  reason: string;
  recorded_at: string;
}

/** A refund to record. */
export interface NewRefund {
  /** "2.5", in the coin. */
  amount: string;
  currency_symbol: string;
  network_code: string;
  /** The transaction that sent it: the same one is the same refund. */
  tx_id: string;
  /** For yourself, in one line. */
  reason?: string;
  /** More went back than arrived in this coin. */
  confirm_excess?: boolean;
}

/** An entry of the timeline. */
export interface Entry {
  at: string;
  by: string;
  what: string;
  detail?: string;
}

/** What is probably wrong with an order that was accepted. */
export interface Warning {
  param: string;
  detail: string;
}

/** What happened to a session, from the event log or a webhook. */
export interface LoggedEvent {
  /** "evt_…", the same in each delivery: store it, and ignore one that you know. */
  id: string;
  type: EventType;
  timestamp: string;
  /** The session as it was then. */
  data: Session;
}

/** A part of the event log. */
export interface EventList {
  object: "list";
  data: LoggedEvent[];
  /** Send it as `after` next time. */
  next_cursor: string;
  has_more: boolean;
}

/** Why the server refused a request. */
export class CoinslotError extends Error {
  override readonly name = "CoinslotError";
  constructor(
    message: string,
    /** The HTTP status. */
    readonly status: number,
    /** For programs, see docs/errors.md; empty if the answer is not Coinslot's. */
    readonly code = "",
    /** The member, parameter or header that is wrong; may be empty. */
    readonly param = "",
    /** Give it to the server's operator. */
    readonly requestId = "",
  ) {
    super(message);
  }
}

/** Why a webhook is refused. Answer it with 401. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

export interface Options {
  /** The server's COINSLOT_PUBLIC_URL: https, or http on this machine. */
  url: string;
  /** The server's COINSLOT_SECRET_KEY. */
  key: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
  /** Milliseconds until a request is given up; absent = 30,000. */
  timeout?: number;
}

export interface SessionQuery {
  status?: Status;
  order_ref?: string;
}

export interface EventQuery {
  /** `next_cursor` of an earlier page; "latest" = only later events; absent = from the beginning. */
  after?: string;
  /** Only events of this session. */
  session?: string;
}

/**
 * Calls a Coinslot server. Its methods throw a {@link CoinslotError} if the server refuses the
 * request. They retry nothing: repeat `createSession` with the same `order_ref` or idempotency key,
 * and any other call as it is.
 */
export class Coinslot {
  readonly #options: Options;

  /** Throws an error if the secret key would leave this machine without https. */
  constructor(options: Options) {
    checkURL(options.url);
    this.#options = { ...options, url: options.url.replace(/\/+$/, "") };
  }

  /** Opens a session, or returns the existing one of its `order_ref` or `idempotencyKey`. */
  createSession(order: NewSession, options: { idempotencyKey?: string } = {}): Promise<Session> {
    const { idempotencyKey } = options;
    return this.request("POST", "/v1/sessions", order, idempotencyKey ? { "Idempotency-Key": idempotencyKey } : {});
  }

  /** Reads a session. */
  session(id: string): Promise<Session> {
    return this.request("GET", `/v1/sessions/${encodeURIComponent(id)}`);
  }

  /** Cancels a session for good. The server refuses it once money is on its way. */
  cancel(id: string): Promise<Session> {
    return this.request("POST", `/v1/sessions/${encodeURIComponent(id)}/cancel`);
  }

  /** Checks a session's payments at the gateway now. */
  recheck(id: string): Promise<Session> {
    return this.request("POST", `/v1/sessions/${encodeURIComponent(id)}/recheck`);
  }

  /** Records a refund that you have paid from a wallet of your own. */
  refund(id: string, refund: NewRefund): Promise<Session> {
    return this.request("POST", `/v1/sessions/${encodeURIComponent(id)}/refunds`, refund);
  }

  /** All sessions that the query selects, newest first. Fetches pages as needed. */
  async *sessions(query: SessionQuery = {}): AsyncGenerator<Session, void, undefined> {
    const { status = "", order_ref = "" } = query;
    let cursor = "";
    do {
      const path = `/v1/sessions?${new URLSearchParams({ status, order_ref, limit: "100", cursor })}`;
      const page = await this.request<{ data: Session[]; next_cursor: string }>("GET", path);
      yield* page.data;
      cursor = page.next_cursor;
    } while (cursor);
  }

  /**
   * The pages of the event log, oldest first, up to the present end. Store a page's `next_cursor`
   * in the transaction of its effects, and continue from there: then no event is missed or
   * repeated. The first page can be empty. On the code `cursor_gone`, read from the beginning.
   */
  async *events(query: EventQuery = {}): AsyncGenerator<EventList, void, undefined> {
    let { after = "", session = "" } = query;
    for (let more = true; more; ) {
      const path = `/v1/events?${new URLSearchParams({ after, session, limit: "100" })}`;
      const page = await this.request<EventList>("GET", path);
      yield page;
      after = page.next_cursor;
      more = page.has_more;
    }
  }

  /** What prices in other currencies are converted at now; empty if the server has dollars only. */
  async rates(): Promise<ListedRate[]> {
    const list = await this.request<{ data: ListedRate[] }>("GET", "/v1/rates");
    return list.data;
  }

  /** Sends a request that has no method of its own, such as `GET /v1/currencies`. */
  async request<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    const { url, key, timeout = 30_000 } = this.#options;
    if (!path.startsWith("/")) {
      throw new Error("the path of a request must begin with a slash"); // it would change the host
    }
    const init: RequestInit = {
      method,
      headers: { ...headers, Accept: "application/json", Authorization: `Bearer ${key}` },
      redirect: "manual", // the key goes to this server only
      signal: AbortSignal.timeout(timeout),
    };
    if (body !== undefined) {
      init.headers = { ...init.headers, "Content-Type": "application/json" };
      init.body = JSON.stringify(body);
    }
    const answer = await (this.#options.fetch ?? fetch)(url + path, init);
    if (answer.ok) {
      return (await answer.json()) as T;
    }
    const problem = (await answer.json().catch(() => ({}))) as Record<string, string | undefined>;
    const { code = "", detail = "", param = "", request_id = "" } = problem;
    const why = code ? `${code}: ${detail}${param && `: ${param}`}` : `status ${answer.status}, which is not an answer of Coinslot`;
    throw new CoinslotError(`${method} ${path.split("?")[0]}: ${why}`, answer.status, code, param, request_id);
  }
}

/** What the frame of an inline checkout shows, and how: attributes of the element around it, which needs the same values. */
export interface FrameOptions {
  /** The id of a session; the next four are for orders without one. */
  session?: string;
  /** An order token. */
  order?: string;
  /** Of the catalog. */
  item?: string;
  /** Choices for the item; absent = the checkout asks. */
  amount?: string | number;
  quantity?: string | number;
  /**
   * Your page's own, `https://shop.example`. Without it, the server takes the one that the browser sends, and a
   * Referrer-Policy of your page may keep it from that.
   */
  origin?: string;
  /** BCP 47 tag; absent = the language of the shopper's browser. */
  lang?: string;
  theme?: "auto" | "light" | "dark";
}

/**
 * The address of a checkout's frame, for the `src` of the `<iframe>` inside the element (docs/embed.md). Nothing is sent
 * and nothing is validated: the frame says what is wrong. Escape the address as any attribute.
 *
 * @param url The server's COINSLOT_PUBLIC_URL.
 */
export function checkoutFrame(url: string, options: FrameOptions): string {
  const { session, order, item, amount, quantity, origin, lang, theme } = options;
  const path = session ? `/checkout/${encodeURIComponent(session)}` : "/checkout";
  const sale = session ? {} : { order, item, amount, quantity };
  // checkout.js compares the beginning, so what is sold comes first, in this order.
  const query = Object.entries({ ...sale, embed: "inline", origin, lang, theme })
    .flatMap(([name, value]) => (value ? [`${name}=${encodeURIComponent(value)}`] : []));
  return `${url.replace(/\/+$/, "")}${path}?${query.join("&")}`;
}

/** Throws an error that does not repeat the URL, which may contain a password. */
function checkURL(text: string): void {
  const plain = /^https?:\/\/[^/?#@\\\s]+(?:\/[^?#\\\s]*)?$/i.test(text);
  const url = plain && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) {
    throw new Error("the checkout's URL must be like https://pay.shop.example, without user, query and fragment");
  }
  const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/;
  if (url.protocol !== "https:" && !loopback.test(url.hostname)) {
    throw new Error("the checkout's URL must be https (http only for localhost): the secret key travels with each request");
  }
}

/**
 * The headers of a webhook, with names in any case: of a `Request`, Node's `req.headers` or
 * `rawHeaders` in pairs, an API gateway's object, or a `Map`.
 */
export type WebhookHeaders =
  | Iterable<readonly [string, string | readonly string[] | undefined]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the event of a webhook that the checkout has sent within five minutes, or throws a
 * {@link WebhookError}.
 *
 * @param secret COINSLOT_WEBHOOK_SECRET; while it is changed, the new and the old one, separated by
 * a comma.
 * @param body The body byte for byte, before any parsing.
 */
export async function verifyWebhook(
  secret: string, headers: WebhookHeaders, body: string | Uint8Array,
): Promise<LoggedEvent> {
  const entries = Symbol.iterator in headers ? [...headers as Iterable<readonly [string, unknown]>] : Object.entries(headers);
  const header = (name: string): string => {
    const values = entries.filter(([key]) => key.toLowerCase() === name).flatMap(([, value]) => value ?? []);
    return values.length === 1 && typeof values[0] === "string" ? values[0] : ""; // two are none of ours
  };
  const id = header("webhook-id");
  const stamp = header("webhook-timestamp");
  if (!id || id.includes(".") || !/^\d{1,12}$/.test(stamp)) {
    throw new WebhookError("webhook headers missing or malformed");
  }
  if (Math.abs(Math.floor(Date.now() / 1000) - Number(stamp)) > 300) {
    throw new WebhookError("webhook timestamp out of tolerance");
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const prefix = new TextEncoder().encode(`${id}.${stamp}.`);
  const message = new Uint8Array(prefix.length + bytes.length);
  message.set(prefix);
  message.set(bytes, prefix.length);
  const signatures = header("webhook-signature").split(" ").filter((s) => s.startsWith("v1,")).slice(0, 20);
  for (const one of secret.split(",")) {
    const key = await importSecret(one);
    for (const signature of signatures) {
      const given = decodeBase64(signature.slice(3));
      // verify compares in constant time
      if (given && (await crypto.subtle.verify("HMAC", key, given, message))) {
        return { ...(JSON.parse(new TextDecoder().decode(bytes)) as LoggedEvent), id };
      }
    }
  }
  throw new WebhookError("webhook signature does not match");
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const key = secret.startsWith("whsec_") ? decodeBase64(secret.slice(6)) : undefined;
  if (!key || key.length < 24 || key.length > 64) {
    throw new WebhookError('the webhook secret is not "whsec_" and 24 to 64 bytes in base64');
  }
  return crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}
