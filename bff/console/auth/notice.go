package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// noticeLifetime is how long the address of a page shows a notice.
const noticeLifetime = time.Minute

// signNotice is what, with until when a page says it, a text that makes it unique (the same
// may be done twice in a second), and a signature.
func (k keys) signNotice(login, path, what string, now time.Time) string {
	body := what + "." + strconv.FormatInt(now.Add(noticeLifetime).Unix(), 10) + "." + rand.Text()
	return body + "." + encode(mac(k.forms, "notice", login, path, body))
}

// readNotice is what a notice says, if it is one of that login's for that page and has
// not run out; else "".
func (k keys) readNotice(login, path, notice string, now time.Time) (what string, until time.Time) {
	end := strings.LastIndexByte(notice, '.')
	if end < 0 || !hmac.Equal([]byte(notice[end+1:]),
		[]byte(encode(mac(k.forms, "notice", login, path, notice[:end])))) {
		return "", until
	}

	what, rest, _ := strings.Cut(notice[:end], ".")
	seconds, _, _ := strings.Cut(rest, ".")
	unix, err := strconv.ParseInt(seconds, 10, 64) // signed: it is a number
	until = time.Unix(unix, 0)
	if err != nil || !now.Before(until) {
		return "", until
	}

	return what, until
}

// SignNotice returns the "done" parameter that makes the page at to show the notice what:
// once, within a minute, and to this operator. what has no "."; "" = nothing.
func (a *Authenticator) SignNotice(o *Operator, to, what string) string {
	if what == "" {
		return ""
	}
	path, _, _ := strings.Cut(to, "?")
	return a.keys.signNotice(o.logins[0], path, what, a.site.Now())
}

// ReadNotice returns the notice for the page u; "" if there is none, if the link is another
// operator's or another page's, and on a reload.
func (a *Authenticator) ReadNotice(o *Operator, u *url.URL) string {
	for _, login := range o.logins {
		if what := a.readNotice(login, u); what != "" {
			return what
		}
	}
	return ""
}

// readNotice is ReadNotice for one login; that of who has just signed out is "".
func (a *Authenticator) readNotice(login string, u *url.URL) string {
	text := u.Query().Get("done")
	what, until := a.keys.readNotice(login, u.EscapedPath(), text, a.site.Now())
	if what == "" || !a.shown.add(text, until, a.site.Now()) {
		return ""
	}
	return what
}

// shownNotices are those that a page of this instance has shown and that are still valid.
type shownNotices struct {
	mu    sync.Mutex           // guards until
	until map[string]time.Time // when each runs out
}

// add reports whether a notice that is valid until then is shown for the first time.
func (s *shownNotices) add(notice string, until, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until == nil {
		s.until = map[string]time.Time{}
	}
	maps.DeleteFunc(s.until, func(_ string, until time.Time) bool { return !now.Before(until) })
	_, before := s.until[notice]
	s.until[notice] = until
	return !before
}
