// Command build builds the coinslot program and everything in it:
//
//	go run ./tools/build [-fast] [-out bin/coinslot] [-version v1.2.3]
//
// It downloads what the program needs, compiles the server's libraries while the browser's
// files are built, then links the program. Nothing is built again when nothing has changed.
// -fast compresses less, for development; -assets stops after the browser's files.
//
// It uses the standard library only, so that it runs before anything is downloaded.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"coinslot/tools/compile"
	"coinslot/tools/progress"
)

func main() {
	b := &build{progress: progress.New(os.Stderr)}
	flag.StringVar(&b.root, "root", ".", "folder of the module")
	flag.StringVar(&b.out, "out", "bin/coinslot", "file to write, from the module's folder")
	platform := flag.String("platform", "", "like linux/arm64; default: this machine's")
	flag.BoolVar(&b.fast, "fast", false, "compress less, for development")
	flag.BoolVar(&b.assetsOnly, "assets", false, "build the browser's files only")
	version := flag.String("version", "", "version of the program; default: the commit's tag")
	commit := flag.String("commit", "", "commit of the sources; default: from git")
	flag.Parse()
	b.system, b.arch, _ = strings.Cut(*platform, "/")
	if err := b.run(*version, *commit); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// build is one run of the command.
type build struct {
	root, out    string
	system, arch string // that the program is for; empty = this machine's
	fast         bool
	assetsOnly   bool
	version      compile.Version
	progress     *progress.Printer
}

// run builds what is missing or out of date.
func (b *build) run(version, commit string) (err error) {
	b.root, err = filepath.Abs(b.root)
	if err != nil {
		return fmt.Errorf("finding the module: %w", err)
	}

	unlock, err := compile.Lock(b.root)
	if err != nil {
		return err
	}

	defer unlock()
	b.version, err = compile.FindVersion(b.root, version, commit)
	if err != nil {
		return err
	}

	goApp, err := compile.FindModule(b.root, compile.GoApp)
	if err != nil {
		return err
	}

	inputs, err := b.inputs(goApp.Dir)
	if err != nil {
		return err
	}
	if !b.assetsOnly && b.upToDate(inputs) {
		b.progress.Line("program", "✓ "+b.out+" is up to date")
		return nil
	}
	if err := b.progress.Step("modules", "looking for missing modules", b.download); err != nil {
		return err
	}
	if b.assetsOnly {
		return b.assets()
	}
	if err := compile.Parallel(b.libraries, b.assets); err != nil {
		return err
	}
	if err := b.progress.Step("program", "compiling and linking "+b.out, b.program); err != nil {
		return err
	}

	return b.writeRecord(inputs)
}

// sourceFolders are the sources of the program besides go.mod and go.sum. A test in deploy/
// compares them with .dockerignore.
var sourceFolders = []string{
	"app", "bff", "client", "deploy", "docs", "static",
	"tools/assets", "tools/build", "tools/bundle", "tools/compile", "tools/progress",
	"tools/reference",
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
		content, err := os.ReadFile(b.path(name))
		if err != nil {
			return "", fmt.Errorf("reading what was built: %w", err)
		}
		text += fmt.Sprintf(" %x", sha256.Sum256(content))
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
