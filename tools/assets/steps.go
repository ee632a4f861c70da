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

// scripts bundles the frame's script, with the style sheet and without, and the merchant's. It
// minifies these, the doctor's, and Go's own loader with a helper of ours, which the frame's script
// imports beside the program.
func (b *build) scripts() error {
	static := filepath.Join(b.root, "static")
	for _, name := range []string{"frame", "framed", "checkout"} {
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

// loaderName is what Go calls its loader.
const loaderName = "wasm_exec.js"

// styles minifies the checkout's style sheet, of its parts, and those of the
// doctor and the documentation.
func (b *build) styles() error {
	whole, err := stylesheet.Checkout(os.DirFS(filepath.Join(b.root, "static")))
	if err != nil {
		return err
	}
	css, err := b.minify(string(whole), "checkout.css", api.LoaderCSS)
	if err != nil {
		return err
	}
	if err := b.add("checkout.css", css, true); err != nil {
		return err
	}
	if err := b.console(); err != nil {
		return err
	}
	for _, name := range []string{"doctor.css", "docs.css"} {
		css, err := b.minifyFile(name, api.LoaderCSS)
		if err != nil {
			return err
		}
		if err := b.add(name, css, true); err != nil {
			return err
		}
	}
	return nil
}

// console minifies the style sheet of the operator's pages.
func (b *build) console() error {
	whole, err := stylesheet.Console(os.DirFS(filepath.Join(b.root, "static")))
	if err != nil {
		return err
	}
	css, err := b.minify(string(whole), "console.css", api.LoaderCSS)
	if err != nil {
		return err
	}
	return b.add("console.css", css, true)
}

// icons enters each icon as "icons/usdt.svg"; the slash stays out of file names.
func (b *build) icons() error {
	files, err := filepath.Glob(b.source("icons/*.svg"))
	if err != nil {
		return fmt.Errorf("listing icons: %w", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading an icon: %w", err)
		}
		if err := b.add("icon-"+filepath.Base(file), content, true); err != nil {
			return err
		}
	}
	return nil
}

// declarations enters what people and editors read about checkout.js, as it is.
func (b *build) declarations() error {
	for _, name := range []string{"checkout.d.ts", "custom-elements.json", "web-types.json"} {
		content, err := os.ReadFile(b.source(name))
		if err != nil {
			return fmt.Errorf("reading the type declarations: %w", err)
		}
		if err := b.add(name, content, true); err != nil {
			return err
		}
	}
	return nil
}

// minifyFile reads and minifies a source under static.
func (b *build) minifyFile(name string, loader api.Loader) ([]byte, error) {
	content, err := os.ReadFile(b.source(name))
	if err != nil {
		return nil, fmt.Errorf("reading a source: %w", err)
	}
	return b.minify(string(content), name, loader)
}

// minify shortens a script or style sheet for browsers of 2022 and later. For development it
// only checks it.
func (b *build) minify(content, name string, loader api.Loader) ([]byte, error) {
	result := api.Transform(content, api.TransformOptions{
		Sourcefile: name, Loader: loader, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: !b.dev, MinifyIdentifiers: !b.dev, MinifySyntax: !b.dev,
		LegalComments: api.LegalCommentsNone,
	})
	if len(result.Errors) == 0 {
		return bytes.TrimSpace(result.Code), nil
	}
	lines := api.FormatMessages(result.Errors, api.FormatMessagesOptions{})
	return nil, fmt.Errorf("minifying %s: %s", name, strings.Join(lines, "; "))
}
