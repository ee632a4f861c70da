package quiet

import (
	"bytes"
	"log"
	"os"
	"testing"
)

func TestLines(t *testing.T) {
	var b bytes.Buffer
	l := log.New(lines{&b}, "", 0)
	l.Print("INFO: metrics: disable exposing PSI metrics because of failed init: open /sys/fs/cgroup/cpu.pressure: no such file or directory")
	l.Print("ERROR: metrics: something else")
	if b.String() != "ERROR: metrics: something else\n" {
		t.Errorf("%q", b.String())
	}
	if _, is := log.Writer().(lines); !is {
		t.Errorf("the log goes to %T", log.Writer())
	}
	Restore()
	if file, is := log.Writer().(*os.File); !is || file.Fd() != 2 {
		t.Errorf("after Restore the log goes to %T; want standard error", log.Writer())
	}
}
