package main

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// go-app brings its own web server, its encryption and its router into every
// program, because one package holds both halves: two fifths of what a shopper
// would download, and never run. The program is therefore compiled with a copy
// of go-app in which a few files are exchanged for those in slim/. Everything
// that components see is untouched, and ./app compiles with the original too.
//
//go:embed slim/*.txt
var slimFiles embed.FS

const (
	goApp = "github.com/maxence-charriere/go-app/v10"
	// slimOf is the hash of the originals that slim/ was written for. With
	// others the program is compiled with go-app as it is, which only costs size.
	slimOf = "25c2b242dab4756f"
)

// slimLost lists files of which nothing is needed.
func slimLost() []string { return []string{"http.go", "wasm.go"} }

// slimReplaced lists files for which slim/ has another.
func slimReplaced() []string { return []string{"crypto.go", "resource.go", "route.go"} }

// slimEdited lists files that use one function of a package that is left out.
func slimEdited() []string { return []string{"context.go", "state.go"} }

// slim writes the copy into folder and returns the flag that makes the compiler
// use it; none if go-app is not the one that slim/ was written for.
func (b *build) slim(folder string) ([]string, error) {
	module, err := b.moduleFolder(goApp)
	if err != nil {
		return nil, err
	}
	original := filepath.Join(module, "pkg", "app")
	sum, err := slimSum(original)
	if err != nil {
		return nil, err
	}
	if sum != slimOf {
		fmt.Fprintf(os.Stderr, "assets: go-app has changed (%s): tools/assets/slim is not used\n", sum)
		return nil, nil
	}
	copied := filepath.Join(folder, "go-app")
	for _, part := range []string{"app", "errors"} {
		if err := copySources(filepath.Join(module, "pkg", part), filepath.Join(copied, "pkg", part)); err != nil {
			return nil, err
		}
	}
	if err := copyFile(filepath.Join(module, "go.mod"), filepath.Join(copied, "go.mod")); err != nil {
		return nil, err
	}
	if err := exchange(filepath.Join(copied, "pkg", "app")); err != nil {
		return nil, err
	}
	return b.moduleFile(folder, copied)
}

// slimSum hashes the originals of everything that is exchanged.
func slimSum(folder string) (string, error) {
	sum := sha256.New()
	for _, list := range [][]string{slimLost(), slimReplaced(), slimEdited()} {
		for _, name := range list {
			content, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				return "", fmt.Errorf("reading go-app: %w", err)
			}
			sum.Write(content)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// exchange takes files out of the copy and puts those of slim/ in.
func exchange(folder string) error {
	for _, name := range slimLost() {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			return fmt.Errorf("leaving a file of go-app out: %w", err)
		}
	}
	for _, name := range slimReplaced() {
		content, err := slimFiles.ReadFile("slim/" + name + ".txt")
		if err != nil {
			return fmt.Errorf("reading a replacement: %w", err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return fmt.Errorf("replacing a file of go-app: %w", err)
		}
	}
	edit := strings.NewReplacer("\t\"github.com/google/uuid\"\n", "", "uuid.NewString()", "newID()")
	for _, name := range slimEdited() {
		path := filepath.Join(folder, name)
		content, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading the copy of go-app: %w", err)
		}
		if err := os.WriteFile(path, []byte(edit.Replace(string(content))), 0o644); err != nil {
			return fmt.Errorf("editing the copy of go-app: %w", err)
		}
	}
	return nil
}

// moduleFile writes a go.mod in which go-app is the copy, and returns the flag
// that names it.
func (b *build) moduleFile(folder, copied string) ([]string, error) {
	for _, name := range []string{"mod", "sum"} {
		if err := copyFile(filepath.Join(b.root, "go."+name), filepath.Join(folder, "slim."+name)); err != nil {
			return nil, err
		}
	}
	file := filepath.Join(folder, "slim.mod")
	command := exec.Command("go", "mod", "edit", "-replace", goApp+"="+copied, file)
	if text, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("writing a module file: %w\n%s", err, text)
	}
	return []string{"-modfile=" + file}, nil
}

// moduleFolder returns where a module's sources are.
func (b *build) moduleFolder(path string) (string, error) {
	command := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path)
	command.Dir = b.root
	text, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", path, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// copySources copies the Go files of one folder, without tests.
func copySources(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		return fmt.Errorf("listing sources: %w", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if err := copyFile(file, filepath.Join(to, filepath.Base(file))); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("copying: %w", err)
	}
	if err := os.WriteFile(to, content, 0o644); err != nil {
		return fmt.Errorf("copying: %w", err)
	}
	return nil
}
