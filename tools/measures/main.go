// Command measures prints measures of the code's size and structure, and fails if one exceeds its
// bound (make measures). Bounds only ever go down.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	files, err := read(".")
	if err == nil {
		err = report(measure(files))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "measures:", err)
		os.Exit(1)
	}
}

// file is one Go file of the repository.
type file struct {
	path   string
	text   []byte
	syntax *ast.File
	set    *token.FileSet
}

// isTest reports whether f is a test, or a package that only tests use.
func (f file) isTest() bool {
	return strings.HasSuffix(f.path, "_test.go") || strings.HasPrefix(f.path, "e2e/") ||
		strings.HasPrefix(f.path, "torture/") || strings.HasSuffix(f.dir(), "test")
}

func (f file) dir() string { return filepath.ToSlash(filepath.Dir(f.path)) }

func (f file) lines() int { return bytes.Count(f.text, []byte("\n")) }

// read parses all Go files of the repository except test data.
func read(root string) ([]file, error) {
	list := exec.Command("git", "ls-files", "-z", "--", "*.go")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the files of the repository: %w", err)
	}
	var files []file
	for path := range strings.SplitSeq(strings.Trim(string(out), "\x00"), "\x00") {
		if strings.Contains(path, "testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, path, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: path, text: text, syntax: syntax, set: set})
	}
	return files, nil
}

// row is a measure.
type row struct {
	name       string
	got, bound int
	where      string // the worst place; may be empty
}

// functions returns the lines of each function, with where it is.
func functions(f file) (list []row) {
	for _, d := range f.syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			from, to := f.set.Position(fn.Pos()), f.set.Position(fn.End())
			list = append(list, row{
				got:   to.Line - from.Line + 1,
				where: fmt.Sprintf("%s:%d %s", f.path, from.Line, fn.Name.Name),
			})
		}
	}
	return list
}

// interfaces returns how many methods each interface declares, with where it is.
func interfaces(f file) (list []row) {
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if i, ok := n.(*ast.InterfaceType); ok {
			methods := 0
			for _, m := range i.Methods.List {
				methods += len(m.Names)
			}
			list = append(list, row{got: methods, where: f.set.Position(i.Pos()).String()})
		}
		return true
	})
	return list
}

// columns is how wide a line may be, with tabs of four.
const columns = 100

// wideLines counts the lines of f that are too wide.
func wideLines(f file) (n int) {
	for line := range strings.SplitSeq(string(f.text), "\n") {
		if len([]rune(line))+3*strings.Count(line, "\t") > columns {
			n++
		}
	}
	return n
}

// percentile returns an element of a sorted list.
func percentile(sorted []row, percent int) row {
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}

func measure(files []file) []row {
	var funcs, sizes, ifaces []row
	packages, long := map[string]int{}, row{}
	code, tests := 0, 0
	for _, f := range files {
		if f.isTest() {
			tests += f.lines()
			continue
		}
		code += f.lines()
		packages[f.dir()] += f.lines()
		funcs = append(funcs, functions(f)...)
		ifaces = append(ifaces, interfaces(f)...)
		sizes = append(sizes, row{got: f.lines(), where: f.path})
		if n := wideLines(f); n > 0 {
			long.got += n
			long.where = f.path
		}
	}
	var large []row
	over := 0
	for name, lines := range packages {
		large = append(large, row{got: lines, where: name})
		if lines > 2500 {
			over++
		}
	}
	for _, list := range [][]row{funcs, sizes, ifaces, large} {
		slices.SortStableFunc(list, func(a, b row) int { return a.got - b.got })
	}
	bounded := func(name string, bound int, r row) row {
		return row{name: name, got: r.got, bound: bound, where: r.where}
	}
	rows := []row{
		{name: "lines of Go without tests", got: code, bound: mostCode},
		{name: "lines of Go with tests", got: code + tests, bound: mostLines},
		bounded("lines of a function, median", 10, row{got: percentile(funcs, 50).got}),
		bounded("lines of a function, 90 %", most90Function, row{got: percentile(funcs, 90).got}),
		bounded("lines of a function, longest", longestFunction, funcs[len(funcs)-1]),
		bounded("lines of a file, 90 %", most90File, row{got: percentile(sizes, 90).got}),
		bounded("lines of a file, longest", longestFile, sizes[len(sizes)-1]),
		{name: "packages of more than 2,500 lines", got: over, bound: mostLarge},
		bounded("lines of a package, largest", largestPackage, large[len(large)-1]),
		bounded("methods of an interface", 8, ifaces[len(ifaces)-1]),
		bounded(fmt.Sprintf("lines wider than %d columns", columns), mostWide, long),
	}
	for _, dir := range []string{"bff/payment", "bff/checkout"} {
		against, where := againstOrder(files, dir)
		rows = append(rows, row{
			name: "arrows against the reading order of " + dir, got: against, bound: 8,
			where: where,
		})
	}
	return rows
}

// report prints the rows. Errors: one exceeds its bound.
func report(rows []row) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	beyond := 0
	for _, r := range rows {
		mark := "✓"
		if r.got > r.bound {
			mark = "✗"
			beyond++
		}
		fmt.Fprintf(w, "%s\t%s\t%d\tat most %d\t%s\n", mark, r.name, r.got, r.bound, r.where)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if beyond > 0 {
		return fmt.Errorf("%d of %d measures exceed their bounds", beyond, len(rows))
	}
	return nil
}
