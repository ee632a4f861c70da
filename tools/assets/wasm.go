package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"coinslot/tools/compile"
)

// wasmFlags returns how the WebAssembly program is compiled; it is part of the
// stamp.
//
// -l turns inlining off: the program spends its time in the browser's own code,
// and a shopper waits for the download.
func wasmFlags() []string {
	return []string{
		"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-gcflags=all=-l",
	}
}

// wasm builds the WebAssembly program, unless the last build was of the same
// sources. Its plain form is not kept: it is seven times the size, and every
// browser that runs it accepts a compressed one.
func (b *build) wasm() error {
	module, err := compile.FindModule(b.root, compile.GoApp)
	if err != nil {
		return err
	}
	goApp, err := patchedGoApp(module)
	if err != nil {
		return err
	}
	stamp, err := b.stamp(goApp)
	if err != nil {
		return err
	}
	b.manifest.Stamp, b.manifest.Quality = stamp, b.quality
	if before, ok := b.previousBuild(stamp); ok {
		b.manifest.Files["app.wasm"] = before.Files["app.wasm"]
		b.manifest.Quality = before.Quality
		return nil
	}
	content, err := b.program(stamp, goApp)
	if err != nil {
		return err
	}
	if !b.dev {
		note("compressing app.wasm, brotli %d", b.quality)
	}
	return b.add("app.wasm", content, false)
}

// program returns the WebAssembly program, compiled now or before: the last one is
// kept in .cache, so that only its compression is done again.
func (b *build) program(stamp string, goApp source) ([]byte, error) {
	kept := filepath.Join(b.root, ".cache", "app."+stamp[:12]+".wasm")
	if content, err := os.ReadFile(kept); err == nil {
		return content, nil
	}
	note("compiling app.wasm")
	folder := filepath.Join(b.root, ".cache", "wasm") // one name, since the program says it
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "app.wasm")
	patched, err := b.replaceGoApp(folder, goApp)
	if err != nil {
		return nil, err
	}
	if err := b.compile(file, patched); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the WebAssembly program: %w", err)
	}
	if content, err = joinData(content); err != nil {
		return nil, err
	}
	return content, b.cacheProgram(kept, content)
}

// cacheProgram writes the program into .cache in place of the one before.
func (b *build) cacheProgram(path string, content []byte) error {
	before, err := filepath.Glob(filepath.Join(b.root, ".cache", "app.*.wasm"))
	if err != nil {
		return fmt.Errorf("listing .cache: %w", err)
	}
	for _, name := range before {
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("removing the program before: %w", err)
		}
	}
	// A file that was cut short may not look like a whole one.
	if err := os.WriteFile(path+".new", content, 0o644); err != nil {
		return fmt.Errorf("keeping the WebAssembly program: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("keeping the WebAssembly program: %w", err)
	}
	return nil
}

// compile builds the program with one flag more than wasmFlags.
//
// It asks for the garbage collector that Go had before 1.26: the new one is made for
// many cores and large memories, and a shopper would download 10 kB more. A Go
// release that has no such choice refuses.
func (b *build) compile(file, more string) error {
	flags := append(wasmFlags(), more, "-o", file, "./app")
	command := exec.Command("go", flags...)
	command.Dir = b.root
	command.Env = compile.Env("js", "wasm", collector)
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling the WebAssembly program: %w\n%s", err, text)
	}
	return nil
}

const collector = "GOEXPERIMENT=nogreenteagc"

// note prints what is being done; tools/build shows it as progress.
func note(format string, args ...any) { fmt.Fprintf(os.Stderr, "note: "+format+"\n", args...) }

// previousBuild returns the manifest of the last build if its program is of the same
// stamp, compressed as well as is asked for, and still there.
func (b *build) previousBuild(stamp string) (last manifest, ok bool) {
	text, err := os.ReadFile(filepath.Join(b.out, "manifest.json"))
	if err != nil || json.Unmarshal(text, &last) != nil {
		return manifest{}, false
	}
	if last.Stamp != stamp || last.Quality < b.quality {
		return manifest{}, false
	}
	file := last.Files["app.wasm"].File
	if !b.dev {
		file += ".br"
	}
	_, err = os.Stat(filepath.Join(b.out, file))
	return last, err == nil
}

// stamp hashes all that the program is made of: our sources, go-app's with the patches, the
// modules' versions, the toolchain and the flags.
func (b *build) stamp(goApp source) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), wasmFlags(), collector, joinGap)
	files := []string{filepath.Join(b.root, "go.mod"), filepath.Join(b.root, "go.sum")}
	app := filepath.Join(b.root, "app")
	err := filepath.WalkDir(app, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("listing sources: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(goApp)) {
		fmt.Fprintln(sum, name)
		sum.Write(goApp[name])
	}
	for _, file := range files {
		if err := b.hashFile(sum, file); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func (b *build) hashFile(sum io.Writer, path string) error {
	name, err := filepath.Rel(b.root, path)
	if err != nil {
		return fmt.Errorf("naming a source: %w", err)
	}
	fmt.Fprintln(sum, filepath.ToSlash(name))
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening a source: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(sum, f); err != nil {
		return fmt.Errorf("reading a source: %w", err)
	}
	return nil
}
