//go:build js

package browser

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"syscall/js"
)

// Objects of wallets are untrusted: reading a property may run code that throws, which a plain Get
// does not survive, and a promise may settle twice. So properties are read by Reflect, calls are
// guarded, and answers pass through a promise of the browser's own (settle).

// maxWallets limits how many wallets a page can register.
const maxWallets = 32

// Wallets are the wallets of this browser. The zero value is ready.
type Wallets struct {
	mu        sync.Mutex // guards providers
	providers map[string]js.Value
}

// Discover asks wallets to announce themselves and calls found for each, now and later, once per
// id, as long as the page lives. It asks wallets for nothing else. Source: EIP-6963.
func (w *Wallets) Discover(found func(WalletInfo)) {
	on(js.Global(), "eip6963:announceProvider", func(event js.Value) {
		detail := property(event, "detail")
		info := property(detail, "info")
		a := WalletInfo{
			ID: stringOf(property(info, "uuid")), Name: stringOf(property(info, "name")),
			Icon: stringOf(property(info, "icon")), RDNS: stringOf(property(info, "rdns")),
		}
		if w.register(a.ID, property(detail, "provider")) {
			found(a)
		}
	})
	js.Global().Call("dispatchEvent", js.Global().Get("Event").New("eip6963:requestProvider"))
}

// register adds a provider unless its id is taken.
func (w *Wallets) register(id string, provider js.Value) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, taken := w.providers[id]
	if taken || id == "" || len(w.providers) >= maxWallets || !isObject(provider) {
		return false
	}
	if w.providers == nil {
		w.providers = map[string]js.Value{}
	}
	w.providers[id] = provider
	return true
}

func (w *Wallets) provider(id string) (js.Value, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	provider, ok := w.providers[id]
	if !ok {
		return js.Undefined(), errors.New("asking a wallet: no such wallet in this page")
	}
	return provider, nil
}

// Connect asks a wallet for its account and to switch to a chain ("0x1"), and returns the account.
// It blocks until the shopper answers and must not be called from a callback. Errors:
// ErrDeclined, ErrUnknownChain, others.
// Sources: EIP-1102, EIP-695, EIP-3326.
func (w *Wallets) Connect(id, chain string) (from string, err error) {
	provider, err := w.provider(id)
	if err != nil {
		return "", err
	}
	accounts, err := request(provider, "eth_requestAccounts", nil)
	if err != nil {
		return "", err
	}
	from = stringOf(property(accounts, "0"))
	if !isAccount(from) {
		return "", errors.New("asking a wallet for its account: no account in the answer")
	}
	if onChain(provider, chain) {
		return from, nil
	}
	_, err = request(provider, "wallet_switchEthereumChain", map[string]any{"chainId": chain})
	if err == nil && !onChain(provider, chain) {
		err = ErrUnknownChain // it agreed and did nothing
	}
	return from, err
}

// Send asks a wallet to send a transaction; nil means that the wallet claims to have sent it. It
// blocks until the shopper answers and must not be called from a callback. Errors: ErrDeclined,
// ErrUnknownChain, others.
func (w *Wallets) Send(id string, t Transaction) error {
	provider, err := w.provider(id)
	if err != nil {
		return err
	}
	if !onChain(provider, t.ChainID) {
		return ErrUnknownChain
	}
	hash, err := request(provider, "eth_sendTransaction", map[string]any{
		"from": t.From, "to": t.To, "value": t.Value, "data": t.Data, "chainId": t.ChainID,
	})
	if err == nil && stringOf(hash) == "" {
		err = errors.New("asking a wallet to send: no transaction hash in the answer")
	}
	return err
}

// onChain reports whether a wallet says that it is on a chain.
func onChain(provider js.Value, chain string) bool {
	now, err := request(provider, "eth_chainId", nil)
	if err != nil {
		return false
	}
	is, err := chainNumber(now)
	want, err2 := strconv.ParseUint(chain, 0, 64)
	return err == nil && err2 == nil && is == want
}

// chainNumber reads a chain id; some wallets return a number, not text.
func chainNumber(v js.Value) (uint64, error) {
	if v.Type() == js.TypeNumber {
		return uint64(v.Float()), nil
	}
	return strconv.ParseUint(stringOf(v), 0, 64)
}

// isAccount reports whether s is an account of an EVM chain.
func isAccount(s string) bool {
	return len(s) == 42 && s[:2] == "0x" && strings.Trim(s[2:], "0123456789abcdefABCDEF") == ""
}

// request sends one request to a wallet and waits for the answer. Source: EIP-1193.
func request(provider js.Value, method string, parameter map[string]any) (js.Value, error) {
	arguments := map[string]any{"method": method}
	if parameter != nil {
		arguments["params"] = []any{parameter}
	}
	answer, err := callSafely(func() js.Value { return provider.Call("request", arguments) })
	if err == nil {
		value, reason, ok := settle(answer)
		if ok {
			return value, nil
		}
		err = rejectionError(reason)
	}
	return js.Undefined(), opError{"asking a wallet for " + method, err}
}

// rejectionError returns the error of a rejected request. Codes: EIP-1193 and EIP-3326; some
// wallets wrap the error of another one.
func rejectionError(reason js.Value) error {
	for _, e := range []js.Value{reason, property(property(reason, "data"), "originalError")} {
		if code := property(e, "code"); code.Type() == js.TypeNumber {
			switch code.Float() {
			case 4001:
				return ErrDeclined
			case 4902:
				return ErrUnknownChain
			}
		}
	}
	return errors.New("rejected")
}

// settle waits for a value that may be a promise, also an untrusted one. It must not be called from
// a callback.
func settle(v js.Value) (value, reason js.Value, ok bool) {
	type outcome struct {
		value js.Value
		ok    bool
	}
	settled := make(chan outcome, 1) // one callback is called, once
	callback := func(ok bool) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any {
			settled <- outcome{first(args), ok}
			return nil
		})
	}
	resolve := callback(true)
	reject := callback(false)
	defer resolve.Release()
	defer reject.Release()
	// An untrusted promise may throw or call back twice. A native one that adopts it settles once.
	give := js.FuncOf(func(js.Value, []js.Value) any { return v })
	defer give.Release()
	js.Global().Get("Promise").Call("resolve").Call("then", give).Call("then", resolve, reject)
	o := <-settled
	if o.ok {
		return o.value, js.Undefined(), true
	}
	return js.Undefined(), o.value, false
}

// property reads a property of an untrusted object; undefined if it is no object, or throws.
func property(v js.Value, name string) js.Value {
	if !isObject(v) {
		return js.Undefined()
	}
	got, err := callSafely(
		func() js.Value { return js.Global().Get("Reflect").Call("get", v, name) },
	)
	if err != nil {
		return js.Undefined()
	}
	return got
}

// callSafely calls do, which may run a wallet's code, and turns a panic into an error.
func callSafely(do func() js.Value) (v js.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			v = js.Undefined()
			err = errors.New("it threw an exception")
		}
	}()
	return do(), nil
}

func isObject(v js.Value) bool { return v.Type() == js.TypeObject || v.Type() == js.TypeFunction }

// stringOf is a string's content, empty for anything else.
func stringOf(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}
