package check

import (
	"context"
	"fmt"
	"time"
)

// minOpenFiles is what 15,000 sockets and the rest need.
const minOpenFiles = 16_384

// machine checks the clock, the time zone and limits. clockSkew is more exact about the clock.
func (ch *checker) machine(context.Context) (list findings) {
	now := ch.Now()
	if !ch.Built.IsZero() && now.Before(ch.Built) {
		list = fail("clock", "it says "+now.UTC().Format(time.DateTime)+", which is before this "+
			"program was built", "set it: timedatectl set-ntp true")
	}
	if zone := ch.variable("TZ"); zone != "" {
		if _, err := time.LoadLocation(zone); err != nil {
			list = append(list, warn("clock",
				"the time zone of TZ is unknown on this machine: log lines are in UTC",
				"install tzdata or unset TZ")...)
		}
	}

	limit, known := maxOpenFiles()
	text := fmt.Sprintf("at most %d open files; each open page takes one", limit)
	switch {
	case !known:
	case limit < minOpenFiles:
		list = append(list, warn("files", text,
			"ulimit -n 65536, or LimitNOFILE=65536 for systemd")...)
	default:
		list = append(list, ok("files", text)...)
	}

	return list
}
