package main

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git names the contents of files by it
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"golang.org/x/mod/sumdb/dirhash"

	"coinslot/tools/compile"
)

// The patches have a folder for the version of go-app that they are for. They apply in the order
// of their names, and each says in its header what it is for. docs/patches.md is about them.
//
//go:embed patches
var patches embed.FS

// advice is the end of every error about patches.
const advice = `
What to do:
  - if you changed neither go-app nor a patch, the copy of go-app is damaged:
    go clean -modcache, and build again
  - if go-app was upgraded or a patch edited, renew the patches: docs/patches.md`

// source is the part of a module that is compiled for the browser: its Go files without tests and
// its go.mod, by their path in the module.
type source map[string][]byte

// patchedGoApp returns the source of go-app, which is at module, with all patches applied.
//
// Errors: there are no patches for this version; a file is not the one that a patch is for; a patch
// does not apply; some other file of the module differs from what go.sum has.
func patchedGoApp(module compile.Module) (source, error) {
	folder := "patches/go-app-" + module.Version
	names, err := fs.Glob(patches, folder+"/*.patch")
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("patching %s: tools/assets/%s has no patches%s",
			module.Path, folder, advice)
	}
	files, err := readSource(module.Dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := patches.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading a patch: %w", err)
		}
		if err := files.apply(text, module.Dir); err != nil {
			return nil, fmt.Errorf("applying tools/assets/%s: %w%s", name, err, advice)
		}
	}
	sum, err := dirhash.HashDir(module.Dir, module.Path+"@"+module.Version, dirhash.Hash1)
	if err != nil {
		return nil, fmt.Errorf("reading the copy of go-app: %w", err)
	}
	if sum != module.Sum {
		return nil, fmt.Errorf("checking %s: its hash is %s; expected %s, as in go.sum%s",
			module.Dir, sum, module.Sum, advice)
	}
	return files, nil
}

// readSource reads the packages of go-app that are compiled for the browser.
func readSource(module string) (source, error) {
	files := source{}
	for _, pattern := range []string{"go.mod", "pkg/app/*.go", "pkg/errors/*.go"} {
		found, err := filepath.Glob(filepath.Join(module, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, fmt.Errorf("listing the files of go-app: %w", err)
		}
		for _, file := range found {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			content, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("reading a file of go-app: %w", err)
			}
			files[path.Join(path.Dir(pattern), filepath.Base(file))] = content
		}
	}
	return files, nil
}

// apply changes files as a patch says, which is what git format-patch --full-index prints. module
// is where they come from, for errors.
func (s source) apply(patch []byte, module string) error {
	changes, _, err := gitdiff.Parse(bytes.NewReader(patch))
	if err != nil {
		return fmt.Errorf("reading the patch: %w", err)
	}
	if len(changes) == 0 {
		return errors.New("reading the patch: it changes no file")
	}
	for _, change := range changes {
		if err := s.change(change); err != nil {
			file := change.OldName
			if file == "" {
				file = change.NewName
			}
			return fmt.Errorf("%s: %w", filepath.Join(module, filepath.FromSlash(file)), err)
		}
	}
	return nil
}

// change applies what a patch does to one file. The file must have the hash that the patch has for
// it, before and after.
func (s source) change(f *gitdiff.File) error {
	old := s[f.OldName] // nil for a new file
	if s[f.NewName] != nil && f.IsNew {
		return errors.New("the file is there already; the patch adds it")
	}
	if have := blobHash(old); !f.IsNew && have != f.OldOIDPrefix {
		return fmt.Errorf("its git hash is %s; the patch is for a file with %s",
			have, f.OldOIDPrefix)
	}
	var changed bytes.Buffer
	if err := gitdiff.Apply(&changed, bytes.NewReader(old), f); err != nil {
		return fmt.Errorf("a change does not apply: %w", err)
	}
	delete(s, f.OldName)
	if f.IsDelete {
		return nil
	}
	if have := blobHash(changed.Bytes()); have != f.NewOIDPrefix {
		return fmt.Errorf("with the patch its git hash is %s; the patch says %s",
			have, f.NewOIDPrefix)
	}
	s[f.NewName] = changed.Bytes()
	return nil
}

// blobHash is what git calls the content of a file.
func blobHash(content []byte) string {
	blob := fmt.Appendf(nil, "blob %d\x00%s", len(content), content)
	sum := sha1.Sum(blob) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}

// write puts the files into a folder.
func (s source) write(folder string) error {
	for name, content := range s {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("making a folder for go-app: %w", err)
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return fmt.Errorf("writing a file of go-app: %w", err)
		}
	}
	return nil
}

// replaceGoApp writes the patched go-app into folder, which is in the module's own, and returns the
// flag that makes the Go command use it. (-overlay may not replace files of its module cache.)
func (b *build) replaceGoApp(folder string, files source) (flag string, err error) {
	if err := files.write(filepath.Join(folder, "go-app")); err != nil {
		return "", err
	}
	// The program says what it was made of: by a path from the module's own folder it says the same
	// wherever that is.
	near, err := filepath.Rel(b.root, filepath.Join(folder, "go-app"))
	if err != nil {
		return "", fmt.Errorf("finding the patched go-app: %w", err)
	}
	for _, name := range []string{"mod", "sum"} {
		content, err := os.ReadFile(filepath.Join(b.root, "go."+name))
		if err != nil {
			return "", fmt.Errorf("reading the module's files: %w", err)
		}
		if name == "mod" {
			near = filepath.ToSlash(near)
			content = fmt.Appendf(content, "\nreplace %s => ./%s\n", compile.GoApp, near)
		}
		if err := os.WriteFile(filepath.Join(folder, "patched."+name), content, 0o644); err != nil {
			return "", fmt.Errorf("writing a module file: %w", err)
		}
	}
	return "-modfile=" + filepath.Join(folder, "patched.mod"), nil
}
