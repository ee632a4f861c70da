package main

import (
	"os"
	"slices"
	"testing"
)

// TestSecurityPage: every proof that docs/security.md names is a test.
func TestSecurityPage(t *testing.T) {
	page, err := os.ReadFile("../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	named, tests := proof.FindAllStringSubmatch(string(page), -1), map[string][]string{}
	if len(named) < 20 {
		t.Errorf("%d proofs; a control without one is a claim", len(named))
	}
	for _, p := range named {
		if tests[p[1]] == nil {
			tests[p[1]] = testsOf(t, "../"+p[1])
		}
		if !slices.Contains(tests[p[1]], p[2]) {
			t.Errorf("%s has no test function %s", p[1], p[2])
		}
	}
}
