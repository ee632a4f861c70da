// Package retryafter reads the HTTP header Retry-After.
package retryafter

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Parse returns how long a Retry-After header asks to wait, in seconds or until an HTTP date, but
// at least least and at most most. Zero = the header is absent or unreadable.
// Source: RFC 9110, section 10.2.3.
func Parse(header string, now time.Time, least, most time.Duration) time.Duration {
	header = strings.TrimSpace(header)
	if header == "" {
		return 0
	}
	if strings.Trim(header, "0123456789") == "" {
		seconds, err := strconv.ParseInt(header, 10, 64)
		if err != nil || seconds > int64(most/time.Second) {
			return most // digits that do not parse are too many
		}
		return max(least, time.Duration(seconds)*time.Second)
	}

	date, err := http.ParseTime(header)
	if err != nil {
		return 0
	}

	return min(max(least, date.Sub(now)), most)
}
