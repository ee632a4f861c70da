package server

import (
	"context"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/alert"
	"coinslot/bff/attention"
	"coinslot/bff/config"
)

// findAttention creates what finds conditions, for the console and alerts, and the alerts, if any.
func (s *Server) findAttention(c config.Config, o Options) {
	s.attention = &attention.Finder{
		Stored:      s.store,
		Gateway:     s.checkout,
		Exchange:    s.exchange,
		Gone:        s.sender.Gone,
		Certificate: s.certificate,
		DiskFree: func() int64 {
			_, free := s.store.Disk()
			return free
		},
	}
	if len(c.Alerts) == 0 {
		return
	}

	s.alerts = alert.New(alert.Config{
		Store:        s.store,
		Find:         s.attention.Find,
		Orders:       s.ordersOf,
		Targets:      c.Alerts,
		Mail:         c.Mail,
		AllowPrivate: c.AllowPrivateWebhooks,
		Origin:       c.PublicURL,
		Daily:        c.AlertsDaily,
		Zone:         c.Timezone,
		Shared:       s.store.Shared(),
		Count:        s.metrics.CountAlert,
		Now:          s.store.Now,
		Log:          o.Log,
	})
	s.attention.Alerts = s.alerts.Failing
}

// ordersOf counts the orders of a day.
func (s *Server) ordersOf(ctx context.Context, from, to time.Time) (alert.Orders, error) {
	counts, err := s.store.Tally(ctx, from, to)
	if err != nil {
		return alert.Orders{}, err
	}

	var o alert.Orders
	for _, c := range counts {
		o.Opened += c.Sessions
		if c.Status == string(wire.Confirmed) {
			o.Paid += c.Sessions
			o.PaidUSD = o.PaidUSD.Add(c.AmountUSD)
		}
	}
	return o, nil
}
