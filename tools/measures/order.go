package main

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// fileName matches a file in the list of a package comment.
var fileName = regexp.MustCompile(`(?m)^\t(\w+\.go)\s`)

// readingOrder returns the files that a package comment lists, callers first.
func readingOrder(files []file, dir string) []string {
	var order []string
	for _, f := range files {
		if f.dir() != dir || f.isTest() || f.syntax.Doc == nil {
			continue
		}
		for _, m := range fileName.FindAllStringSubmatch(f.syntax.Doc.Text(), -1) {
			order = append(order, m[1])
		}
	}
	return order
}

// againstOrder counts the pairs of a package's files of which the later one, in reading order, uses
// the earlier one; where names them. A file missing from the list counts too.
func againstOrder(files []file, dir string) (n int, where string) {
	order := readingOrder(files, dir)
	home := map[string]string{} // declared name → file
	for _, f := range files {
		if f.dir() == dir && !f.isTest() {
			for name := range declared(f) {
				home[name] = filepath.Base(f.path)
			}
		}
	}
	var pairs []string
	for _, f := range files {
		base := filepath.Base(f.path)
		if f.dir() != dir || f.isTest() || base == "doc.go" {
			continue
		}
		if !slices.Contains(order, base) {
			pairs = append(pairs, base+" is not in the list")
			continue
		}
		seen := map[string]bool{}
		for name := range used(f) {
			to := home[name]
			if to == "" || to == base || seen[to] {
				continue
			}
			seen[to] = true
			if slices.Index(order, to) < slices.Index(order, base) {
				pairs = append(pairs, base+"→"+to+" ("+name+")")
			}
		}
	}
	slices.Sort(pairs)
	return len(pairs), strings.Join(pairs, ", ")
}

// declared returns the names that f declares in its package: functions, methods as
// ".name", types, variables and constants.
func declared(f file) map[string]bool {
	names := map[string]bool{}
	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				names["."+d.Name.Name] = true
			} else {
				names[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names[n.Name] = true
					}
				}
			}
		}
	}
	return names
}

// used returns the names that f uses, in the form of declared. Methods are matched by name only.
func used(f file) map[string]bool {
	names := map[string]bool{}
	for _, i := range f.syntax.Unresolved {
		names[i.Name] = true
	}
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok {
				names["."+s.Sel.Name] = true
			}
		}
		return true
	})
	return names
}
