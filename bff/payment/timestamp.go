package payment

import (
	"encoding/json"
	"time"
)

// timestampLayout is the form of every time in the API, webhooks and the view: RFC 3339 in UTC with
// three fractional digits, as JavaScript writes it. Strict parsers fail on changing numbers of
// digits, which time.Time has.
const timestampLayout = "2006-01-02T15:04:05.000Z"

// FormatTime returns t in the form of the API.
func FormatTime(t time.Time) string { return t.UTC().Format(timestampLayout) }

// Timestamp is a time that is written in the form of the API.
type Timestamp struct{ time.Time }

// MarshalJSON returns the time as a JSON string.
func (t Timestamp) MarshalJSON() ([]byte, error) { return json.Marshal(FormatTime(t.Time)) }

// TimestampOrNil returns nil for the zero time.
func TimestampOrNil(t time.Time) *Timestamp {
	if t.IsZero() {
		return nil
	}
	return &Timestamp{t}
}

func timestampOf(t *time.Time) *Timestamp {
	if t == nil {
		return nil
	}
	return &Timestamp{*t}
}

// MarshalJSON returns o with its times in the form of the API.
func (o Object) MarshalJSON() ([]byte, error) {
	type plain Object
	type entry struct {
		At     Timestamp `json:"at"`
		By     string    `json:"by"`
		What   string    `json:"what"`
		Detail string    `json:"detail,omitempty"`
	}
	timeline := make([]entry, 0, len(o.Timeline))
	for _, e := range o.Timeline {
		timeline = append(timeline, entry{Timestamp{e.At}, e.By, e.What, e.Detail})
	}

	return json.Marshal(struct {
		plain
		CreatedAt Timestamp  `json:"created_at"`
		ExpiresAt Timestamp  `json:"expires_at"`
		CheckedAt *Timestamp `json:"checked_at"`
		ErasedAt  *Timestamp `json:"erased_at,omitempty"`
		Timeline  []entry    `json:"timeline"`
	}{
		plain(o), Timestamp{o.CreatedAt}, Timestamp{o.ExpiresAt}, timestampOf(o.CheckedAt),
		timestampOf(o.ErasedAt), timeline,
	})
}

// MarshalJSON returns a with its times in the form of the API.
func (a AttemptObject) MarshalJSON() ([]byte, error) {
	type plain AttemptObject
	return json.Marshal(struct {
		plain
		CreatedAt Timestamp  `json:"created_at"`
		ExpiresAt *Timestamp `json:"expires_at"`
		PaidAt    *Timestamp `json:"paid_at"`
	}{
		plain(a), Timestamp{a.CreatedAt}, timestampOf(a.ExpiresAt), timestampOf(a.PaidAt),
	})
}

// MarshalJSON returns r with its time in the form of the API.
func (r RefundObject) MarshalJSON() ([]byte, error) {
	type plain RefundObject
	return json.Marshal(struct {
		plain
		RecordedAt Timestamp `json:"recorded_at"`
	}{plain(r), Timestamp{r.RecordedAt}})
}
