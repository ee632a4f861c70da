package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/console/auth"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
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

// now is the time of the request, in the zone of the shop.
func (r *request) now() time.Time { return r.Now().In(r.Zone) }

// show writes a page in its frame.
func (r *request) show(p page) {
	f := frame{
		page:     p,
		Who:      r.Name,
		Sections: r.navigation(),
		Search:   r.r.URL.Query().Get("q"),
		Notice:   words().Notices[r.auth.ReadNotice(r.Operator, r.r.URL)],
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

// redirect leads to another page, with the notice of that key; "" = none. It ends every change, so
// that a reload does nothing twice.
func (r *request) redirect(to, notice string) error {
	to = linkWith(to, nil, "done", r.auth.SignNotice(r.Operator, to, notice))
	http.Redirect(r.w, r.r, to, http.StatusSeeOther)
	return nil
}

var (
	errNoPage = errors.New("there is no such page")
	errForged = errors.New("the form is not of this login")
)

// messageView is what message.html gets.
type messageView struct {
	Text    string
	Request string // id; empty = it is not shown
}

// failure returns the error page; errors that the operator did not cause are logged too.
func (r *request) failure(err error) page {
	p := page{
		Title:    "Something went wrong",
		Section:  sectionOf(r.r.URL.Path).Path,
		Status:   http.StatusInternalServerError,
		Back:     r.backLink(),
		template: "message",
	}
	text := "The server log has the details under the request id below."
	var known *wire.Error
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, errNoPage):
		p.Title, p.Status, text = "Not found", http.StatusNotFound, "This page does not exist."
	case errors.Is(err, errForged):
		p.Title, p.Status = "Please try again", http.StatusForbidden
		text = "The form is from before your last sign-in. Nothing was changed: go back, reload " +
			"the page and submit it again."
	case errors.Is(err, webhook.ErrEventUnknown), errors.Is(err, webhook.ErrEndpoint):
		p.Status, text = http.StatusConflict, "The webhook cannot be sent: the event no longer "+
			"exists, or its endpoint is no longer configured."
	case errors.As(err, &large):
		p.Status, text = http.StatusRequestEntityTooLarge, "The form is too large."
	case errors.As(err, &known) && words().Failures[known.Code].Status != 0:
		p.Status, text = words().Failures[known.Code].Status, words().Failures[known.Code].Text
	}
	if p.Status >= http.StatusInternalServerError {
		r.Log.Error("console request failed", "path", r.r.URL.Path, "request_id", r.id(),
			"error", err)
	}
	p.View = messageView{Text: text, Request: r.id()}
	return p
}

// backLink is where to go on after something went wrong: the payment that it was
// about, else the list of what there is.
func (r *request) backLink() link {
	if id := r.r.PathValue("session"); id != "" && r.r.URL.Path != paymentPath(id) {
		return link{paymentPath(id), "The payment"}
	}
	s := sectionOf(r.r.URL.Path)
	return link{s.Path, s.Name}
}

type hidden struct{ Name, Value string }

type option struct{ Value, Label string }

type field struct {
	Name, Label, Value string
	Type               string   // of the input; empty = "text"
	Options            []option // of a select; nil = it is an input
	Hint               string   // a sentence below it; empty = none
	Placeholder        string   // an example; it names nothing
	Autocomplete       string   // empty = "off"
	Max                int      // characters; zero = 256
	Required           bool
	Wide               bool // takes the room that is left
	Focus              bool // has the focus from the start
}

// dateFields are those of a list that is filtered by days.
func dateFields(form url.Values) []field {
	return []field{
		{Name: "from", Label: "From", Type: "date", Value: form.Get("from")},
		{Name: "to", Label: "To", Type: "date", Value: form.Get("to")},
	}
}

func sessionField(form url.Values) field {
	return field{
		Name:        "session",
		Label:       "Payment",
		Value:       form.Get("session"),
		Wide:        true,
		Placeholder: "cs_…",
	}
}

// choiceField chooses one of the values of a list, or all. A value that is not among them, of
// an old bookmark, is still shown.
func choiceField(name, label string, form url.Values, values []string) field {
	f := field{Name: name, Label: label, Value: form.Get(name)}
	if f.Value != "" && !slices.Contains(values, f.Value) {
		values = append(slices.Clip(values), f.Value)
	}
	f.Options = []option{{anyValue, "All"}}
	for _, value := range values {
		word := capitalize(value)
		if name == "network" && len(value) <= 5 { // a code: "trc20", "ton"
			word = strings.ToUpper(value)
		}
		f.Options = append(f.Options, option{value, word})
	}
	return f
}

type filter struct {
	Path   string
	Search string // what is searched for in the list besides; empty = nothing
	Set    int    // fields that are set
	Fields []field
}

// filterOf returns the filter of a list; form is what it is filtered by.
func filterOf(path string, form url.Values, fields []field) filter {
	return filter{Path: path, Set: len(formWithoutPage(formWithout(form, "q"))), Fields: fields}
}

type form struct {
	Path, Token string // Token is the operator's, see auth.Operator
	Fields      []field
	Hidden      []hidden
	Button      string
	Part        string // data-part of the button, for tests
	Danger      bool   // what it does cannot be undone
	Quiet       bool   // one of many, in a row of a table
	Cancel      string // where the way back leads; empty = there is none
}

// pager leads from one page of a list to the next. First and Next are addresses; empty =
// this is the first page, there is no next one.
type pager struct {
	Shown       int // rows on this page
	First, Next string
}

// pagerOf returns the pager of a list; next is the cursor of the next page, "" = there is none.
func pagerOf(path string, form url.Values, next string, shown int) pager {
	p := pager{Shown: shown}
	if form.Get("cursor") != "" {
		p.First = linkWith(path, form, "cursor", "")
	}
	if next != "" {
		p.Next = linkWith(path, form, "cursor", next)
	}
	return p
}
