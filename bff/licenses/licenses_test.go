package licenses

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"coinslot/bff/fortest"
)

// What the program prints is the file that people read and archives have.
func TestWrite(t *testing.T) {
	want := fortest.Must(os.ReadFile("third-party.txt"))(t)
	var got bytes.Buffer
	fortest.OK(t, Write(&got))
	if !bytes.Equal(got.Bytes(), want) {
		t.Error("third-party.txt.gz is not third-party.txt compressed: go run ./tools/licenses")
	}
}

type brokenPipe struct{}

var errBroken = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteFails(t *testing.T) {
	fortest.Is(t, Write(brokenPipe{}), errBroken, "Write to a broken pipe")
}
