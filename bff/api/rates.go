package api

import (
	"net/http"

	"coinslot/bff/rates"
	"coinslot/bff/web"
)

// listRates is GET /v1/rates: what one unit of each currency is worth in dollars now.
func (s *server) listRates(w http.ResponseWriter, r *http.Request) error {
	if _, err := parseQuery(r); err != nil {
		return err
	}
	list := []rates.Listed{}
	if s.Rates != nil {
		var err error
		if list, err = s.Rates.List(r.Context()); err != nil {
			return web.StorageError(err)
		}
	}
	return web.Respond(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}
