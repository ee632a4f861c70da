package stylesheet

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"
)

func TestCheckout(t *testing.T) {
	files := fstest.MapFS{
		"css/2.css": {Data: []byte("b{}\n")}, "css/1.css": {Data: []byte("a{}\n")}, "css/notes.txt": {Data: []byte("no")}, "other.css": {Data: []byte("no")},
	}
	got, err := Checkout(files)
	if err != nil || string(got) != "a{}\nb{}\n" {
		t.Errorf("Of = %q, %v", got, err)
	}
	if _, err := Checkout(fstest.MapFS{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Of nothing: %v; want ErrNotExist", err)
	}
}

// TestParts holds that each part can be read at one sitting.
func TestParts(t *testing.T) {
	names, err := fs.Glob(os.DirFS(".."), "css/*.css")
	if err != nil || len(names) < 5 {
		t.Fatalf("%d parts, %v", len(names), err)
	}
	for _, name := range names {
		part, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(part, []byte("\n")); lines >= 300 || !bytes.HasPrefix(part, []byte("/* ")) {
			t.Errorf("%s has %d lines; want fewer than 300, and first what it is about", name, lines)
		}
	}
}
