package main

import (
	"bytes"
	"cmp"
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

// Patches are in a folder named by the version of go-app, and apply in the order of their names.
// See docs/patches.md.
//
//go:embed patches
var patches embed.FS

// advice is the end of every error about patches.
const advice = `
What to do:
  - if you changed neither go-app nor a patch, the copy of go-app is damaged:
    go clean -modcache, and build again
  - if go-app was upgraded or a patch edited, renew the patches: docs/patches.md`

// source has the files of a module that are compiled for the browser, and go.mod, by path.
type source map[string][]byte

// patchedGoApp returns the source of go-app with all patches applied.
//
// Errors: there are no patches for this version; a patch is for another file, or does not apply;
// the module differs from go.sum.
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

// readSource reads the packages of go-app that run in the browser.
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

// apply applies a patch of git format-patch --full-index. module is the folder of the files, for
// errors.
func (s source) apply(patch []byte, module string) error {
	changes, _, err := gitdiff.Parse(bytes.NewReader(patch))
	if err != nil {
		return fmt.Errorf("reading the patch: %w", err)
	}
	if len(changes) == 0 {
		return errors.New("reading the patch: no changes in it")
	}

	for _, change := range changes {
		if err := s.change(change); err != nil {
			file := cmp.Or(change.OldName, change.NewName)
			return fmt.Errorf("%s: %w", filepath.Join(module, filepath.FromSlash(file)), err)
		}
	}

	return nil
}

// change applies a patch to one file, which must have the hashes in the patch before and after.
func (s source) change(f *gitdiff.File) error {
	old := s[f.OldName] // nil for a new file
	if s[f.NewName] != nil && f.IsNew {
		return errors.New("the patch adds the file, but it exists")
	}
	have := blobHash(old)
	if !f.IsNew && have != f.OldOIDPrefix {
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

// blobHash returns git's hash of a file's content.
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

// replaceGoApp writes the patched go-app into folder and returns the flag that makes the Go command
// use it. (-overlay cannot replace files of the module cache.)
func (b *build) replaceGoApp(folder string, files source) (flag string, err error) {
	if err := files.write(filepath.Join(folder, "go-app")); err != nil {
		return "", err
	}

	// The path is relative because the program contains it, and is to be the same everywhere.
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
