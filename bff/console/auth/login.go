package auth

import (
	"net/http"
	"net/netip"
	"time"

	"coinslot/bff/console/auth/password"
	"coinslot/bff/web"
)

// Logins are guarded by their price and their number: a client may try a few
// times in a minute, and only so many hashes are computed at a time, each of
// which takes 19 MiB.
const (
	loginsPerMinute = 10
	// networkLoginsPerMinute is how often all clients of an IPv6 /48 may try together: one
	// such network has 65,536 networks that count as clients, enough to keep everybody out.
	networkLoginsPerMinute = 30
	// failuresPerMinute is how many wrong passwords of all clients are written to the
	// audit log, which keeps them for long; the server's log has every one.
	failuresPerMinute = 10
	concurrentHashes  = 2
	maxHashWait       = 5 * time.Second
)

// sharedName is the name of everybody who signs in by the password.
const sharedName = "operator"

// LoginPage is GET /admin/login.
func (a *Authenticator) LoginPage(w http.ResponseWriter, r *http.Request) {
	o, err := a.operator(r)
	if err == nil && o != nil {
		http.Redirect(w, r, "/admin", http.StatusSeeOther)
		return
	}
	a.askToSignIn(w, r)
}

// askToSignIn shows the sign-in form at the requested address.
func (a *Authenticator) askToSignIn(w http.ResponseWriter, r *http.Request) {
	if a.Hash == "" {
		a.Render(w, Screen{
			Title:  "Not signed in",
			Status: http.StatusForbidden,
			Message: "You sign in to this console through a proxy that sets " + a.Header +
				". This request came without it.",
		})
		return
	}

	s := Screen{
		To:            requestedPath(r),
		Status:        http.StatusForbidden,
		MaybeSignedIn: fromOtherSite(r),
		SignedOut:     a.readNotice("", r.URL) == signedOut,
	}
	switch {
	case r.Method == http.MethodPost:
		s.Error = "You are no longer signed in. Nothing was changed: sign in and try again."
	case s.To == "/admin": // the first visit
		s.Status = http.StatusOK
	}

	a.renderForm(w, s)
}

// renderForm writes the sign-in page.
func (a *Authenticator) renderForm(w http.ResponseWriter, s Screen) {
	s.Title = "Sign in"
	s.Username = sharedName
	a.Render(w, s)
}

// Login is POST /admin/login, guarded.
func (a *Authenticator) Login(w http.ResponseWriter, r *http.Request) {
	to := consolePath(r.PostFormValue("to"))
	client, _ := web.ClientKeys(a.site.Client(r))
	if a.Hash == "" {
		http.Redirect(w, r, "/admin/login", http.StatusSeeOther)
		return
	}
	if a.byClient.OnLimit(w, r, client) || a.byNetwork.OnLimit(w, r, networkOf(client)) {
		a.renderRetry(w, to, "Too many attempts. Wait a minute.", http.StatusTooManyRequests)
		return
	}

	matches, computed := a.checkPassword(r)
	switch {
	case !computed:
		a.renderRetry(w, to, "Too many sign-ins right now. Try again in a few seconds.",
			http.StatusServiceUnavailable)
	case !matches:
		a.site.Log.Warn("wrong console password", "client", client)
		if !a.recorded.OnLimit(w, r, "") {
			a.Record(r, sharedName, "login.failed")
		}
		a.renderForm(w, Screen{To: to, Error: "Wrong password.", Status: http.StatusForbidden})
	default:
		a.Record(r, sharedName, "login")
		http.SetCookie(w, a.cookie(a.keys.newLogin(a.site.Now())))
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}

// networkOf is the /48 of a client of IPv6, and any other client itself.
func networkOf(client string) string {
	p, err := netip.ParsePrefix(client)
	if err != nil || p.Addr().Is4() {
		return client
	}
	wide, _ := p.Addr().Prefix(48) // any IPv6 address has one
	return wide.String()
}

// renderRetry writes the page for too many attempts.
func (a *Authenticator) renderRetry(w http.ResponseWriter, to, why string, status int) {
	w.Header().Set("Retry-After", "12")
	a.renderForm(w, Screen{To: to, Error: why, Status: status})
}

// checkPassword reports whether the password is right; computed is false if too many others
// were being checked for [maxHashWait], for which it blocks, or the client has gone.
func (a *Authenticator) checkPassword(r *http.Request) (matches, computed bool) {
	wait := time.NewTimer(maxHashWait)
	defer wait.Stop()
	select {
	case a.hashing <- struct{}{}:
	case <-wait.C:
		return false, false
	case <-r.Context().Done():
		return false, false
	}
	defer func() { <-a.hashing }()
	return password.Matches(a.Hash, r.PostFormValue("password")), true
}

// signedOut is the notice after a sign-out.
const signedOut = "signed-out"

// Logout is POST /admin/logout of an operator, from one of their forms.
func (a *Authenticator) Logout(w http.ResponseWriter, r *http.Request, o *Operator) {
	if o.CanSignOut {
		a.Record(r, o.Name, "logout")
		http.SetCookie(w, a.cookie(""))
		if err := a.endLogin(r, o.logins[0]); err != nil {
			a.site.Log.Error("ending a console login failed", "error", err)
			a.Render(w, Screen{
				Title:  "Signed out here only",
				Status: http.StatusServiceUnavailable,
				Message: "This browser is signed out, but the database could not save it: a copy " +
					"of the cookie would still work for 12 hours after the sign-in. If there " +
					"may be one, change the password.",
			})
			return
		}
	}

	notice := a.keys.signNotice("", "/admin/login", signedOut, a.site.Now())
	http.Redirect(w, r, "/admin/login?done="+notice, http.StatusSeeOther)
}

// endLogin ends a login at all instances.
func (a *Authenticator) endLogin(r *http.Request, login string) error {
	until, ok := a.keys.validLogin(login, a.site.Now())
	if !ok {
		return nil
	}
	return a.Logins.EndLogin(r.Context(), loginID(login), until)
}
