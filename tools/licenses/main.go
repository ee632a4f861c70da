// Command licenses writes the notices of the third-party software in the coinslot program, on all
// platforms of a release and in the browser:
//
//	go run ./tools/licenses [-root .]
//
// It writes bff/licenses/third-party.txt, and the same compressed, which the program embeds. A test
// fails if it has to be run.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	modules, err := linkedModules(root)
	if err != nil {
		return err
	}
	notices, err := render(modules)
	if err != nil {
		return err
	}
	var compressed bytes.Buffer
	w, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression) // writes no name and no time
	if err != nil {
		return err
	}
	if _, err := w.Write(notices); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	path := filepath.Join(root, "bff", "licenses", "third-party.txt")
	fmt.Printf("%d modules, %d bytes, %d compressed\n",
		len(modules), len(notices), compressed.Len())
	return errors.Join(os.WriteFile(path, notices, 0o644),
		os.WriteFile(path+".gz", compressed.Bytes(), 0o644))
}
