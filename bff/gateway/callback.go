package gateway

// ValidCallback reports whether the gateway may be given s as callback_url: a
// public https URL. Source: gateway-api.md, "Limits".
func ValidCallback(s string) bool { return validCallback(s) }
