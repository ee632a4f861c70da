package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"coinslot/tools/compile"
	"coinslot/tools/progress"
)

// loop builds and runs the demo and the gallery.
type loop struct {
	root        string
	galleryOnly bool
	port        int // where the checkout listens
	progress    *progress.Printer
	running     []*exec.Cmd
	started     bool // once at least
}

// work is what has to be built after a change.
type work struct {
	assets  bool // the browser's files
	program bool // the demo and the gallery
}

var everything = work{assets: true, program: true}

// workFor returns what has to be built after changes of these files. The demo reads texts, pictures
// and the shop's files from disk, and restarts after any change.
func workFor(changed []string) (w work) {
	for _, name := range changed {
		switch {
		case strings.HasPrefix(name, "static/") && !strings.HasSuffix(name, ".go"):
			w.assets = true
		case strings.HasPrefix(name, "bff/"), name == "static/static.go":
			w.program = true
		default:
			w = everything
		}
	}
	return w
}

// folder has the built files and the demo's data.
func (l *loop) folder() string { return filepath.Join(l.root, ".cache", "dev") }

// build does the work. After an error the previous files are still there.
func (l *loop) build(w work) error {
	unlock, err := compile.Lock(l.root)
	if err != nil {
		return err
	}

	defer unlock()
	if err := l.link(); err != nil {
		return err
	}

	var steps []func() error
	if w.assets && !l.galleryOnly {
		steps = append(steps, l.assets)
	}
	if w.program {
		steps = append(steps, l.programs)
	}

	return compile.Parallel(steps...)
}

// link creates the folder that the demo serves: links to the sources of static/, and built files.
func (l *loop) link() error {
	static := filepath.Join(l.folder(), "static")
	if err := os.MkdirAll(filepath.Join(static, "dist"), 0o755); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}

	sources, err := os.ReadDir(filepath.Join(l.root, "static"))
	if err != nil {
		return fmt.Errorf("listing static: %w", err)
	}

	for _, source := range sources {
		if source.Name() == "dist" {
			continue
		}
		link := filepath.Join(static, source.Name())
		target := filepath.Join("..", "..", "..", "static", source.Name())
		err := os.Symlink(target, link)
		if err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("linking to the sources: %w", err)
		}
	}

	return nil
}

// assets builds the browser's files, plain.
func (l *loop) assets() error {
	out := filepath.Join(l.folder(), "static", "dist")
	run := slices.Concat([]string{"go", "run"}, compile.Flags(), []string{"./tools/assets"})
	return l.step("assets", "building the browser's files",
		append(run, "-root", l.root, "-out", out, "-dev")...)
}

// programs builds the demo and the gallery.
func (l *loop) programs() error {
	if !l.galleryOnly {
		err := l.compile("coinslot", filepath.Join(l.folder(), "coinslot"), "./bff")
		if err != nil {
			return err
		}
	}
	return l.compile("gallery", filepath.Join(l.folder(), "gallery"), "./e2e/gallery/serve")
}

// compile compiles a package to a program.
func (l *loop) compile(name, out, pkg string) error {
	build := slices.Concat([]string{"go", "build"}, compile.Flags(), []string{"-o", out, pkg})
	return l.step(name, "compiling "+pkg, build...)
}

// step runs a command; what it prints is part of the error if it fails.
func (l *loop) step(name, doing string, args ...string) error {
	return l.progress.Step(name, doing, func(func(string)) (string, error) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = l.root
		cmd.Env = compile.Env("", "")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", doing, err, out)
		}
		return "done", nil
	})
}

// start starts the demo and the gallery.
func (l *loop) start() error {
	static := filepath.Join(l.root, "static")
	commands := [][]string{{"gallery", "-listen", l.address(galleryOffset), "-static", static}}
	if !l.galleryOnly {
		commands = append(commands, []string{"coinslot", "demo", "-listen", l.address(0),
			"-shop-listen", l.address(shopOffset), "-gateway-listen", l.address(gatewayOffset),
			"-static", filepath.Join(l.folder(), "static"),
			"-data", filepath.Join(l.folder(), "data")})
	}

	for _, command := range commands {
		cmd := exec.Command(filepath.Join(l.folder(), command[0]), command[1:]...)
		cmd.Dir = l.root
		cmd.Stderr = os.Stderr
		if !l.started { // the addresses stay the same
			cmd.Stdout = os.Stdout
		}
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("starting %s: %w", command[0], err)
		}
		l.running = append(l.running, cmd)
	}

	l.started = true
	return nil
}

// stop ends the running programs and waits for them.
func (l *loop) stop() {
	for _, cmd := range l.running {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	}
	for _, cmd := range l.running {
		_ = cmd.Wait()
	}
	l.running = nil
}
