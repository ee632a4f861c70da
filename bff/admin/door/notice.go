package door

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

// noticeStays is how long an address says what was done.
const noticeStays = time.Minute

// notice is what, with until when a page says it, a text that makes it one of its
// own (the same may be done twice in a second), and a mark that nobody else can make.
func (k keys) notice(login, path, what string, now time.Time) string {
	body := what + "." + strconv.FormatInt(now.Add(noticeStays).Unix(), 10) + "." + rand.Text()
	return body + "." + coded(mac(k.forms, "notice", login, path, body))
}

// noticed is what a notice says, if it is one of that login's for that page and has
// not run out; else "".
func (k keys) noticed(login, path, notice string, now time.Time) (what string, until time.Time) {
	end := strings.LastIndexByte(notice, '.')
	if end < 0 ||
		!hmac.Equal(
			[]byte(notice[end+1:]),
			[]byte(coded(mac(k.forms, "notice", login, path, notice[:end]))),
		) {
		return "", until
	}
	what, rest, _ := strings.Cut(notice[:end], ".")
	seconds, _, _ := strings.Cut(rest, ".")
	unix, err := strconv.ParseInt(seconds, 10, 64) // signed: it is a number
	if until = time.Unix(unix, 0); err != nil || !now.Before(until) {
		return "", until
	}
	return what, until
}

// Notice returns what an address has as its "done", so that the page there says what
// was done: once, within a minute, and to this visitor. what holds no ".".
func (d *Door) Notice(v *Visitor, to, what string) string {
	if what == "" {
		return ""
	}
	return d.keys.notice(v.logins[0], pathOf(to), what, d.Now())
}

// Noticed returns what the page u has to say, "" for nothing: a link that somebody
// else has made, one for another page, and a reload make it say nothing.
func (d *Door) Noticed(v *Visitor, u *url.URL) string {
	for _, login := range v.logins {
		if what := d.say(login, u); what != "" {
			return what
		}
	}
	return ""
}

// say is Noticed for one login; that of who has just signed out is "".
func (d *Door) say(login string, u *url.URL) string {
	text := u.Query().Get("done")
	what, until := d.keys.noticed(login, u.EscapedPath(), text, d.Now())
	if what == "" || !d.said.first(text, until, d.Now()) {
		return ""
	}
	return what
}

// said are notices that a page of this instance has shown and that would still hold.
type said struct {
	mu   sync.Mutex // guards list
	list map[string]time.Time
}

// first reports whether a notice that holds until then is said for the first time.
func (s *said) first(notice string, until, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil {
		s.list = map[string]time.Time{}
	}
	maps.DeleteFunc(s.list, func(_ string, until time.Time) bool { return !now.Before(until) })
	_, before := s.list[notice]
	s.list[notice] = until
	return !before
}

// pathOf is an address without its query.
func pathOf(address string) string {
	path, _, _ := strings.Cut(address, "?")
	return path
}
