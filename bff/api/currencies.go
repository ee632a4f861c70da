package api

import (
	"net/http"

	"coinslot/app/wire"
	"coinslot/bff/web"
)

// listCurrencies is GET /v1/currencies: all coins that are available now, for any amount.
func (s *server) listCurrencies(w http.ResponseWriter, r *http.Request) error {
	if _, err := parseQuery(r); err != nil {
		return err
	}

	list, err := s.Checkout.Currencies(r.Context())
	if err != nil {
		return web.Refuse(wire.CodeGatewayUnavailable, "")
	}

	data := make([]map[string]any, 0, len(list))
	for _, c := range list {
		networks := make([]map[string]any, 0, len(c.Networks))
		for _, n := range c.Networks {
			networks = append(networks, map[string]any{
				"code":            n.Code,
				"name":            n.Name,
				"fee":             n.Fee.String(),
				"minimum_usd":     n.MinimumUSD.String(),
				"maximum_usd":     n.MaximumUSD.String(),
				"max_ttl_minutes": n.MaxTTL,
			})
		}

		data = append(data, map[string]any{
			"symbol":     c.Symbol,
			"name":       c.Name,
			"type":       c.Type,
			"price_usdt": c.PriceInUSDT.String(),
			"networks":   networks,
		})
	}

	return web.Respond(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}
