package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
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

// wasmFlags are the build flags of the WebAssembly program.
//
// -l turns inlining off, for a smaller download: the program spends its time in the browser's code.
func wasmFlags() []string {
	return []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=",
		"-gcflags=all=-l"}
}

// wasm builds the WebAssembly program, unless the last build had the same stamp. It keeps the
// compressed form only, which every browser with WebAssembly accepts.
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

	b.manifest.Stamp = stamp
	b.manifest.Quality = b.quality
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

// program returns the WebAssembly program from .cache, or compiles it.
func (b *build) program(stamp string, goApp source) ([]byte, error) {
	kept := filepath.Join(b.root, ".cache", "app."+stamp[:12]+".wasm")
	if content, err := os.ReadFile(kept); err == nil {
		return content, nil
	}

	note("compiling app.wasm")
	folder := filepath.Join(b.root, ".cache", "wasm") // a fixed name, which the program contains
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

	content, err = joinData(content)
	if err != nil {
		return nil, err
	}

	return content, b.cacheProgram(kept, content)
}

// cacheProgram replaces the program in .cache.
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

	err = os.WriteFile(path+".new", content, 0o644)
	if err == nil { // renaming never leaves an incomplete file
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("caching the WebAssembly program: %w", err)
	}

	return nil
}

// compile builds the program with an additional flag.
//
// It uses the garbage collector from before Go 1.26, which saves 10 kB; the new one is for many
// cores and large memories. A Go release without that choice fails.
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

// note prints progress for tools/build.
func note(format string, args ...any) { fmt.Fprintf(os.Stderr, "note: "+format+"\n", args...) }

// previousBuild returns the manifest of the last build if its program has the stamp and at least
// the requested compression, and still exists.
func (b *build) previousBuild(stamp string) (last manifest, ok bool) {
	text, err := os.ReadFile(filepath.Join(b.out, "manifest.json"))
	if err != nil || json.Unmarshal(text, &last) != nil ||
		last.Stamp != stamp || last.Quality < b.quality {
		return manifest{}, false
	}
	file := last.Files["app.wasm"].File
	if !b.dev {
		file += ".br"
	}
	_, err = os.Stat(filepath.Join(b.out, file))
	return last, err == nil
}

// stamp hashes everything that determines the program: our sources, the patched go-app, module
// versions, toolchain and flags.
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
		err := compile.HashFile(sum, b.root, file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("reading a source: %w", err)
		}
	}

	return hex.EncodeToString(sum.Sum(nil)), nil
}
