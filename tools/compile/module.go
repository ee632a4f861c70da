package compile

import (
	"encoding/json"
	"fmt"
	"os/exec"
)

// GoApp is the module that is patched for the browser (docs/patches.md).
const GoApp = "github.com/maxence-charriere/go-app/v10"

// Module is a module that go.mod requires, as the Go command has downloaded it.
type Module struct {
	Path, Version string
	Dir           string // of its sources, which are read-only
	Sum           string // its hash in go.sum, "h1:…"
}

// FindModule returns a module that the go.mod in root requires, after downloading it if necessary.
//
// Errors: the download failed; its hash differs from go.sum.
func FindModule(root, path string) (Module, error) {
	command := exec.Command("go", "mod", "download", "-json", path)
	command.Dir, command.Env = root, Env("", "")
	text, err := command.Output()
	var found struct {
		Module
		Error string
	}
	if decoding := json.Unmarshal(text, &found); decoding == nil && found.Error != "" {
		return Module{}, fmt.Errorf("downloading %s: %s", path, found.Error)
	}
	if err != nil {
		return Module{}, fmt.Errorf("downloading %s: %w", path, err)
	}
	if found.Dir == "" {
		return Module{}, fmt.Errorf("downloading %s: the Go command returned no folder", path)
	}
	return found.Module, nil
}
