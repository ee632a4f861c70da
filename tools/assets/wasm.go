package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// wasmFlags returns how the WebAssembly program is compiled; it is part of the
// stamp.
//
// -l turns inlining off: the program spends its time in the browser's own code,
// and a shopper waits for the download.
func wasmFlags() []string {
	return []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-gcflags=all=-l"}
}

// wasm builds the WebAssembly program, unless the last build was of the same
// sources. Its plain form is not kept: it is seven times the size, and every
// browser that runs it accepts a compressed one.
func (b *build) wasm() error {
	stamp, err := b.stamp()
	if err != nil {
		return err
	}
	b.manifest.Stamp = stamp
	if before, ok := b.builtBefore(stamp); ok {
		b.manifest.Files["app.wasm"] = before
		return nil
	}
	folder, err := filepath.Abs(filepath.Join(b.root, ".cache", "wasm")) // one name, since the program says it
	if err != nil {
		return fmt.Errorf("finding a folder: %w", err)
	}
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "app.wasm")
	slim, err := b.slim(folder)
	if err != nil {
		return err
	}
	overlay, err := b.overlay(folder)
	if err != nil {
		return err
	}
	if err := b.compile(file, append(slim, overlay...)); err != nil {
		return err
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the WebAssembly program: %w", err)
	}
	if content, err = joinData(content); err != nil {
		return err
	}
	return b.add("app.wasm", content, false)
}

// compile builds the program with more flags than wasmFlags.
func (b *build) compile(file string, more []string) error {
	flags := append(append(wasmFlags(), more...), "-o", file, "./app")
	command := exec.Command("go", flags...)
	command.Dir = b.root
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	command.Env = append(command.Env, oldCollector()...)
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling the WebAssembly program: %w\n%s", err, text)
	}
	return nil
}

// oldCollector asks for the garbage collector that Go had before 1.26: the new
// one is made for many cores and large memories, and a shopper would download
// 10 kB more. A toolchain that has no choice any more is not asked.
func oldCollector() []string {
	choice := "GOEXPERIMENT=nogreenteagc"
	command := exec.Command("go", "version")
	command.Env = append(os.Environ(), choice)
	if command.Run() != nil {
		return nil
	}
	return []string{choice}
}

// builtBefore returns the entry of the last build if it is of the same stamp
// and its files are still there.
func (b *build) builtBefore(stamp string) (entry, bool) {
	text, err := os.ReadFile(filepath.Join(b.out, "manifest.json"))
	if err != nil {
		return entry{}, false
	}
	var last manifest
	if json.Unmarshal(text, &last) != nil || last.Stamp != stamp {
		return entry{}, false
	}
	e, ok := last.Files["app.wasm"]
	if _, err := os.Stat(filepath.Join(b.out, e.File+".br")); err != nil || e.Gzip > 0 { // of an older release
		return entry{}, false
	}
	return e, ok
}

// stamp hashes all that the program is made of: our sources, the modules'
// versions, the toolchain, the flags and the compression.
func (b *build) stamp() (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), wasmFlags(), oldCollector(), slimOf, slimEdits(), godebugOf, joinGap, b.quality)
	files := []string{filepath.Join(b.root, "go.mod"), filepath.Join(b.root, "go.sum")}
	err := filepath.WalkDir(filepath.Join(b.root, "app"), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("listing sources: %w", err)
	}
	for _, pattern := range []string{"*.txt", "*/*.go", "*/*.txt"} {
		slim, err := filepath.Glob(filepath.Join(b.root, "tools", "assets", "slim", pattern))
		if err != nil {
			return "", fmt.Errorf("listing replacements: %w", err)
		}
		files = append(files, slim...)
	}
	for _, file := range files {
		if err := hashFile(sum, file); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func hashFile(sum io.Writer, path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening a source: %w", err)
	}
	defer f.Close()
	fmt.Fprintln(sum, filepath.ToSlash(path))
	if _, err := io.Copy(sum, f); err != nil {
		return fmt.Errorf("reading a source: %w", err)
	}
	return nil
}

// goroot returns where the toolchain lives that compiles the program.
func goroot() (string, error) {
	text, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("finding the Go toolchain: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
