package store

import (
	"strings"

	"coinslot/app/wire"
)

// inStatus is the condition, in SQL, that is holds for a session's status.
func inStatus(is func(wire.Status) bool) string {
	var names []string
	for _, s := range wire.StatusesWhere(is) {
		names = append(names, "'"+string(s)+"'")
	}
	return "status IN (" + strings.Join(names, ", ") + ")"
}
