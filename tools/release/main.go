// Command release makes what is offered for download: for each platform an
// archive with the program, its documentation and the files of deploy/, a list
// of what the program is made of, and the checksums of all.
//
//	go run ./tools/release -version v1.2.3 [-out dist] [-platform linux/amd64,…]
//
// The same commit, built by the same Go release, gives the same bytes, whoever
// builds it, where and when: the program holds no path, archives are sorted and
// have one owner and one time, that of the commit (or SOURCE_DATE_EPOCH).
//
// It expects static/dist, which make assets builds.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// platforms is what is offered.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

func main() {
	r := release{}
	flag.StringVar(&r.version, "version", "", "v1.2.3")
	flag.StringVar(&r.out, "out", "dist", "folder for the files; what was in it goes")
	flag.StringVar(&r.root, "root", ".", "folder of the module")
	flag.StringVar(&r.commit, "commit", "", "commit of the sources; default: what git says")
	only := flag.String("platform", strings.Join(platforms, ","), "platforms, comma separated")
	dirty := flag.Bool("dirty", false, "build although files differ from the commit, for trying out")
	flag.Parse()
	if err := r.run(strings.Split(*only, ","), *dirty); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one that is being made.
type release struct {
	version, commit string
	root, out       string
	at              time.Time // of everything in it
}

var wellFormed = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

func (r *release) run(wanted []string, dirty bool) error {
	if !wellFormed.MatchString(r.version) {
		return errors.New("give a version like v1.2.3: make release VERSION=v1.2.3")
	}
	if err := r.source(dirty); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755)); err != nil {
		return fmt.Errorf("making %s: %w", r.out, err)
	}
	extras, err := r.extras()
	if err != nil {
		return err
	}
	for _, platform := range wanted {
		if !slices.Contains(platforms, platform) {
			return fmt.Errorf("%q is not one of %s", platform, strings.Join(platforms, ", "))
		}
		if err := r.make(platform, extras); err != nil {
			return fmt.Errorf("making %s: %w", platform, err)
		}
	}
	return r.sums()
}

// source finds out which commit this is, and when it was made.
func (r *release) source(dirty bool) (err error) {
	if r.commit == "" {
		if r.commit, err = r.git("rev-parse", "HEAD"); err != nil {
			return err
		}
		changed, err := r.git("status", "--porcelain", "--untracked-files=no")
		if err != nil {
			return err
		}
		if changed != "" && !dirty {
			return fmt.Errorf("these files differ from the commit, so nobody could build the same:\n%s", changed)
		}
	}
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		if epoch, err = r.git("show", "-s", "--format=%ct", r.commit); err != nil {
			return err
		}
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: want seconds since 1970: %w", err)
	}
	r.at = time.Unix(seconds, 0).UTC()
	return nil
}

func (r *release) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// make builds one platform's program, archive and list of parts.
func (r *release) make(platform string, extras []entry) error {
	system, arch, _ := strings.Cut(platform, "/")
	name := fmt.Sprintf("coinslot_%s_%s_%s", r.version, system, arch)
	program := "coinslot"
	if system == "windows" {
		program += ".exe"
	}
	folder, err := os.MkdirTemp("", "coinslot-release-")
	if err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, program)
	if err := r.build(path, system, arch); err != nil {
		return err
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the program: %w", err)
	}
	parts, err := r.bill(path, binary, system, arch)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, name+".cdx.json"), parts, 0o644); err != nil {
		return fmt.Errorf("writing the list of parts: %w", err)
	}
	fmt.Println(name, len(binary)>>20, "MB")
	return r.archive(name, system, append([]entry{{program, 0o755, binary}}, extras...))
}

// build compiles the program. What the environment could change is set here.
// Without -buildvcs=false the Go command would write down what tags a clone
// happens to have.
func (r *release) build(path, system, arch string) error {
	stamp := strings.Join([]string{r.version, r.commit, r.at.Format(time.RFC3339)}, " ")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly",
		"-ldflags=-s -w -buildid= -X 'main.stamp="+stamp+"'", "-o", path, "./bff")
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GODEBUG=", "GOWORK=off", "GOTOOLCHAIN=local")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building: %w", err)
	}
	return nil
}
