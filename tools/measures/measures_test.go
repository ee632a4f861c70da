package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// source is a file as read returns it.
func source(t *testing.T, path, text string) file {
	t.Helper()
	set := token.NewFileSet()
	syntax := fortest.Must(parser.ParseFile(set, path, text, parser.ParseComments))(t)
	return file{path: path, text: []byte(text), syntax: syntax, set: set}
}

func TestOrderArrows(t *testing.T) {
	doc := "// Package p is read in this order:\n//\n//\ttop.go  uses\n//\tlow.go  is used\npackage p\n"
	files := []file{
		source(t, "p/doc.go", doc),
		source(t, "p/top.go", "package p\n\nfunc Top() { low(); (T{}).M() }\n"),
		source(t, "p/low.go", "package p\n\ntype T struct{}\n\nfunc (T) M() {}\n\nfunc low() { Top() }\n"),
		source(t, "p/new.go", "package p\n\nfunc lost() {}\n"),
		source(t, "p/top_test.go", "package p\n\nfunc helper() { low() }\n"),
	}
	n, where := againstOrder(files, "p")
	if want := "low.go→top.go (Top), new.go is not in the list"; n != 2 || where != want {
		t.Errorf("againstOrder = %d, %q; want 2, %q", n, where, want)
	}
}

func TestMeasures(t *testing.T) {
	wide := "\t_ = `" + strings.Repeat("x", 100) + "`\n"
	files := []file{
		source(t, "a/a.go", "package a\n\ntype I interface {\n\tA()\n\tB()\n}\n\nfunc F() {\n"+wide+"}\n"),
		source(t, "a/a_test.go", "package a\n\nfunc f() {\n"+wide+"}\n"),
	}
	got := map[string]int{}
	for _, r := range measure(files) {
		got[r.name] = r.got
	}
	for name, want := range map[string]int{
		"lines of Go without tests": 10, "lines of Go with tests": 15, "lines of a function, longest": 3,
		"methods of an interface": 2, "lines wider than 100 columns": 1,
	} {
		fortest.Diff(t, got[name], want, "%s", name)
	}
}
