package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"coinslot/tools/originals"
)

// go-app brings its own web server, its encryption and its router into every
// program, because one package holds both halves, and with them most of the
// standard library: half of what a shopper would download, and never run. The
// program is therefore compiled with a copy of go-app in which a few files are
// exchanged for those in slim/, and a few packages for those in slim's folders.
// Everything that components see is untouched but for when they are drawn, and
// ./app compiles with the original too.
//
//go:embed slim/*.txt slim/*/*.go slim/std/*.txt
var slimFiles embed.FS

const (
	goApp = originals.GoApp
	// slimHome is where slim's packages are in this module; in the copy they are
	// in goApp+"/pkg/slim".
	slimHome = "coinslot/tools/assets/slim"
)

// slimLost lists files of which nothing is needed.
func slimLost() []string { return []string{"http.go", "wasm.go"} }

// slimPackages lists the packages of which go-app needs little, by the name of
// the folder in slim/ that holds this little.
func slimPackages() map[string]string {
	return map[string]string{
		"errors": goApp + "/pkg/errors", "fmt": "fmt", "html": "html", "json": "encoding/json", "os": "os", "url": "net/url",
	}
}

// slimEdits lists what draw.go and plant.go need of the files of others, and what it
// becomes: the page is drawn at other times; new nodes are written down instead of
// made, and what they have with them.
func slimEdits() []string {
	return []string{
		"func (e *engineX) Start(framerate int) {", "func (e *engineX) startByFrames(framerate int) {",
		`element = w.Get("document").Call("createElement", tag)`, `return planted("e", tag), nil`,
		`return w.Get("document").Call("createTextNode", v)`, `return planted("t", v)`,
		"func (v value) Set(p string, x any) {", "func (v value) Set(p string, x any) {\n\tif n := young(v); n != nil && n.sets(p, x) {\n\t\treturn\n\t}",
		`jsElement.Call("setAttribute", name, value)`, "if n := young(jsElement); n != nil {\n\t\t\tn.has(\"a\", name, value)\n\t\t\treturn\n\t\t}\n\t\tjsElement.Call(\"setAttribute\", name, value)",
		`v.Call("appendChild", c)`, "if n := young(v); n == nil || !n.holds(c) {\n\t\tv.Call(\"appendChild\", c)\n\t}",
		"fn Func, options map[string]any) {", "fn Func, options map[string]any) {\n\tif n := young(v); n != nil {\n\t\tn.bed.later = append(n.bed.later, func() { v.addEventListener(event, fn, options) })\n\t\treturn\n\t}",
		"switch v := v.(type) {\n\tcase value:", "switch v := v.(type) {\n\tcase *plant:\n\t\treturn v.real()\n\n\tcase value:",
	}
}

// slim writes the copy into folder and returns the flag that makes the compiler
// use it.
func (b *build) slim(folder string) ([]string, error) {
	module, err := originals.ModuleFolder(b.root, originals.GoApp)
	if err != nil {
		return nil, err
	}
	original := filepath.Join(module, "pkg", "app")
	copied := filepath.Join(folder, "go-app")
	app := filepath.Join(copied, "pkg", "app")
	if err := copySources(original, app); err != nil {
		return nil, err
	}
	if err := copyFile(filepath.Join(module, "go.mod"), filepath.Join(copied, "go.mod")); err != nil {
		return nil, err
	}
	if err := exchange(app); err != nil {
		return nil, err
	}
	return b.moduleFile(folder, copied)
}

// exchange takes files out of the copy, puts those of slim/ in, and turns all to
// slim's packages.
func exchange(folder string) error {
	for _, name := range slimLost() {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			return fmt.Errorf("leaving a file of go-app out: %w", err)
		}
	}
	replaced, err := fs.Glob(slimFiles, "slim/*.txt")
	if err != nil {
		return fmt.Errorf("listing replacements: %w", err)
	}
	for _, name := range replaced {
		if err := unpack(name, filepath.Join(folder, strings.TrimSuffix(path.Base(name), ".txt"))); err != nil {
			return err
		}
	}
	for name := range slimPackages() {
		to := filepath.Join(folder, "..", "slim", name, name+".go")
		if err := unpack("slim/"+name+"/"+name+".go", to); err != nil {
			return err
		}
	}
	return editImports(folder)
}

// unpack writes a file of slim/.
func unpack(name, to string) error {
	content, err := slimFiles.ReadFile(name)
	if err != nil {
		return fmt.Errorf("reading a replacement: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	if err := os.WriteFile(to, []byte(strings.ReplaceAll(string(content), slimHome, goApp+"/pkg/slim")), 0o644); err != nil {
		return fmt.Errorf("replacing a file of go-app: %w", err)
	}
	return nil
}

// editImports makes the copy use slim's packages, and the one function of
// another that it needs.
func editImports(folder string) error {
	pairs := []string{"\t\"github.com/google/uuid\"\n", "", "uuid.NewString()", "newID()"}
	for name, path := range slimPackages() {
		pairs = append(pairs, "\t\""+path+"\"\n", "\t\""+goApp+"/pkg/slim/"+name+"\"\n")
	}
	pairs = append(pairs, slimEdits()...)
	edit := strings.NewReplacer(pairs...)
	files, err := sources(folder)
	if err != nil {
		return err
	}
	var before strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading the copy of go-app: %w", err)
		}
		before.Write(content)
		if err := os.WriteFile(file, []byte(edit.Replace(string(content))), 0o644); err != nil {
			return fmt.Errorf("editing the copy of go-app: %w", err)
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(before.String(), pairs[i]) {
			return fmt.Errorf("editing the copy of go-app: no file has %q: change slimEdits in %s",
				pairs[i], "tools/assets/slim.go")
		}
	}
	return nil
}

// moduleFile writes a go.mod in which go-app is the copy, and returns the flag
// that names it.
func (b *build) moduleFile(folder, copied string) ([]string, error) {
	for _, name := range []string{"mod", "sum"} {
		if err := copyFile(filepath.Join(b.root, "go."+name), filepath.Join(folder, "slim."+name)); err != nil {
			return nil, err
		}
	}
	file := filepath.Join(folder, "slim.mod")
	// The program says what it was made of: by a path from the module's own folder
	// it says the same wherever that is.
	root, err := filepath.Abs(b.root)
	if err != nil {
		return nil, fmt.Errorf("finding the module: %w", err)
	}
	near, err := filepath.Rel(root, copied)
	if err != nil {
		return nil, fmt.Errorf("finding the copy from the module: %w", err)
	}
	command := exec.Command("go", "mod", "edit", "-replace", goApp+"=./"+filepath.ToSlash(near), file)
	if text, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("writing a module file: %w\n%s", err, text)
	}
	return []string{"-modfile=" + file}, nil
}

// sources lists the Go files of one folder, without tests.
func sources(folder string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("listing sources: %w", err)
	}
	return slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") }), nil
}

// copySources copies the Go files of one folder, without tests.
func copySources(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	files, err := sources(from)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := copyFile(file, filepath.Join(to, filepath.Base(file))); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("copying: %w", err)
	}
	if err := os.WriteFile(to, content, 0o644); err != nil {
		return fmt.Errorf("copying: %w", err)
	}
	return nil
}
