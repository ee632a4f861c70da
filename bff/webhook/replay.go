package webhook

import (
	"context"
	"time"

	"coinslot/app/wire"
)

// Replayer reads the log of events and sends them again.
type Replayer struct {
	Log
	// Kick makes the sender check for due deliveries now; nil = it waits for its next poll.
	Kick func()
	Now  func() time.Time // nil = time.Now
}

// maxReplay is how many events one request sends again at most.
const maxReplay = 10_000

// ReplayRequest says what is to be sent again: events with From <= At < To.
type ReplayRequest struct {
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Session string    `json:"session"` // empty = all
	Limit   *int      `json:"limit"`   // 1…10,000; nil = 1,000
	// Undelivered leaves out what an endpoint has accepted.
	Undelivered bool `json:"undelivered"`
}

// Resend makes every delivery of a range due now; see [Log]. Errors: *wire.Error with
// CodeInvalid and the name of the member that is wrong; the log's.
func (re *Replayer) Resend(ctx context.Context, r ReplayRequest) (Replayed, error) {
	now := time.Now()
	limit := 0
	if re.Now != nil {
		now = re.Now()
	}
	if r.Limit != nil {
		limit = *r.Limit
	}

	wrong := ""
	switch {
	case r.From.IsZero() || r.From.After(now):
		wrong = "from"
	case !r.To.After(r.From):
		wrong = "to"
	case r.Limit != nil && limit < 1 || limit > maxReplay:
		wrong = "limit"
	}
	if wrong != "" {
		return Replayed{}, &wire.Error{
			Code:   wire.CodeInvalid,
			Param:  wrong,
			Detail: string(wire.CodeInvalid),
		}
	}

	again, err := re.Replay(ctx, Range{
		From:        r.From,
		To:          r.To,
		Session:     r.Session,
		Limit:       limit,
		Undelivered: r.Undelivered,
	}, now)
	if err == nil && re.Kick != nil {
		re.Kick()
	}

	return again, err
}
