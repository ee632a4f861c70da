package stylesheet

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

func TestJoin(t *testing.T) {
	files := fstest.MapFS{
		"css/2.css": {Data: []byte("b{}\n")}, "css/1-tokens.css": {Data: []byte("a{}\n")}, "css/notes.txt": {Data: []byte("no")}, "docs.css": {Data: []byte("d{}\n")}, "manual.css": {Data: []byte("m{}\n")},
	}
	for name, want := range map[string]string{Checkout: "a{}\nb{}\n", "docs.css": "a{}\nm{}\nd{}\n"} {
		if got, err := Join(files, name); err != nil || string(got) != want {
			t.Errorf("Join(%s) = %q, %v; want %q", name, got, err, want)
		}
	}
	if _, err := Join(files, "doctor.css"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Join without a part: %v; want ErrNotExist", err)
	}
}
