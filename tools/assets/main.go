// Command assets builds the browser's files: the WebAssembly program, scripts, stylesheets, icons
// and the API's documentation, minified, compressed and named by their content, with a manifest.
//
//	go run ./tools/assets -out static/dist [-fast | -dev]
//
// It rebuilds the WebAssembly program only after a change, because full compression is slow. -fast
// compresses less; -dev neither compresses nor minifies. The build stops if go-app is not exactly
// the source that the patches are for (docs/patches.md).
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", "static/dist", "output folder")
	root := flag.String("root", ".", "folder of the module")
	fast := flag.Bool("fast", false, "compress less, for development")
	dev := flag.Bool("dev", false, "neither compress nor minify, for development")
	flag.Parse()
	if err := run(*root, *out, *fast, *dev); err != nil {
		fmt.Fprintln(os.Stderr, "assets:", err)
		os.Exit(1)
	}
}

// run builds everything into out and removes other files.
func run(root, out string, fast, dev bool) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("making %s: %w", out, err)
	}

	root, err := filepath.Abs(root)
	if err != nil {
		return fmt.Errorf("finding the module: %w", err)
	}

	b := &build{
		root:    root,
		out:     out,
		quality: 11,
		dev:     dev,
	}
	b.manifest.Files = map[string]entry{}
	switch {
	case dev:
		b.quality = 0
	case fast:
		b.quality = 5
	}

	for _, step := range []func() error{b.wasm, b.scripts, b.styles, b.files, b.manual} {
		if err := step(); err != nil {
			return err
		}
	}

	files := len(b.manifest.Files)
	program := b.manifest.Files["app.wasm"]
	text := fmt.Sprintf("%d files, app.wasm %.2f MB", files, float64(program.Size)/1e6)
	if !dev {
		text += fmt.Sprintf(", %d kB compressed", program.Brotli/1000)
	}

	note("%s", text)
	return b.finish()
}

// source returns the path of a file under static.
func (b *build) source(name string) string { return filepath.Join(b.root, "static", name) }
