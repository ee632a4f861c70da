package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/andybalholm/brotli"
)

// manifest is dist/manifest.json, which lists the built files.
type manifest struct {
	Files map[string]entry `json:"files"` // by plain name, "app.wasm"
	// Stamp is the hash of the WebAssembly program's inputs, and Quality its brotli quality.
	Stamp   string `json:"stamp"`
	Quality int    `json:"quality"`
}

// entry is one built file.
type entry struct {
	File      string `json:"file"`      // in dist, with the content's hash, "app.1f2e3d4c.wasm"
	Size      int    `json:"size"`      // bytes, uncompressed
	Brotli    int    `json:"brotli"`    // bytes of File.br; 0 if there is none
	Gzip      int    `json:"gzip"`      // bytes of File.gz; 0 if there is none
	Plain     bool   `json:"plain"`     // File itself is there, not only its compressed forms
	Integrity string `json:"integrity"` // for <script integrity>, "sha384-…"
}

// build is one run of the tool.
type build struct {
	root, out string
	quality   int  // brotli's quality, 0 to 11
	dev       bool // everything plain: neither minified nor compressed
	manifest  manifest
}

// add writes a file into out, compressed and, if plain is set, as it is, and adds it to the
// manifest. Without plain there is brotli only; the server makes other forms for old clients.
func (b *build) add(name string, content []byte, plain bool) error {
	plain = plain || b.dev
	forms := map[string][]byte{} // by the ending of the file's name
	if plain {
		forms[""] = content
	}
	if !b.dev {
		forms[".br"] = compressBrotli(content, b.quality)
	}
	if plain && !b.dev {
		forms[".gz"] = compressGzip(content)
	}

	e := entry{
		File:      hashedName(name, content),
		Size:      len(content),
		Brotli:    len(forms[".br"]),
		Gzip:      len(forms[".gz"]),
		Plain:     plain,
		Integrity: integrity(content),
	}
	b.manifest.Files[name] = e
	for ending, form := range forms {
		if err := b.write(e.File+ending, form); err != nil {
			return err
		}
	}

	return nil
}

func (b *build) write(name string, content []byte) error {
	if err := os.WriteFile(filepath.Join(b.out, name), content, 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// finish writes the manifest and removes other files.
func (b *build) finish() error {
	text, err := json.MarshalIndent(b.manifest, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the manifest: %w", err)
	}
	if err := b.write("manifest.json", append(text, '\n')); err != nil {
		return err
	}

	known := map[string]bool{"manifest.json": true, ".gitkeep": true}
	for _, e := range b.manifest.Files {
		known[e.File] = e.Plain
		known[e.File+".br"] = e.Brotli > 0
		known[e.File+".gz"] = e.Gzip > 0
	}

	files, err := os.ReadDir(b.out)
	if err != nil {
		return fmt.Errorf("listing %s: %w", b.out, err)
	}

	for _, f := range files {
		if known[f.Name()] {
			continue
		}
		if err := os.RemoveAll(filepath.Join(b.out, f.Name())); err != nil {
			return fmt.Errorf("removing an outdated file: %w", err)
		}
	}

	return nil
}

// hashedName inserts 12 digits of the content's hash before a name's extension.
func hashedName(name string, content []byte) string {
	sum := sha256.Sum256(content)
	stem, extension, _ := strings.Cut(name, ".")
	return stem + "." + hex.EncodeToString(sum[:6]) + "." + extension
}

// integrity returns the value of a script's integrity attribute.
func integrity(content []byte) string {
	sum := sha512.Sum384(content)
	return "sha384-" + base64.StdEncoding.EncodeToString(sum[:])
}

func compressBrotli(content []byte, quality int) []byte {
	window := 0 // by size, best for small files
	if len(content) > 1<<22 {
		window = 24
	}
	var packed bytes.Buffer
	w := brotli.NewWriterOptions(&packed, brotli.WriterOptions{Quality: quality, LGWin: window})
	return compressAll(w, content, &packed)
}

func compressGzip(content []byte) []byte {
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid
	return compressAll(w, content, &packed)
}

// compressAll writes content to w, which compresses into packed. It panics on an error, which a
// bytes.Buffer never returns.
func compressAll(w io.WriteCloser, content []byte, packed *bytes.Buffer) []byte {
	_, err := w.Write(content)
	if err := errors.Join(err, w.Close()); err != nil {
		panic("compressing into memory: " + err.Error())
	}
	return packed.Bytes()
}
