// Command release builds what is offered for download: for each platform an archive with the
// program, its documentation and the files of deploy/, a software bill of materials, and all
// checksums.
//
//	go run ./tools/release -version v1.2.3 [-out dist] [-platform linux/amd64,…]
//
// The same commit and Go release always give the same bytes: the program contains no path, and
// archives are sorted and have one owner and one time, that of the commit (or SOURCE_DATE_EPOCH).
//
// It needs static/dist, which make assets builds.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"coinslot/tools/compile"
)

var platforms = compile.Platforms()

func main() {
	r := release{}
	name := flag.String("version", "", "v1.2.3")
	flag.StringVar(&r.out, "out", "dist", "output folder, which is emptied first")
	flag.StringVar(&r.root, "root", ".", "folder of the module")
	commit := flag.String("commit", "", "commit of the sources; default: from git")
	only := flag.String("platform", strings.Join(platforms, ","), "platforms, comma separated")
	dirty := flag.Bool("dirty", false, "allow uncommitted changes, for testing")
	flag.Parse()
	err := r.resolveVersion(*name, *commit, *dirty)
	if err == nil {
		err = r.run(strings.Split(*only, ","))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is a release under construction.
type release struct {
	version   compile.Version // its time is that of everything in it
	root, out string
}

// resolveVersion finds the commit and its time.
func (r *release) resolveVersion(name, commit string, dirty bool) (err error) {
	if name == "" {
		return errors.New("the version is missing: make release VERSION=v1.2.3")
	}
	if r.version, err = compile.FindVersion(r.root, name, commit); err != nil {
		return err
	}
	if r.version.Changed != "" && !dirty {
		return fmt.Errorf("uncommitted changes would make the release irreproducible: "+
			"commit them:\n%s", r.version.Changed)
	}
	if r.version.Time.IsZero() {
		return errors.New("finding the commit's time: not a git repository: set SOURCE_DATE_EPOCH")
	}
	return nil
}

func (r *release) run(wanted []string) error {
	if err := errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755)); err != nil {
		return fmt.Errorf("making %s: %w", r.out, err)
	}
	extras, err := r.extras()
	if err != nil {
		return err
	}
	for i, platform := range wanted {
		if !slices.Contains(platforms, platform) {
			return fmt.Errorf("unknown platform %q: choose from %s", platform,
				strings.Join(platforms, ", "))
		}
		fmt.Printf("  %-13s  building, %d of %d\n", platform, i+1, len(wanted))
		if err := r.buildPlatform(platform, extras); err != nil {
			return fmt.Errorf("making %s: %w", platform, err)
		}
	}
	return r.writeChecksums()
}

// buildPlatform builds the program, archive and bill of materials of a platform.
func (r *release) buildPlatform(platform string, extras []entry) error {
	system, arch, _ := strings.Cut(platform, "/")
	started := time.Now()
	name := fmt.Sprintf("coinslot_%s_%s_%s", r.version.Name, system, arch)
	executable := "coinslot"
	if system == "windows" {
		executable += ".exe"
	}
	folder, err := os.MkdirTemp("", "coinslot-release-")
	if err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, executable)
	program := compile.Program{
		Root: r.root, Out: path, System: system, Arch: arch, Version: r.version, Errors: os.Stderr,
	}
	if err := program.Build(); err != nil {
		return err
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the program: %w", err)
	}
	parts, err := r.sbom(path, binary, system, arch)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, name+".cdx.json"), parts, 0o644); err != nil {
		return fmt.Errorf("writing the bill of materials: %w", err)
	}
	fmt.Printf("  %-13s  %s, program of %.1f MB, %.1f s\n",
		platform, name, float64(len(binary))/1e6, time.Since(started).Seconds())
	return r.archive(name, system, append([]entry{{executable, 0o755, binary}}, extras...))
}
