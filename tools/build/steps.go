package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"coinslot/tools/compile"
)

// download fetches the missing modules of all parts.
func (b *build) download(note func(string)) (string, error) {
	count := 0
	watch := func(line string) bool {
		module, found := strings.CutPrefix(line, "go: downloading ")
		if found {
			count++
			note(fmt.Sprintf("%d downloaded, now %s", count, module))
			return true
		}
		return false
	}
	for _, p := range b.parts() {
		list := []string{"list", "-deps", "-f", "{{with .Error}}{{.}}{{end}}"}
		args := slices.Concat(list, compile.Flags(), []string{p.pkg})
		if err := b.goCommand(watch, p.system, p.arch, args...); err != nil {
			return "", err
		}
	}
	if count == 0 {
		return "all modules are there", nil
	}

	return fmt.Sprintf("%d downloaded", count), nil
}

// part is a compiled program and its platform; empty = this machine's.
type part struct{ system, arch, pkg string }

// parts are all programs of a build.
func (b *build) parts() []part {
	return []part{{b.system, b.arch, "./bff"}, {"", "", "./tools/assets"}, {"js", "wasm", "./app"}}
}

// libraries compiles what ./bff needs into the build cache, while the browser's files are built.
func (b *build) libraries() error {
	return b.progress.Step("server", "compiling its libraries", b.compileLibraries)
}

// withoutAssets lists packages but those that embed the browser's files, which change meanwhile.
const withoutAssets = `{{$embeds := eq .ImportPath "coinslot/static"}}
	{{range .Deps}}{{if eq . "coinslot/static"}}{{$embeds = true}}{{end}}{{end}}
	{{if not $embeds}}{{.ImportPath}}{{end}}`

func (b *build) compileLibraries(note func(string)) (string, error) {
	all, err := b.list("-e", "-deps", "-f", withoutAssets, "./bff")
	if err != nil {
		return "", err
	}
	return b.compile(note, len(all), b.system, b.arch, all...)
}

// compile runs go build with args and reports the number of compiled packages, of at most all.
// Packages in the build cache do not count.
func (b *build) compile(
	note func(string), all int, system, arch string, args ...string,
) (string, error) {
	done := 0
	watch := func(line string) bool { // -v prints each package that is compiled
		if strings.ContainsAny(line, " :") {
			return false // an error
		}
		done++
		note(fmt.Sprintf("%d of at most %d packages", done, all))
		return true
	}
	command := slices.Concat([]string{"build", "-v"}, compile.Flags(), args)
	err := b.goCommand(watch, system, arch, command...)
	return fmt.Sprintf("%d packages compiled", done), err
}

// assets builds the browser's files by tools/assets.
func (b *build) assets() error {
	if err := b.progress.Step("tools", "compiling the asset builder", b.compileTool); err != nil {
		return err
	}
	return b.progress.Step("assets", "compiling app.wasm, minifying, compressing", b.runTool)
}

// toolPath is the compiled tools/assets.
func (b *build) toolPath() string { return filepath.Join(b.root, ".cache", "tools", "assets") }

func (b *build) compileTool(note func(string)) (string, error) {
	all, err := b.list("-deps", "./tools/assets")
	if err != nil {
		return "", err
	}
	return b.compile(note, len(all), "", "", "-o", b.toolPath(), "./tools/assets")
}

// runTool returns the last note of tools/assets, which summarizes the build.
func (b *build) runTool(note func(string)) (result string, err error) {
	args := []string{"-root", b.root, "-out", filepath.Join(b.root, "static", "dist")}
	if b.fast {
		args = append(args, "-fast")
	}

	cmd := exec.Command(b.toolPath(), args...)
	cmd.Dir = b.root
	cmd.Env = compile.Env("", "")
	err = runWatched(cmd, func(line string) bool {
		text, found := strings.CutPrefix(line, "note: ")
		if found {
			result = text
			note(text)
		}
		return found
	})
	return result, err
}

// program links bin/coinslot.
func (b *build) program(func(string)) (string, error) {
	out := b.path(b.out)
	var said bytes.Buffer
	program := compile.Program{
		Root:    b.root,
		Out:     out,
		System:  b.system,
		Arch:    b.arch,
		Version: b.version,
		Errors:  &said,
	}
	if err := program.Build(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, said.Bytes())
	}

	info, err := os.Stat(out)
	if err != nil {
		return "", fmt.Errorf("reading what was built: %w", err)
	}

	return fmt.Sprintf("%s, %.1f MB", b.out, float64(info.Size())/1e6), nil
}

// list returns the fields that go list prints.
func (b *build) list(args ...string) ([]string, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = b.root
	cmd.Env = compile.Env(b.system, b.arch)
	out, err := compile.Output(cmd)
	return strings.Fields(out), err
}

// goCommand runs the Go command in the module's folder, see runWatched.
func (b *build) goCommand(watch func(string) bool, system, arch string, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir = b.root
	cmd.Env = compile.Env(system, arch)
	return runWatched(cmd, watch)
}

// runWatched runs a command and calls watch with each line of its standard error. Lines for which
// watch returns false are printed, or are part of the error if the command fails.
func runWatched(cmd *exec.Cmd, watch func(line string) bool) error {
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("running %s: %w", filepath.Base(cmd.Path), err)
	}

	var said strings.Builder
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if !watch(lines.Text()) {
			fmt.Fprintln(&said, lines.Text())
		}
	}

	_, drained := io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("running %s: %w\n%s", filepath.Base(cmd.Path), err, said.String())
	}
	if said.Len() > 0 {
		fmt.Fprint(os.Stderr, said.String())
	}

	return errors.Join(lines.Err(), drained)
}
