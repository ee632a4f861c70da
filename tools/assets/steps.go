package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"coinslot/static/stylesheet"
	"coinslot/tools/bundle"
)

// scripts bundles and minifies the frame's script, with and without the stylesheet, checkout.js,
// the scripts of doctor and playground, and Go's loader with program.js appended.
func (b *build) scripts() error {
	static := filepath.Join(b.root, "static")
	for _, name := range []string{"frame", "framed", "checkout", "playground"} {
		script, err := bundle.Script(static, name, !b.dev)
		if err != nil {
			return err
		}
		if err := b.add(name+".js", script, true); err != nil {
			return err
		}
	}

	for _, name := range []string{"fallback.js", "doctor.js"} {
		script, err := b.minifyFile(name, api.LoaderJS)
		if err != nil {
			return err
		}
		if err := b.add(name, script, true); err != nil {
			return err
		}
	}

	toolchain, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("finding the Go toolchain: %w", err)
	}

	goroot := strings.TrimSpace(string(toolchain))
	loader, err := os.ReadFile(filepath.Join(goroot, "lib", "wasm", loaderName))
	if err != nil {
		return fmt.Errorf("reading Go's WebAssembly loader: %w", err)
	}

	loader, err = b.minify(string(loader), loaderName, api.LoaderJS)
	if err != nil {
		return err
	}

	program, err := b.minifyFile("program.js", api.LoaderJS)
	if err != nil {
		return err
	}

	return b.add(loaderName, append(append(loader, '\n'), program...), true)
}

// loaderName is the name of Go's loader.
const loaderName = "wasm_exec.js"

// styles joins and minifies the stylesheets.
func (b *build) styles() error {
	static := os.DirFS(filepath.Join(b.root, "static"))
	for name := range stylesheet.Parts {
		whole, err := stylesheet.Join(static, name)
		if err != nil {
			return err
		}
		css, err := b.minify(string(whole), name, api.LoaderCSS)
		if err != nil {
			return err
		}
		if err := b.add(name, css, true); err != nil {
			return err
		}
	}

	return nil
}

// files adds files as they are: icons, like "icon-usdt.svg", and the type declarations and editor
// data of checkout.js.
func (b *build) files() error {
	icons, err := filepath.Glob(b.source("icons/*.svg"))
	if err != nil {
		return fmt.Errorf("listing icons: %w", err)
	}

	files := map[string]string{} // path by name
	for _, path := range icons {
		files["icon-"+filepath.Base(path)] = path
	}

	for _, name := range []string{"checkout.d.ts", "custom-elements.json", "web-types.json"} {
		files[name] = b.source(name)
	}

	for name, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading a source: %w", err)
		}
		if err := b.add(name, content, true); err != nil {
			return err
		}
	}

	return nil
}

// minifyFile minifies a file under static.
func (b *build) minifyFile(name string, loader api.Loader) ([]byte, error) {
	content, err := os.ReadFile(b.source(name))
	if err != nil {
		return nil, fmt.Errorf("reading a source: %w", err)
	}
	return b.minify(string(content), name, loader)
}

// minify minifies a script or stylesheet for browsers since 2022; with -dev it only checks it.
func (b *build) minify(content, name string, loader api.Loader) ([]byte, error) {
	result := api.Transform(content, api.TransformOptions{
		Sourcefile:        name,
		Loader:            loader,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		MinifyWhitespace:  !b.dev,
		MinifyIdentifiers: !b.dev,
		MinifySyntax:      !b.dev,
		LegalComments:     api.LegalCommentsNone,
	})
	if len(result.Errors) == 0 {
		return bytes.TrimSpace(result.Code), nil
	}

	lines := api.FormatMessages(result.Errors, api.FormatMessagesOptions{})
	return nil, fmt.Errorf("minifying %s: %s", name, strings.Join(lines, "; "))
}
