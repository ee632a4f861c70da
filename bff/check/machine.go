package check

import (
	"context"
	"fmt"
	"time"
)

// minOpenFiles is how many open files 15,000 sockets need, and what else is open.
const minOpenFiles = 16_384

// machine is its clock, time zone and limits. Whether the clock is right to the
// second, the gateway's answer says.
func (x *checker) machine(context.Context) findings {
	var list findings
	now := x.Now()
	if !x.Built.IsZero() && now.Before(x.Built) {
		list = append(list, fail("clock",
			"it says "+now.UTC().Format(time.DateTime)+", before this program was written",
			"set it: timedatectl set-ntp true"))
	}
	if zone := x.variable("TZ"); zone != "" {
		if _, err := time.LoadLocation(zone); err != nil {
			list = append(list, warn("clock",
				"the time zone of TZ is not known on this machine, so log lines are in UTC",
				"install tzdata or take TZ away"))
		}
	}
	if limit, known := maxOpenFiles(); known && limit < minOpenFiles {
		list = append(list, warn(
			"files", fmt.Sprintf("%d files may be open, and each open page is one", limit),
			"ulimit -n 65536, or LimitNOFILE=65536 for systemd",
		))
	} else if known {
		list = append(
			list, ok("files", fmt.Sprintf("%d may be open, each open page is one", limit)),
		)
	}
	return list
}
