package goal

import (
	"path/filepath"
	"testing"

	"coinslot/bff/fortest"
)

// An interrupted run continues after what it has saved; any other run starts anew.
func TestResume(t *testing.T) {
	saved := Result{Goal: "x", Rounds: 20, Seed: 7, Counts: map[string]int{"sessions": 3}}
	fresh, same := Result{Goal: "x", Seed: 8}, Result{Goal: "x", Rounds: 20, Seed: 8}
	for _, c := range []struct {
		name   string
		rounds int
		seed   string
		last   Result
		want   Result
	}{
		{name: "interrupted", rounds: 50, last: saved, want: saved},
		{name: "same seed", rounds: 50, seed: "8", last: same, want: same},
		{name: "other seed", rounds: 50, seed: "8", last: saved, want: fresh},
		{name: "complete", rounds: 20, last: saved, want: fresh},
		{name: "violated", rounds: 50, last: Result{Goal: "x", Rounds: 20, Violations: 1}, want: fresh},
		{name: "other goal", rounds: 50, last: Result{Goal: "y", Rounds: 20}, want: fresh},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("TORTURE_LEDGER", filepath.Join(t.TempDir(), "results"))
			t.Setenv("TORTURE_SEED", c.seed)
			fortest.Diff(t, Resume(t, fresh, c.rounds), fresh, "without results")
			if c.last.Goal == "x" {
				Save(t, Result{Goal: "x", Rounds: 10, Seed: 6})
			}
			Save(t, c.last)
			fortest.Diff(t, Resume(t, fresh, c.rounds), c.want, "resumed")
		})
	}
}
