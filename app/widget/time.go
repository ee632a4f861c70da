package widget

import "time"

// FormatTime formats a time of RFC 3339 as "2006-01-02 15:04 UTC", which reads the same in every
// country; "" if it is invalid.
func FormatTime(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04") + " UTC"
}
