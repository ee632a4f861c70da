package door

import (
	"net/http"
	"net/netip"
	"time"

	"coinslot/app/widget/node"
	"coinslot/bff/admin/page"
	"coinslot/bff/admin/password"
)

// Logins are guarded by their price and their number: a client may try a few
// times in a minute, and only so many hashes are computed at a time, each of
// which takes 19 MiB.
const (
	loginsPerMinute = 10
	// loginsOfNetwork is how often all clients of an IPv6 /48 may try together: who
	// has one has 65,536 networks that count as clients, enough to keep everybody out.
	loginsOfNetwork = 30
	// failuresPerMinute is how many wrong passwords of all clients are written to the
	// audit log, which nothing is taken out of; the server's log has every one.
	failuresPerMinute = 10
	hashesAtOnce      = 2
	hashPatience      = 5 * time.Second
)

// Step is GET /admin/login.
func (d *Door) Step(w http.ResponseWriter, r *http.Request) {
	if v, err := d.visitor(r); err == nil && v != nil {
		http.Redirect(w, r, "/admin", http.StatusSeeOther)
		return
	}
	d.show(w, r)
}

// show answers whoever is not signed in, at the address that they asked for.
func (d *Door) show(w http.ResponseWriter, r *http.Request) {
	if d.Hash == "" {
		d.Write(w,
			page.Frame{Page: page.Page{Title: "Not signed in", Status: http.StatusForbidden,
				Body: []node.Node{
					page.Note(
						"bad",
						"This console is opened by a proxy that says who you are in "+d.Header+
							". This request came without it.",
					)}}})
		return
	}
	way := doorway{to: asked(r), status: http.StatusForbidden, passing: fromElsewhere(r)}
	switch {
	case r.Method == http.MethodPost:
		way.wrong = "You are not signed in any more, so nothing was done. Sign in and do it again."
	case way.to == "/admin": // somebody who has come to sign in
		way.status = http.StatusOK
	}
	if d.say("", r.URL) == left {
		way.notice = page.Notice{Kind: "good", Text: "You are signed out."}
	}
	d.ask(w, way)
}

// doorway is what the page that asks for the password says.
type doorway struct {
	to      string // where to go afterwards
	wrong   string // what was wrong with the last one; empty = nothing
	passing bool   // who has come by a link of another site may be signed in
	status  int
	notice  page.Notice
}

// ask writes the page that asks for the password.
func (d *Door) ask(w http.ResponseWriter, way doorway) {
	p := page.Page{Title: "Sign in", Status: way.status}
	if way.wrong != "" {
		p.Body = append(
			p.Body,
			page.El("p").Class("note").Attr("data-kind", "bad").Attr("data-part", "error").
				Attr("role", "alert").Text(way.wrong),
		)
	}
	p.Body = append(p.Body, page.Form{
		Path: "/admin/login", Button: "Sign in", Part: "sign-in",
		Hidden: []page.Option{{Value: "to", Label: way.to}},
		Fields: []page.Field{
			{Name: "username", Value: operator, Autocomplete: "username", Unseen: true},
			{
				Name: "password", Label: "Password", Type: "password",
				Autocomplete: "current-password", Max: password.Most, Required: true, Focus: true,
			},
		},
	}.Draw())
	if way.passing {
		p.Body = append(
			p.Body,
			page.El("p").Class("soft").Body(
				page.Text("A link of another site has led here. If you are signed in, "),
				page.Link(way.to, page.Text("go on")), page.Text("."),
			),
		)
	}
	d.Write(w, page.Frame{Page: p, Notice: way.notice})
}

// Login is POST /admin/login, guarded.
func (d *Door) Login(w http.ResponseWriter, r *http.Request) {
	to, client := within(r.PostFormValue("to")), d.Within.Client(r)
	if d.Hash == "" {
		http.Redirect(w, r, "/admin/login", http.StatusSeeOther)
		return
	}
	if d.guesses.OnLimit(w, r, client) || d.crowds.OnLimit(w, r, network(client)) {
		d.later(w, to, "Too many tries. Wait a minute.", http.StatusTooManyRequests)
		return
	}
	right, in := d.right(r)
	switch {
	case !in:
		d.later(
			w, to, "Many people sign in at this moment. Try again in a few seconds.",
			http.StatusServiceUnavailable,
		)
	case !right:
		d.Log.Warn("a wrong password for the console", "client", client)
		if !d.written.OnLimit(w, r, "") {
			d.Note(r, operator, "login.failed")
		}
		d.ask(w, doorway{to: to, wrong: "That is not the password.", status: http.StatusForbidden})
	default:
		d.Note(r, operator, "login")
		http.SetCookie(w, d.cookie(d.keys.login(d.Now())))
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}

// network is the /48 of a client of IPv6, and any other client itself.
func network(client string) string {
	p, err := netip.ParsePrefix(client)
	if err != nil || p.Addr().Is4() {
		return client
	}
	wide, _ := p.Addr().Prefix(48) // any IPv6 address has one
	return wide.String()
}

// operator is who signs in by the password: it is everybody's.
const operator = "operator"

// later asks for the password again, but not now.
func (d *Door) later(w http.ResponseWriter, to, why string, status int) {
	w.Header().Set("Retry-After", "12")
	d.ask(w, doorway{to: to, wrong: why, status: status})
}

// right reports whether the password is; in is false if there was no place to
// compute it.
func (d *Door) right(r *http.Request) (right, in bool) {
	wait := time.NewTimer(hashPatience)
	defer wait.Stop()
	select {
	case d.hashing <- struct{}{}:
	case <-wait.C:
		return false, false
	case <-r.Context().Done():
		return false, false
	}
	defer func() { <-d.hashing }()
	return password.Matches(d.Hash, r.PostFormValue("password")), true
}

// left is how the address says that somebody has just signed out.
const left = "signed-out"

// Logout is POST /admin/logout of who is signed in, guarded and proven.
func (d *Door) Logout(w http.ResponseWriter, r *http.Request, v *Visitor) {
	if v.Leaves {
		d.Note(r, v.Name, "logout")
		http.SetCookie(w, d.cookie(""))
		if err := d.end(r, v.logins[0]); err != nil {
			d.Log.Error("the console cannot end a login", "error", err)
			d.Write(w,
				page.Frame{Page: page.Page{Title: "Signed out here only",
					Status: http.StatusServiceUnavailable, Body: []node.Node{
						page.Note(
							"bad",
							"This browser is signed out, but the database could not keep it: a "+
								"copy of its cookie would still open the console, for 12 hours "+
								"after the login. If there may be one, change the password.",
						)}}})
			return
		}
	}
	http.Redirect(
		w, r, "/admin/login?done="+d.keys.notice("", "/admin/login", left, d.Now()),
		http.StatusSeeOther,
	)
}

// end ends a login everywhere.
func (d *Door) end(r *http.Request, login string) error {
	until, ok := d.keys.holds(login, d.Now())
	if !ok {
		return nil
	}
	return d.Logins.EndLogin(r.Context(), nameOf(login), until)
}
