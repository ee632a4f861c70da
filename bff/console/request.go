package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/console/auth"
	"coinslot/bff/outbox"
	"coinslot/bff/payment"
)

// request is one request of an operator who is signed in.
type request struct {
	*console
	*auth.Operator
	w http.ResponseWriter
	r *http.Request
}

// by is who acts, for timelines and the audit log.
func (r *request) by() string { return payment.Console(r.Name) }

// id is the id of the request, which the log has too.
func (r *request) id() string { return r.w.Header().Get("X-Request-Id") }

// now is the time of the request, in UTC.
func (r *request) now() time.Time { return r.Now().UTC() }

// filters returns those named of the query, trimmed and without [anyStatus].
func (r *request) filters(names ...string) url.Values {
	return filtersOf(r.r.URL.Query(), names...)
}

func filtersOf(query url.Values, names ...string) url.Values {
	form := url.Values{}
	for _, name := range names {
		value := strings.TrimSpace(query.Get(name))
		if (name == "status" || name == "state") && strings.EqualFold(value, anyStatus) {
			value = ""
		}
		form.Set(name, value)
	}
	return form
}

// show writes a page in its frame.
func (r *request) show(p page) {
	f := frame{
		page: p, Who: r.Name, Sections: sections(),
		Notice: notices[r.auth.ReadNotice(r.Operator, r.r.URL)],
	}
	if r.CanSignOut {
		f.Token = r.FormToken()
	}
	for i, s := range f.Sections {
		f.Sections[i].Current = s.Path == p.Section
		if s.Path == paymentsPath { // without the number the page is as good
			f.Sections[i].Alarms, _ = r.Count(r.r.Context(), string(wire.Review))
		}
	}
	r.write(r.w, f)
}

// notices are what is said after something was done, by the word for it in the
// address, see [auth.Authenticator.SignNotice]: no address makes a page say anything else.
var notices = map[string]note{
	"confirmed": {"good", "Settled as paid. Your server is being told."},
	"discarded": {"good", "Settled as not paid. Your server is being told."},
	"rechecked": {
		"good",
		"The gateway was asked. What it said is below; a payment asked about a moment ago " +
			"is looked at again in a few seconds.",
	},
	"cancelled": {"good", "The payment is called off."},
	"erased":    {"good", "Personal data was erased."},
	"sent-again": {
		"good", "The webhook is being sent again. Reload the page to see the answer.",
	},
	"sent-later": {
		"warn",
		"The webhook is due, but its endpoint has said 410: nothing is sent to it until " +
			"the server is restarted.",
	},
	"comparing": {"warn", "A comparison is under way already. This is it."},
	"replayed":  {"good", "The webhooks of that time are being sent again."},
	"replayed-some": {
		"warn",
		"The first 10,000 events of that time are being sent again. The log says where to " +
			"go on.",
	},
	"replayed-none": {"warn", "Nothing was told in that time: nothing is sent."},
	"rerouted": {
		"good", "The webhooks are being sent to the configured URL. What it had already was closed.",
	},
	"rerouted-none": {
		"good",
		"Every configured URL has these events already. Nothing is sent; the webhooks were closed.",
	},
	"rerouted-some": {
		"warn",
		"The first 10,000 webhooks are being sent to the configured URL. Press the button again " +
			"for the rest.",
	},
}

var (
	errNoPage = errors.New("there is no such page")
	errForged = errors.New("the form is not of this login")
)

// failures are what is said of an error.
var failures = map[wire.Code]struct {
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

// messageView is what message.html gets.
type messageView struct {
	Text    string
	Request string // id; empty = it is not shown
}

// failure returns the page that says what went wrong; what is not the operator's doing is
// logged too.
func (r *request) failure(err error) page {
	p := page{
		Title: "Something went wrong", Section: sectionOf(r.r.URL.Path).Path,
		Status: http.StatusInternalServerError, Back: r.wayBack(), template: "message",
	}
	words := "The log of the server says what, under the id below."
	var known *wire.Error
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, errNoPage):
		p.Title, p.Status, words = "Nothing is here", http.StatusNotFound, "There is no such page."
	case errors.Is(err, errForged):
		p.Title, p.Status = "Please do that again", http.StatusForbidden
		words = "The form is from before the last login. Nothing was changed: go back, reload " +
			"the page and send it again."
	case errors.Is(err, outbox.ErrEventUnknown), errors.Is(err, outbox.ErrEndpoint):
		p.Status, words = http.StatusConflict, "That webhook cannot be sent: the event is gone, "+
			"or its endpoint is not set any more."
	case errors.As(err, &large):
		p.Status, words = http.StatusRequestEntityTooLarge, "The form is too large."
	case errors.As(err, &known) && failures[known.Code].status != 0:
		p.Status, words = failures[known.Code].status, failures[known.Code].words
	}
	if p.Status >= http.StatusInternalServerError {
		r.Log.Error("console request failed", "path", r.r.URL.Path, "request_id", r.id(),
			"error", err)
	}
	p.View = messageView{Text: words, Request: r.id()}
	return p
}

// wayBack is where to go on after something went wrong: the payment that it was
// about, else the list of what there is.
func (r *request) wayBack() link {
	if id := r.r.PathValue("session"); id != "" && r.r.URL.Path != paymentPath(id) {
		return link{paymentPath(id), "The payment"}
	}
	s := sectionOf(r.r.URL.Path)
	return link{s.Path, s.Name}
}
