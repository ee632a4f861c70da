package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"

	"github.com/evanw/esbuild/pkg/api"
)

// TestStorageShimComesWithTheLoader: the storage shim runs with Go's loader, before the program.
// The frame's own script does not touch the storage, whose first use waits for a disk.
func TestStorageShimComesWithTheLoader(t *testing.T) {
	b := &build{root: "../..", out: t.TempDir(), quality: 1, manifest: manifest{Files: map[string]entry{}}}
	fortest.OK(t, b.scripts())
	frame, loader := b.built(t, "frame.js"), b.built(t, loaderName)
	fortest.Lacks(t, "frame.js uses the storage, or contains Go's loader", frame,
		"Storage", "importObject=")
	if !strings.Contains(loader, "localStorage") || !strings.Contains(loader, "importObject=") || !strings.Contains(loader, "globalThis.Go=") {
		t.Error("Go's loader is another one, or the shim is missing: frame.js needs Go and storage")
	}
	fortest.Lacks(t, "the page's scripts contain", frame+loader,
		"eval(", "new Function", "innerHTML", "document.write")
}

// built returns what was written for a name.
func (b *build) built(t *testing.T, name string) string {
	t.Helper()
	return string(fortest.Must(os.ReadFile(filepath.Join(b.out, b.manifest.Files[name].File)))(t))
}

func TestMinifyReportsErrors(t *testing.T) {
	if _, err := new(build).minify("let = ;", "broken.js", api.LoaderJS); err == nil || !strings.Contains(err.Error(), "broken.js") {
		t.Errorf("error %v; want one that names the file", err)
	}
}

func TestHashedName(t *testing.T) {
	fortest.Equal(t, hashedName("checkout.d.ts", nil), "checkout.e3b0c44298fc.d.ts", "hashed")
}

// TestFinishRemovesOldFiles: files of earlier builds once stayed and were embedded forever.
func TestFinishRemovesOldFiles(t *testing.T) {
	b := &build{out: t.TempDir(), quality: 1, manifest: manifest{Files: map[string]entry{}}}
	for _, name := range []string{"old.000000000000.js", ".gitkeep"} {
		fortest.OK(t, b.write(name, nil))
	}
	fortest.OK(t, b.add("a.js", []byte("1"), true))
	fortest.OK(t, b.finish())
	files := fortest.Must(os.ReadDir(b.out))(t)
	if len(files) != 5 { // .gitkeep, manifest.json, a.….js, .br, .gz
		t.Errorf("%d files are left: %v", len(files), files)
	}
}

// program is a WebAssembly program with one section of type 1 and one of data.
func program(data ...byte) []byte {
	p := append([]byte(wasmHeader), 1, 1, 0)
	return append(append(p, sectionOfData, byte(len(data))), data...)
}

func TestJoinData(t *testing.T) {
	far := []byte{opI32Const, 0xc0, 0x81, 0x00} // 0x00c0 = 192 away from the first, more than joinGap
	tests := []struct {
		name     string
		in, want []byte
	}{
		{"none", []byte{0}, []byte{0}},
		{"zeroes only", []byte{1, 0, opI32Const, 3, opEnd, 2, 0, 0}, []byte{0}},
		{"neighbours", []byte{2, 0, opI32Const, 3, opEnd, 1, 7, 0, opI32Const, 6, opEnd, 2, 8, 0},
			[]byte{1, 0, opI32Const, 3, opEnd, 4, 7, 0, 0, 8}},
		{"out of order, the later one counts", []byte{2, 0, opI32Const, 4, opEnd, 2, 7, 7, 0, opI32Const, 3, opEnd, 2, 8, 9},
			[]byte{1, 0, opI32Const, 3, opEnd, 3, 8, 9, 7}},
		{"far apart", slices.Concat([]byte{2, 0, opI32Const, 3, opEnd, 1, 7, 0}, far, []byte{opEnd, 1, 8}),
			slices.Concat([]byte{2, 0, opI32Const, 3, opEnd, 1, 7, 0}, []byte{opI32Const, 0xc0, 0x01}, []byte{opEnd, 1, 8})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := joinData(program(test.in...))
			if err != nil || !bytes.Equal(got, program(test.want...)) {
				t.Errorf("joined %x, %v; want %x", got, err, program(test.want...))
			}
		})
	}
}

func TestJoinDataRefuses(t *testing.T) {
	for name, in := range map[string][]byte{
		"empty":         nil,
		"not a program": []byte("MZ"),
		"cut short":     program(1, 0, opI32Const, 3, opEnd, 1, 7)[:15],
		"passive data":  program(1, 1, 1, 7),
		"global offset": program(1, 0, 0x23, 0, opEnd, 1, 7),
		"below zero":    program(1, 0, opI32Const, 0x7f, opEnd, 1, 7),
		"beyond memory": program(1, 0, opI32Const, 0x80, 0x80, 0x80, 0x20, opEnd, 1, 7),
		"more follows":  program(1, 0, opI32Const, 3, opEnd, 1, 7, 7),
	} {
		if _, err := joinData(in); !errors.Is(err, errMalformed) {
			t.Errorf("%s: error %v; want %v", name, err, errMalformed)
		}
	}
}

// FuzzJoinData: what is accepted makes the same memory afterwards, and is
// joined already when it is joined again.
func FuzzJoinData(f *testing.F) {
	f.Add([]byte{2, 0, opI32Const, 3, opEnd, 1, 7, 0, opI32Const, 6, opEnd, 2, 8, 0})
	f.Add([]byte{2, 0, opI32Const, 4, opEnd, 2, 7, 7, 0, opI32Const, 0xc0, 0x81, 0x00, opEnd, 1, 9})
	f.Fuzz(func(t *testing.T, section []byte) {
		before, err := dataImage(section)
		if err != nil || len(before) > 1<<20 {
			return
		}
		joined := before.section()
		after := fortest.Must(dataImage(joined))(t)
		if !bytes.Equal(after, bytes.TrimRight(before, "\x00")) {
			t.Errorf("the memory has changed: %x, was %x", after, before)
		}
		if again := after.section(); !bytes.Equal(again, joined) {
			t.Errorf("joined again: %x, was %x", again, joined)
		}
	})
}
