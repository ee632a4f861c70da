package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"coinslot/tools/compile"
)

// sourceFolders are the sources of the program besides go.mod and go.sum. A test in deploy/
// compares them with .dockerignore.
var sourceFolders = []string{
	"app", "bff", "docs", "static",
	"tools/assets", "tools/build", "tools/bundle", "tools/compile", "tools/progress",
}

// inputs hashes everything that determines the program: sources, module versions, Go release,
// flags, and its version. goApp is the folder of go-app.
func (b *build) inputs(goApp string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), compile.Flags(), b.system, b.arch, b.version)
	for _, name := range append([]string{"go.mod", "go.sum"}, sourceFolders...) {
		if err := b.hashFolder(sum, b.root, name); err != nil {
			return "", fmt.Errorf("reading the sources: %w", err)
		}
	}
	if err := b.hashFolder(sum, goApp, "pkg"); err != nil {
		return "", fmt.Errorf("reading go-app: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// hashFolder hashes a file or folder in root without tests and built files.
func (b *build) hashFolder(sum io.Writer, root, name string) error {
	hash := func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || path == b.path("static/dist")):
			return filepath.SkipDir
		case entry.IsDir() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return compile.HashFile(sum, root, path)
	}
	return filepath.WalkDir(filepath.Join(root, name), hash)
}

// recordPath is the file that says what the program was last built from.
func (b *build) recordPath() string { return filepath.Join(b.root, ".cache", "build.record") }

// path is a file by its name from the module's folder.
func (b *build) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(b.root, name)
}

// describe returns the content of the record of a finished build: inputs, compression, and hashes
// of the program and of the manifest.
func (b *build) describe(inputs, compression string) (string, error) {
	text := inputs + " " + compression
	for _, name := range []string{b.out, filepath.Join("static", "dist", "manifest.json")} {
		sum, err := fileSum(b.path(name))
		if err != nil {
			return "", fmt.Errorf("reading what was built: %w", err)
		}
		text += " " + sum
	}
	return text, nil
}

// upToDate reports whether the present program was built from these inputs, with the requested
// compression or a better one.
func (b *build) upToDate(inputs string) bool {
	before, err := os.ReadFile(b.recordPath())
	if err != nil {
		return false
	}
	best, err := b.describe(inputs, "best")
	fast := strings.Replace(best, " best ", " fast ", 1)
	return err == nil && (string(before) == best || b.fast && string(before) == fast)
}

// writeRecord writes the record.
func (b *build) writeRecord(inputs string) error {
	compression := "best"
	if b.fast {
		compression = "fast"
	}
	text, err := b.describe(inputs, compression)
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.recordPath(), []byte(text), 0o644); err != nil {
		return fmt.Errorf("recording what was built: %w", err)
	}
	return nil
}

func fileSum(path string) (string, error) {
	content, err := os.ReadFile(path)
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), err
}
