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
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	if b.root, err = filepath.Abs(b.root); err != nil {
		return fmt.Errorf("finding the module: %w", err)
	}
	unlock, err := compile.Lock(b.root)
	if err != nil {
		return err
	}
	defer unlock()
	if b.version, err = compile.FindVersion(b.root, version, commit); err != nil {
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
