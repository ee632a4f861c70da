package shop

import (
	"crypto/subtle"
	"io"
	"net/http"
	"regexp"

	"coinslot/app/wire"
	"coinslot/bff/web"
)

// hook is POST /hooks/gateway/{token}: any body is a hint to check now.
func (g *gatewayRequests) hook(w http.ResponseWriter, r *http.Request) error {
	token := []byte(r.PathValue("token"))
	if g.hookToken == "" || subtle.ConstantTimeCompare(token, []byte(g.hookToken)) != 1 {
		return g.site.CountGuess(w, r, web.Refuse(wire.CodeNotFound, ""))
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return web.Refuse(wire.CodeTooLarge, "")
	}

	body = append(body, " "+r.URL.RawQuery...)
	found := codeInBody.FindSubmatch(body)
	if found != nil {
		session, ok := g.find(r, string(found[1]))
		if ok {
			g.checkSoon(r.Context(), session)
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// codeInBody finds a tracking code in a body of any format.
var codeInBody = regexp.MustCompile(`tracking_code["'\s:=]+([A-Za-z0-9_-]{1,128})`)
