package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"coinslot/tools/compile"
)

// entry is a file of an archive.
type entry struct {
	name string
	mode int64
	data []byte
}

// extras are the other files of an archive: documentation with the images that it shows, deploy/,
// and third-party notices.
func (r *release) extras() ([]entry, error) {
	list, err := compile.Git(r.root, "ls-files", "-z", "--", "README.md", "LICENSE*",
		"CHANGELOG.md", "SECURITY.md", "docs", "deploy", ":!deploy/*.go",
		":!*_test.go")
	if err != nil {
		return nil, err
	}
	var extras []entry
	for name := range strings.SplitSeq(strings.Trim(list, "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, fmt.Errorf("reading a file of the archive: %w", err)
		}
		extras = append(extras, entry{name, 0o644, data})
	}
	notices, err := os.ReadFile(filepath.Join(r.root, "bff", "licenses", "third-party.txt"))
	if err != nil {
		return nil, fmt.Errorf("reading the third-party notices: %w", err)
	}
	shown := imagesShown(extras)
	extras = slices.DeleteFunc(extras, func(e entry) bool {
		return strings.HasPrefix(e.name, "docs/images/") && !slices.Contains(shown, e.name)
	})
	return append(extras, entry{"THIRD_PARTY_NOTICES.txt", 0o644, notices}), nil
}

// imageRef matches an image in Markdown: ![…](path), or the src or srcset of HTML.
var imageRef = regexp.MustCompile(`!\[[^\]]*\]\(([^)\s]+)|\bsrc(?:set)?="([^"\s]+)`)

// imagesShown lists the images in the Markdown files among entries. Others, like the sheets of the
// gallery (3.3 MB), are only linked and left out of an archive.
func imagesShown(entries []entry) (names []string) {
	for _, e := range entries {
		if path.Ext(e.name) != ".md" {
			continue
		}
		for _, m := range imageRef.FindAllStringSubmatch(string(e.data), -1) {
			names = append(names, path.Join(path.Dir(e.name), m[1]+m[2]))
		}
	}
	return names
}

// archive writes name.tar.gz, or name.zip for Windows: one folder, sorted, without owner, with the
// release's time. mholt/archives and GoReleaser's packages are wrappers of archive/tar and
// archive/zip as well; they take modes and times from files, which these entries are not.
func (r *release) archive(name, system string, files []entry) error {
	slices.SortFunc(files, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	write, ending := r.tarball, ".tar.gz"
	if system == "windows" {
		write, ending = r.zip, ".zip"
	}
	var b bytes.Buffer
	err := write(&b, name, files)
	if err == nil {
		err = os.WriteFile(filepath.Join(r.out, name+ending), b.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("packing %s: %w", name, err)
	}
	return nil
}

func (r *release) tarball(b *bytes.Buffer, folder string, files []entry) error {
	// The header has no name and no time.
	compressed, err := gzip.NewWriterLevel(b, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(compressed)
	for _, f := range files {
		err := t.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Mode: f.mode,
			Size: int64(len(f.data)), ModTime: r.version.Time, Format: tar.FormatUSTAR,
		})
		if err == nil {
			_, err = t.Write(f.data)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), compressed.Close())
}

func (r *release) zip(b *bytes.Buffer, folder string, files []entry) error {
	z := zip.NewWriter(b)
	for _, f := range files {
		w, err := z.CreateHeader(&zip.FileHeader{
			Name: folder + "/" + f.name, Method: zip.Deflate, Modified: r.version.Time,
		})
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// writeChecksums writes the checksums of all files, as sha256sum -c reads them.
func (r *release) writeChecksums() error {
	files, err := os.ReadDir(r.out) // sorted
	if err != nil {
		return fmt.Errorf("reading %s: %w", r.out, err)
	}
	var b strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(r.out, f.Name()))
		if err != nil {
			return fmt.Errorf("computing checksums: %w", err)
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), f.Name())
	}
	err = os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(b.String()), 0o644)
	if err != nil {
		return fmt.Errorf("writing SHA256SUMS: %w", err)
	}
	return nil
}
