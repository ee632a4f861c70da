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
	"cmp"
	"compress/gzip"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
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
	_, err = w.Write(notices)
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	path := filepath.Join(root, "bff", "licenses", "third-party.txt")
	fmt.Printf("%d modules, %d bytes, %d compressed\n",
		len(modules), len(notices), compressed.Len())
	return errors.Join(os.WriteFile(path, notices, 0o644),
		os.WriteFile(path+".gz", compressed.Bytes(), 0o644))
}

// goLicense is a copy of Go's license, which a Go installation may lack.
//
//go:embed go-license.txt
var goLicense []byte

// cldrLicense is that of the data in bff/locale/table.json.
//
//go:embed cldr-license.txt
var cldrLicense []byte

const introduction = `Third-party notices of Coinslot

This program contains the software listed here, or a part of it, on at least one platform. Each
part stays under its own license. The license texts follow the list. They say nothing about the
license of Coinslot itself.

`

// separator is above and below the names of a text's modules.
var separator = strings.Repeat("=", 80) + "\n"

// render returns the notices: a list of all modules, then each different text once, under its
// modules' names. Go has no version, so that the notices do not depend on the compiler; CLDR's is in
// its table.
func render(modules []module) ([]byte, error) {
	golang := module{
		path: "Go: standard library, runtime, wasm_exec.js", license: "BSD-3-Clause",
		texts: []text{{"LICENSE", normalize(goLicense)}},
	}
	cldr := module{
		path: "Unicode CLDR: how languages write prices and days", license: "Unicode-3.0",
		texts: []text{{"LICENSE", normalize(cldrLicense)}},
	}
	var b bytes.Buffer
	b.WriteString(introduction)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	var order []string
	owners := map[string][]string{} // of each text
	for _, m := range append([]module{golang, cldr}, modules...) {
		license := cmp.Or(m.license, "see its text")
		if len(m.texts) > 1 {
			license += " and others"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", m.path, m.version, license)
		for _, t := range m.texts {
			if owners[t.content] == nil {
				order = append(order, t.content)
			}
			owners[t.content] = append(owners[t.content], m.name()+", "+t.name)
		}
	}
	if err := table.Flush(); err != nil {
		return nil, err
	}
	for _, content := range order {
		b.WriteString("\n" + separator)
		b.WriteString(strings.Join(owners[content], "\n"))
		b.WriteString("\n" + separator + "\n" + content)
	}
	return b.Bytes(), nil
}

// name is the path with the version, where there is one.
func (m module) name() string { return strings.TrimSpace(m.path + " " + m.version) }
