package shop

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strconv"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// gatewayReturn is GET /return, where the gateway's page sends the shopper. It is not trusted: a
// tracking code and order number that belong together lead to the session's page and schedule a
// check; anything else leads to a neutral page. An unknown tracking code counts as a guess.
func (s *server) gatewayReturn(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	code, number := q.Get("tracking_code"), q.Get("order_id")
	if len(q["tracking_code"]) == 1 && len(q["order_id"]) <= 1 {
		session, ok := s.findByCode(r, code)
		if ok = ok && matchesOrderID(session, code, number); ok && !s.isClosed(session) {
			if s.AllowNudge(r) {
				s.hint(r.Context(), session)
			}
			s.Redirect(w, r, "/checkout/"+session.ID)
			return nil
		}
		if !ok && code != "" {
			if err := s.CountGuess(w, r, nil); err != nil {
				return err
			}
		}
	}
	p := s.blankPage(s.readEmbed(r, nil), "")
	p.Base = "/checkout"
	p.View = s.blankView()
	p.View.Notice = &wire.Notice{Message: s.texts.words(p.Lang)("return.neutral")}
	s.SetKind(w, web.KindAlone)
	return s.document.write(w, r, http.StatusOK, p)
}

var plausibleCode = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

func (s *server) findByCode(r *http.Request, code string) (payment.Session, bool) {
	if !plausibleCode.MatchString(code) {
		return payment.Session{}, false
	}
	session, err := s.Checkout.FindByTrackingCode(r.Context(), code)
	if err != nil && !errors.Is(err, payment.ErrNotFound) {
		s.Log.WarnContext(r.Context(), "looking up a tracking code failed", "error", err)
	}
	return session, err == nil
}

// hint schedules a check; it only logs errors.
func (s *server) hint(ctx context.Context, session payment.Session) {
	if err := s.Checkout.Hint(ctx, session); err != nil {
		s.Log.WarnContext(ctx, "scheduling a check failed", "session", session.ID, "error", err)
	}
	s.Kick()
}

// matchesOrderID reports whether the attempt of that code has that order number.
func matchesOrderID(session payment.Session, code, number string) bool {
	for _, a := range session.Attempts {
		if a.TrackingCode == code {
			return number == strconv.Itoa(a.OrderID)
		}
	}
	return false
}

// codeInBody finds a tracking code in a body of any format.
var codeInBody = regexp.MustCompile(`tracking_code["'\s:=]+([A-Za-z0-9_-]{1,128})`)

// gatewayHook is POST /hooks/gateway/{token}: any body is a hint to check now.
func (s *server) gatewayHook(w http.ResponseWriter, r *http.Request) error {
	token := []byte(r.PathValue("token"))
	if s.HookToken == "" || subtle.ConstantTimeCompare(token, []byte(s.HookToken)) != 1 {
		return s.CountGuess(w, r, web.Refuse(wire.CodeNotFound, ""))
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return web.Refuse(wire.CodeTooLarge, "")
	}
	body = append(body, " "+r.URL.RawQuery...)
	if found := codeInBody.FindSubmatch(body); found != nil {
		if session, ok := s.findByCode(r, string(found[1])); ok {
			s.hint(r.Context(), session)
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
