package admin

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/admin/door"
	"coinslot/bff/admin/page"
	"coinslot/bff/outbox"
	"coinslot/bff/payment"
)

// visit is one request of somebody who is signed in.
type visit struct {
	*console
	*door.Visitor
	w http.ResponseWriter
	r *http.Request
}

// visited answers one.
type visited func(*visit)

// by is who acts, for trails and the audit.
func (v *visit) by() string { return payment.Console(v.Name) }

// request is the id of the request, which the log has too.
func (v *visit) request() string { return v.w.Header().Get("X-Request-Id") }

// now is the moment of the visit.
func (v *visit) now() time.Time { return v.Now().UTC() }

// query returns the filters of a page's address, without what only leads on.
func (v *visit) query() url.Values {
	q := v.r.URL.Query()
	q.Del("done")
	return q
}

// token returns what every form of this visitor carries.
func (v *visit) token() string { return v.Token() }

// proven refuses a post without it.
func (v *visit) proven() error {
	if !v.Proves(v.r) {
		return errForged
	}
	return nil
}

// lead sends the browser on.
func (v *visit) lead(to string) { http.Redirect(v.w, v.r, to, http.StatusSeeOther) }

// show writes a page in its frame.
func (v *visit) show(p page.Page) {
	f := page.Frame{Page: p, Who: v.Name, Notice: notices[v.door.Noticed(v.Visitor, v.r.URL)]}
	if v.Leaves {
		f.Token = v.token()
	}
	// without it the page is as good
	if n, err := v.Count(v.r.Context(), string(wire.Review)); err == nil {
		f.Alarms = map[string]int{paymentsPath: n}
	}
	v.write(v.w, f)
}

// notices are what is said after something was done, by the word for it in the
// address, see [door.Door.Notice]: no address makes a page say anything else.
var notices = map[string]page.Notice{
	"confirmed": {Kind: "good", Text: "Settled as paid. Your server is being told."},
	"discarded": {Kind: "good", Text: "Settled as not paid. Your server is being told."},
	"rechecked": {
		Kind: "good",
		Text: "The gateway was asked. What it said is below; a payment asked about a moment ago " +
			"is looked at again in a few seconds.",
	},
	"cancelled": {Kind: "good", Text: "The payment is called off."},
	"erased":    {Kind: "good", Text: "Personal data was erased."},
	"sent-again": {
		Kind: "good", Text: "The webhook is being sent again. Reload the page to see the answer.",
	},
	"sent-later": {
		Kind: "warn",
		Text: "The webhook is due, but its endpoint has said 410: nothing is sent to it until " +
			"the server is restarted.",
	},
	"comparing": {Kind: "warn", Text: "A comparison is under way already. This is it."},
	"replayed":  {Kind: "good", Text: "The webhooks of that time are being sent again."},
	"replayed-some": {
		Kind: "warn",
		Text: "The first 10,000 events of that time are being sent again. The log says where to " +
			"go on.",
	},
	"rerouted": {Kind: "good", Text: "The webhooks are being sent to the configured URL. " +
		"What it had already was closed."},
	"rerouted-none": {Kind: "good", Text: "Every configured URL has these events already. " +
		"Nothing is sent; the webhooks were closed."},
	"rerouted-some": {Kind: "warn", Text: "The first 10,000 webhooks are being sent to the " +
		"configured URL. Press the button again for the rest."},
	"replayed-none": {Kind: "warn", Text: "Nothing was told in that time: nothing is sent."},
}

var (
	errNowhere = errors.New("nothing is here")
	errForged  = errors.New("the form is not of this login")
)

// troubles are what is said of an error, in words for the one who looks after it.
var troubles = map[wire.Code]struct {
	status int
	words  string
}{
	wire.CodeSessionUnknown: {404, "There is no such payment."},
	wire.CodeSessionPaid:    {409, "The payment is confirmed already: it stays as it is."},
	wire.CodePaymentInProgress: {
		409,
		"Money is on its way, or the gateway is being asked for an address right now: it cannot " +
			"be called off at this moment. Look again in a minute.",
	},
	wire.CodeNotPossible: {409, "That is not possible in the payment's present status."},
	wire.CodeReviewChanged: {
		409,
		"The payment has changed since you looked. Nothing was done: go back to it, read why it " +
			"is in review now, and decide again.",
	},
	wire.CodeGatewayUnavailable: {
		503, "The gateway does not answer now. Nothing was changed; try again in a minute.",
	},
	wire.CodeStorageUnavailable: {
		503, "The database cannot be used now. Nothing was changed; try again in a minute.",
	},
	wire.CodeInvalid: {422, "Something in the form is missing or too long."},
	wire.CodeWebhookUnset: {
		409,
		"There is nowhere to send it. Set COINSLOT_WEBHOOK_URL and COINSLOT_WEBHOOK_SECRET and " +
			"start the server again.",
	},
	wire.CodeRateLimited: {
		429, "Ten tests were sent within a minute. Wait a moment and try again.",
	},
	wire.CodeForbidden: {403, "The request came from another site and was refused."},
}

// trouble returns the page that says why something is not to be had.
func (v *visit) trouble(err error) page.Page {
	p := page.Page{
		Title: "That did not work", Section: section(v.r.URL.Path),
		Status: http.StatusInternalServerError, Back: v.wayBack(),
	}
	words := "Something went wrong. The log of the server says what, under the id below."
	var known *wire.Error
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, errNowhere):
		p.Title, p.Status, words = "Nothing is here", http.StatusNotFound, "There is no such page."
	case errors.Is(err, errForged):
		p.Title, p.Status, words = "Please do that again", http.StatusForbidden, "The form is "+
			"from before the last login. Nothing was changed: go back, reload the page and send "+
			"it again."
	case errors.Is(err, outbox.ErrEventUnknown), errors.Is(err, outbox.ErrEndpoint):
		p.Status, words = http.StatusConflict, "That webhook cannot be sent: the event is gone, "+
			"or its endpoint is not set any more."
	case errors.As(err, &large):
		p.Status, words = http.StatusRequestEntityTooLarge, "The form is too large."
	case errors.As(err, &known) && troubles[known.Code].status != 0:
		t := troubles[known.Code]
		p.Status, words = t.status, t.words
	}
	if p.Status >= http.StatusInternalServerError {
		v.Log.Error(
			"the console failed", "path", v.r.URL.Path, "request_id", v.request(), "error", err,
		)
	}
	p.Body = append(p.Body, page.Note("bad", words), page.Facts(page.Fact{
		Name: "Request", Value: page.Code(v.request()),
	}))
	return p
}

// wayBack is where to go on after something went wrong: the payment that it was
// about, else the list of what there is.
func (v *visit) wayBack() page.Back {
	if id := v.r.PathValue("session"); id != "" && v.r.URL.Path != paymentPath(id) {
		return page.Back{To: paymentPath(id), Label: "The payment"}
	}
	to := section(v.r.URL.Path)
	all := page.Sections()
	return page.Back{
		To:    to,
		Label: all[slices.IndexFunc(all, func(s page.Section) bool { return s.Path == to })].Name,
	}
}

// section is the entry of the navigation that a path belongs to.
func section(path string) string {
	for _, s := range page.Sections()[1:] {
		if path == s.Path || strings.HasPrefix(path, s.Path+"/") {
			return s.Path
		}
	}
	return "/admin"
}
