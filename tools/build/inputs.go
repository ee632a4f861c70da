package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"coinslot/tools/compile"
)

// sourceFolders hold everything that the program is built from, beside go.mod and go.sum. The
// test of deploy/ that compares .dockerignore with what is compiled holds this list too.
var sourceFolders = []string{
	"app", "bff", "docs", "static",
	"tools/assets", "tools/build", "tools/bundle", "tools/compile", "tools/progress",
}

// inputs hashes everything that decides what the program will be: sources, versions of modules,
// the Go release, flags, and the version that it prints. goApp is the folder of go-app, which is
// patched: tools/assets stops the build if it is not what the patches are for.
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

// hashFolder hashes what name has in root, without tests and what is built.
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
		return hashFile(sum, root, path)
	}
	return filepath.WalkDir(filepath.Join(root, name), hash)
}

func hashFile(sum io.Writer, root, path string) error {
	name, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintln(sum, filepath.ToSlash(name), info.Size())
	_, err = io.Copy(sum, file)
	return err
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

// describe describes a finished build: its inputs, the hashes of the program and of the list of the
// browser's files, and how well these are compressed.
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

// upToDate reports whether the program is the one that was built from these inputs. One that is
// compressed better than was asked for will do.
func (b *build) upToDate(inputs string) bool {
	before, err := os.ReadFile(b.recordPath())
	if err != nil {
		return false
	}
	best, err := b.describe(inputs, "best")
	if err != nil {
		return false
	}
	fast, err := b.describe(inputs, "fast")
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
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err)
}
