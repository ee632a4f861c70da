package checkout

import "coinslot/app/wire"

// problem is an error for the outside with nothing but its code: bff/web
// knows the HTTP status and the sentence of each.
func problem(code wire.Code, param string) *wire.Error {
	return &wire.Error{Code: code, Param: param, Detail: string(code)}
}
