package attention

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/https"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"

	"github.com/shopspring/decimal"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// shop is a small database and a gateway. Its zero value needs no attention.
type shop struct {
	sessions  []payment.Session
	unsettled int // how many there are; zero = those in sessions
	rows      []UnreadableRow
	open      []webhook.Backlog
	unrouted  []webhook.Backlog
	failed    []webhook.DeliveryRow
	origins   []RefusedOrigin
	down      time.Time // since when the gateway is
	err       error     // of the database
}

func (s *shop) Count(_ context.Context, status string) (n int, err error) {
	for _, session := range s.sessions {
		if string(session.Status) == status {
			n++
		}
	}
	return n, s.err
}

func (s *shop) List(_ context.Context, f payment.Filter) (page payment.Page, err error) {
	for _, session := range s.sessions {
		if string(session.Status) == f.Status && len(page.Sessions) < f.Limit {
			page.Sessions = append(page.Sessions, session)
		}
	}
	return page, s.err
}

func (s *shop) Unsettled(_ context.Context, limit int) (list []payment.Session, n int, err error) {
	for _, session := range s.sessions {
		if len(session.Unsettled(nil)) > 0 {
			list = append(list, session)
		}
	}
	return list[:min(len(list), limit)], max(s.unsettled, len(list)), s.err
}

func (s *shop) Unreadable(context.Context, int) ([]UnreadableRow, error) { return s.rows, s.err }

func (s *shop) Unrouted(context.Context) ([]webhook.Backlog, error) { return s.unrouted, s.err }

func (s *shop) Backlogs(context.Context) ([]webhook.Backlog, error) { return s.open, s.err }

func (s *shop) Deliveries(
	context.Context, webhook.DeliveryQuery,
) (webhook.DeliveryPage, error) {
	return webhook.DeliveryPage{Rows: s.failed}, s.err
}

func (s *shop) RefusedOrigins(context.Context) ([]RefusedOrigin, error) { return s.origins, s.err }

func (s *shop) Currencies(context.Context) ([]payment.Currency, error) { return nil, nil }

func (s *shop) GatewayDownSince() time.Time { return s.down }

// session is one with an attempt on which so much was paid of 25.
func session(status wire.Status, state payment.State, paid int64) payment.Session {
	return payment.Session{ID: "cs_1", Status: status, Attempts: []payment.Attempt{{
		Number:         1,
		State:          state,
		CurrencySymbol: "USDT",
		PayAmount:      decimal.NewFromInt(25),
		Paid:           decimal.NewFromInt(paid),
	}}}
}

// summary is what was found, in a line.
func summary(list []Condition) (text string) {
	for _, c := range list {
		grave := map[bool]string{true: "!"}[c.Grave]
		text += fmt.Sprintf("%s%s %d", c.Kind, grave, c.Count)
		for _, item := range c.Items {
			text += strings.TrimRight(" "+item.ID+" "+item.Amount, " ")
		}
		text += "; "
	}
	return text
}

const hook = "https://shop.example/hooks"

// What needs attention is found; what is usual in a busy shop is not.
func TestFind(t *testing.T) {
	canceled := session(wire.Confirmed, payment.Confirmed, 25)
	canceled.ClosedBy = payment.ClosedByMerchant
	takenBack := session(wire.Confirmed, payment.Confirmed, 25)
	takenBack.Attempts[0].Alert = "confirmation_taken_back"
	takenBack.Attempts[0].Regressions = 3
	pending := session(wire.Preparing, payment.Creating, 0)

	pays := func(list ...payment.Session) shop { return shop{sessions: list} }
	sends := func(b webhook.Backlog) shop {
		b.Endpoint = hook
		return shop{open: []webhook.Backlog{b}}
	}
	refused := func(o RefusedOrigin) shop { return shop{origins: []RefusedOrigin{o}} }

	for name, c := range map[string]struct {
		shop shop
		want string
	}{
		"a calm shop": {shop{}, ""},
		"a payment in review": {
			pays(session(wire.Review, payment.InReview, 25)), "review! 1 cs_1; ",
		},
		"a paid one": {pays(session(wire.Confirmed, payment.Confirmed, 25)), ""},
		"an overpaid one": {
			pays(session(wire.Confirmed, payment.Confirmed, 30)), "overpaid 1 cs_1 5; ",
		},
		"one that was taken back": {pays(takenBack), "taken_back! 1 cs_1 25; "},
		"part of an ended one": {
			pays(session(wire.Expired, payment.Expired, 5)), "ended_money 1 cs_1 5; ",
		},
		"a canceled one was paid": {pays(canceled), "ended_money 1 cs_1 25; "},
		"two are being prepared":  {pays(pending, pending), ""},
		"three are":               {pays(pending, pending, pending), "preparing 3; "},

		"an unreadable row": {
			shop{rows: []UnreadableRow{{ID: "evt_1"}}}, "unreadable! 1 evt_1; ",
		},
		"a gateway that is away": {shop{down: noon.Add(-time.Hour)}, "gateway! 0; "},

		"a webhook on its way": {
			sends(webhook.Backlog{Waiting: 1, OldestAt: noon.Add(-time.Second)}), "",
		},
		"one that has failed": {sends(webhook.Backlog{Waiting: 2, Retrying: 1}), "waiting 2; "},
		"one that is late": {
			sends(webhook.Backlog{Waiting: 1, OldestAt: noon.Add(-6 * time.Minute)}), "waiting 1; ",
		},
		"one that was given up": {sends(webhook.Backlog{Abandoned: 3}), "abandoned! 3; "},
		"one to no known URL": {
			shop{unrouted: []webhook.Backlog{{Endpoint: hook, Waiting: 4}}}, "unrouted! 4; ",
		},

		"a refused page": {
			refused(RefusedOrigin{Origin: "o", Sessions: 1, LastAt: noon}), "origins 1 o; ",
		},
		"one of a stranger": {refused(RefusedOrigin{Origin: "o", LastAt: noon}), ""},
		"one of yesterday": {
			refused(RefusedOrigin{Origin: "o", Sessions: 1, LastAt: noon.AddDate(0, 0, -1)}), "",
		},
	} {
		f := Finder{Stored: &c.shop, Gateway: &c.shop}
		found, err := f.Find(t.Context(), noon)
		fortest.OK(t, err)
		fortest.Equal(t, summary(found), c.want, "%s", name)
	}
}

// A list that is cut is not complete.
func TestFindMany(t *testing.T) {
	s := shop{
		sessions:  []payment.Session{session(wire.Confirmed, payment.Confirmed, 30)},
		unsettled: 150,
	}
	found := fortest.Must((&Finder{Stored: &s, Gateway: &s}).Find(t.Context(), noon))(t)
	fortest.Equal(t, found[0].Complete(), false, "complete")
}

// What was taken back is found below many newer payments.
func TestFindTakenBackAmongMany(t *testing.T) {
	var s shop
	for range 2 * MaxItems {
		s.sessions = append(s.sessions, session(wire.Confirmed, payment.Confirmed, 30))
	}
	takenBack := session(wire.Confirmed, payment.Confirmed, 25)
	takenBack.Attempts[0].Alert = "confirmation_taken_back"
	takenBack.Attempts[0].Regressions = 3
	s.sessions = append(s.sessions, takenBack)

	found := fortest.Must((&Finder{Stored: &s, Gateway: &s}).Find(t.Context(), noon))(t)
	fortest.Equal(t, summary(found[:1]), "taken_back! 1 cs_1 25; ", "the gravest")
}

// Disk and certificate are looked at where the program has them.
func TestFindOfTheMachine(t *testing.T) {
	const day = 24 * time.Hour
	in := noon.Add
	for name, c := range map[string]struct {
		free   int64
		health https.Health
		want   string
	}{
		"all well":    {leastFree, https.Health{Expires: in(60 * day)}, ""},
		"PostgreSQL":  {-1, https.Health{Expires: in(60 * day)}, ""},
		"a full disk": {leastFree - 1, https.Health{Expires: in(60 * day)}, "disk! 0; "},
		"a renewal that fails": {
			-1, https.Health{Expires: in(20 * day), FailingSince: noon}, "certificate 0; ",
		},
		"on the last day": {
			-1, https.Health{Expires: in(day - 1), FailingSince: noon}, "certificate! 0; ",
		},
		"no certificate yet":    {-1, https.Health{}, ""},
		"none can be had":       {-1, https.Health{FailingSince: noon}, "certificate! 0; "},
		"a short one, not late": {-1, https.Health{Expires: in(2 * day)}, ""},
	} {
		s := shop{}
		f := Finder{
			Stored:      &s,
			Gateway:     &s,
			DiskFree:    func() int64 { return c.free },
			Certificate: func() https.Health { return c.health },
		}
		found := fortest.Must(f.Find(t.Context(), noon))(t)
		fortest.Equal(t, summary(found), c.want, "%s", name)
	}
}

// An endpoint that has answered 410 is one condition, whatever waits for it.
func TestFindGone(t *testing.T) {
	s := shop{open: []webhook.Backlog{{Endpoint: hook, Waiting: 2, Retrying: 1, Abandoned: 1}}}
	f := Finder{Stored: &s, Gateway: &s, Gone: func() []string { return []string{hook} }}
	found := fortest.Must(f.Find(t.Context(), noon))(t)
	fortest.Equal(t, summary(found), "gone! 0; ", "found")
}

// The newest answer of an endpoint is named.
func TestFindLastAnswer(t *testing.T) {
	s := shop{
		open: []webhook.Backlog{{Endpoint: hook, Waiting: 1, Retrying: 1}},
		failed: []webhook.DeliveryRow{
			{Endpoint: "https://other.example/", Status: 500},
			{Endpoint: hook},
			{Endpoint: hook, Status: 418},
		},
	}
	found := fortest.Must((&Finder{Stored: &s, Gateway: &s}).Find(t.Context(), noon))(t)
	fortest.Equal(t, found[0].Error, "418 I'm a teapot", "the answer")
}

// Without the database nothing is known, which is not the same as nothing needs attention.
func TestFindWithoutDatabase(t *testing.T) {
	s := shop{err: errors.New("away")}
	_, err := (&Finder{Stored: &s, Gateway: &s}).Find(t.Context(), noon)
	fortest.Is(t, err, s.err, "Find")
}
