package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"text/tabwriter"
)

// goLicense is a copy of Go's license, which a Go installation may lack.
//
//go:embed go-license.txt
var goLicense []byte

const introduction = `Third-party notices of Coinslot

This program contains the software listed here, or a part of it, on at least one platform. Each
part stays under its own license. The license texts follow the list. They say nothing about the
license of Coinslot itself.

`

// separator is above and below the names of a text's modules.
var separator = strings.Repeat("=", 80) + "\n"

// render returns the notices: a list of all modules, then each different text once, under its
// modules' names. Go has no version, so that the notices do not depend on the compiler.
func render(modules []module) ([]byte, error) {
	golang := module{
		path: "Go: standard library, runtime, wasm_exec.js", license: "BSD-3-Clause",
		texts: []text{{"LICENSE", normalize(goLicense)}},
	}
	var b bytes.Buffer
	b.WriteString(introduction)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	var order []string
	owners := map[string][]string{} // of each text
	for _, m := range append([]module{golang}, modules...) {
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
