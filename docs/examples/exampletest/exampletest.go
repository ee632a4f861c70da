// Package exampletest runs the samples that docs link to in several languages, and
// holds the pages to the files that were run.
package exampletest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"

	"github.com/evanw/esbuild/pkg/api"
)

// Sample is one file in one language.
type Sample struct {
	Language, File string
	// Commands may run it: the first that is there and has what the sample needs.
	Commands []string
	// Needs are arguments with which a command tells that it has it.
	Needs []string
	// Run is a program around the sample, whose path is its argument. It answers every case of its
	// input on a line of its own, and ends at an error which the sample does not name.
	Run string
}

// command finds what runs the sample.
func (s Sample) command(t *testing.T) string {
	for _, command := range s.Commands {
		if exec.Command(command, s.Needs...).Run() == nil {
			return command
		}
	}
	need.Tool(t, need.Missing(s.Language+", or what the sample needs of it,", "install-all"))
	return ""
}

// Answers runs the sample in folder with the cases as JSON, and returns what it
// said of each. An answer for each case or none: any other count fails the test.
func (s Sample) Answers(t *testing.T, folder string, cases any, count int) []string {
	t.Helper()
	input := fortest.Must(json.Marshal(cases))(t)
	file := fortest.Must(filepath.Abs(filepath.Join(folder, s.File)))(t)
	run := filepath.Join(t.TempDir(), "run"+filepath.Ext(s.File))
	fortest.OK(t, os.WriteFile(run, []byte(s.Run), 0o600))
	var errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), s.command(t), run, file)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &errs
	out, err := cmd.Output()
	said := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(said) != count {
		t.Fatalf("%v after %d answers to %d cases: %s", err, len(said), count, errs.String())
	}
	return said
}

// Bundle compiles a TypeScript file, with the client of npm/ if it imports that, and returns the
// path of a module for Node.
func Bundle(t *testing.T, file string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "bundle.mjs")
	source := fortest.Must(filepath.Abs("../npm/server/src/index.ts"))(t)
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{file}, Bundle: true, Format: api.FormatESModule, Target: api.ES2022,
		Platform: api.PlatformNode, Outfile: out, Write: true,
		Alias: map[string]string{"@coinslot/server": source},
	})
	for _, message := range built.Errors {
		t.Fatalf("bundling %s: %s", file, message.Text)
	}
	return out
}

// Linked holds a page to the files in folder, those of samples and one in Go: it links to each of
// them, and there are no others.
func Linked(t *testing.T, page, folder, inGo string, samples []Sample) {
	t.Helper()
	text := fortest.Must(os.ReadFile(page))(t)
	from := fortest.Must(filepath.Rel(filepath.Dir(page), folder))(t)
	files := []string{inGo}
	for _, s := range samples {
		files = append(files, s.File)
	}
	for _, file := range files {
		fortest.Has(t, page+" does not link to "+file, string(text),
			"]("+filepath.ToSlash(filepath.Join(from, file))+")")
	}
	there, err := os.ReadDir(folder)
	if err != nil || len(there) != len(files) {
		t.Errorf("%d files in %s, %v; want %d", len(there), folder, err, len(files))
	}
}
