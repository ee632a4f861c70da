package admin

import (
	"net/http"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/bff/admin/page"
	"coinslot/bff/admin/password"
	"coinslot/bff/checkout"
)

// Logins are guarded by their price and their number: a client may try a few
// times in a minute, and only so many hashes are computed at a time, each of
// which takes 19 MiB.
const (
	loginsPerMinute = 10
	// failuresPerMinute is how many wrong passwords of all clients are written to the
	// audit log, which nothing is taken out of; the server's log has every one.
	failuresPerMinute = 10
	hashesAtOnce      = 2
	hashPatience      = 5 * time.Second
)

// doorstep is GET /admin/login.
func (s *console) doorstep(w http.ResponseWriter, r *http.Request) {
	if v, err := s.visitor(w, r); err == nil && v != nil {
		v.lead("/admin")
		return
	}
	s.door(w, r)
}

// door answers whoever is not signed in, at the address that they asked for.
func (s *console) door(w http.ResponseWriter, r *http.Request) {
	if s.Hash == "" {
		s.write(w, page.Frame{Page: page.Page{Title: "Not signed in", Status: http.StatusForbidden, Body: []app.UI{
			page.Note("bad", "This console is opened by a proxy that says who you are in "+s.Header+". This request came without it.")}}})
		return
	}
	d := doorway{to: asked(r), status: http.StatusForbidden, notice: notices[r.URL.Query().Get("done")], passing: fromElsewhere(r)}
	if r.Method == http.MethodGet && d.to == "/admin" { // somebody who has come to sign in
		d.status = http.StatusOK
	}
	s.ask(w, d)
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
func (s *console) ask(w http.ResponseWriter, d doorway) {
	p := page.Page{Title: "Sign in", Status: d.status}
	if d.wrong != "" {
		p.Body = append(p.Body, page.El("p").Class("note").DataSet("kind", "bad").DataSet("part", "error").Attr("role", "alert").Text(d.wrong))
	}
	p.Body = append(p.Body, page.Form{
		Path: "/admin/login", Button: "Sign in", Part: "sign-in", Hidden: []page.Option{{Value: "to", Label: d.to}},
		Fields: []page.Field{{Name: "username", Value: operator, Autocomplete: "username", Unseen: true}, {Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password", Max: password.Most, Required: true, Focus: true}},
	}.Draw())
	if d.passing {
		p.Body = append(p.Body, page.El("p").Class("soft").Body(page.Text("A link of another site has led here. If you are signed in, "), page.Link(d.to, page.Text("go on")), page.Text(".")))
	}
	s.write(w, page.Frame{Page: p, Notice: d.notice})
}

// login is POST /admin/login.
func (s *console) login(w http.ResponseWriter, r *http.Request) {
	to, client := within(r.PostFormValue("to")), s.Within.Client(r)
	if s.Hash == "" {
		http.Redirect(w, r, "/admin/login", http.StatusSeeOther)
		return
	}
	if s.guesses.OnLimit(w, r, client) {
		s.later(w, to, "Too many tries. Wait a minute.", http.StatusTooManyRequests)
		return
	}
	right, in := s.right(r)
	switch {
	case !in:
		s.later(w, to, "Many people sign in at this moment. Try again in a few seconds.", http.StatusServiceUnavailable)
	case !right:
		s.Log.Warn("a wrong password for the console", "client", client)
		if !s.written.OnLimit(w, r, "") {
			s.note(r, "login.failed")
		}
		s.ask(w, doorway{to: to, wrong: "That is not the password.", status: http.StatusForbidden})
	default:
		s.note(r, "login")
		http.SetCookie(w, s.cookie(s.keys.login(s.Now())))
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}

// note writes a login down. One that cannot be is let in all the same: to look at
// a database that takes no writes is what somebody may want to sign in for.
func (s *console) note(r *http.Request, what string) {
	v := visit{console: s, r: r, who: operator}
	if err := s.Records.Record(r.Context(), checkout.Action{By: v.by(), From: s.Within.Address(r), What: what}); err != nil {
		s.Log.Error("writing down a login", "what", what, "error", err)
	}
}

// operator is who signs in by the password: it is everybody's.
const operator = "operator"

// later asks for the password again, but not now.
func (s *console) later(w http.ResponseWriter, to, why string, status int) {
	w.Header().Set("Retry-After", "12")
	s.ask(w, doorway{to: to, wrong: why, status: status})
}

// right reports whether the password is; in is false if there was no place to
// compute it.
func (s *console) right(r *http.Request) (right, in bool) {
	wait := time.NewTimer(hashPatience)
	defer wait.Stop()
	select {
	case s.hashing <- struct{}{}:
	case <-wait.C:
		return false, false
	case <-r.Context().Done():
		return false, false
	}
	defer func() { <-s.hashing }()
	return password.Matches(s.Hash, r.PostFormValue("password")), true
}

// logout is POST /admin/logout.
func (s *console) logout(v *visit) {
	if err := v.proven(); err != nil {
		v.show(v.trouble(err))
		return
	}
	if v.way == byPassword {
		s.note(v.r, "logout")
		if until, ok := s.keys.holds(v.logins[0], v.now()); ok {
			s.ended.end(v.logins[0], until, v.now())
		}
		http.SetCookie(v.w, s.cookie(""))
	}
	v.lead("/admin/login?done=signed-out")
}
