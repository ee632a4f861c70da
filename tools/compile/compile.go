// Package compile builds the coinslot program for make build, make release and the Dockerfile, so
// that the same commit always gives the same bytes.
//
// It uses the standard library only, because it is compiled before any module is downloaded.
package compile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Platforms are the platforms of a release, as GOOS/GOARCH.
func Platforms() []string {
	return []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}
}

// Program is a build of ./bff.
type Program struct {
	Root    string  // folder of the module
	Out     string  // file to write
	System  string  // GOOS; empty = this machine's
	Arch    string  // GOARCH; empty = this machine's
	Version Version // what coinslot version prints
	Errors  io.Writer
}

// Build compiles and links the program. It expects static/dist, which tools/assets builds.
//
// Errors: the Go command failed; what it printed went to p.Errors.
func (p Program) Build() error {
	ldflags := "-ldflags=-s -w -buildid= -X 'main.stamp=" + p.Version.stamp() + "'"
	args := append([]string{"build"}, Flags()...)
	cmd := exec.Command("go", append(args, ldflags, "-o", p.Out, "./bff")...)
	cmd.Dir = p.Root
	cmd.Stderr = p.Errors
	cmd.Env = Env(p.System, p.Arch)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building ./bff: %w", err)
	}
	return nil
}

// Flags are the build flags that decide how packages are compiled. Packages compiled with
// other flags are not found in Go's build cache again. Without -buildvcs=false the Go command
// would record the tags that a clone happens to have.
func Flags() []string { return []string{"-trimpath", "-buildvcs=false", "-mod=readonly"} }

// Env is the environment of a reproducible build: the caller's, without what would change the
// result. system and arch are GOOS and GOARCH; empty = this machine's. more is added last.
func Env(system, arch string, more ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == "GOOS" || name == "GOARCH"
	})
	env = append(env, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOWASM=",
		"GOFLAGS=", "GOEXPERIMENT=", "GODEBUG=", "GOWORK=off", "GOTOOLCHAIN=local")
	if system != "" {
		env = append(env, "GOOS="+system)
	}
	if arch != "" {
		env = append(env, "GOARCH="+arch)
	}

	return append(env, more...)
}

// Parallel runs all steps and returns their errors.
func Parallel(steps ...func() error) error {
	errs := make([]error, len(steps))
	var group sync.WaitGroup
	for i, step := range steps {
		group.Go(func() { errs[i] = step() })
	}
	group.Wait()
	return errors.Join(errs...)
}

// HashFile writes the name of a file, relative to root, its size and its content to sum.
func HashFile(sum io.Writer, root, path string) error {
	name, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fmt.Fprintln(sum, filepath.ToSlash(name), len(content))
	_, err = sum.Write(content)
	return err
}
