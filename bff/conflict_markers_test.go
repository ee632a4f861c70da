package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"coinslot/bff/fortest"
)

// conflictMarker is a line that an unresolved merge leaves.
// Source: git help merge, "How conflicts are presented".
var conflictMarker = regexp.MustCompile(`(?m)^(?:<{7}|\|{7}|>{7}) .*$|^={7}\r?$`)

// TestNoConflictMarkers: no file of the repository holds both sides of an unresolved merge.
func TestNoConflictMarkers(t *testing.T) {
	for _, name := range sources(t) {
		info := fortest.Must(os.Lstat(filepath.Join("..", name)))(t)
		if !info.Mode().IsRegular() {
			continue
		}

		content := fortest.Must(os.ReadFile(filepath.Join("..", name)))(t)
		if found := conflictMarker.Find(content); found != nil {
			t.Errorf("%s has a conflict marker: %s", name, found)
		}
	}
}

func TestConflictMarker(t *testing.T) {
	for line, want := range map[string]bool{
		"<<<<<<< HEAD": true, "||||||| 49bad0fd": true, "=======": true, "=======\r": true,
		">>>>>>> 49bad0fd (a commit)": true, "======": false, "========": false,
		"a =======": false, "<<<<<<<": false, "<<< a": false,
	} {
		text := "before\n" + line + "\nafter\n"
		fortest.Equal(t, conflictMarker.MatchString(text), want, "%q is a marker", line)
	}
}
