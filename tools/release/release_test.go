package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
	"coinslot/tools/compile"
)

// checkout copies what git knows of the module, and the built assets, to a folder
// with a repository of its own.
func checkout(t *testing.T) string {
	t.Helper()
	from, root := filepath.Join("..", ".."), t.TempDir()
	list, err := compile.Git(from, "ls-files", "-z", "--cached", "--others", "--exclude-standard",
		"--", ":!*_test.go", ":!*/testdata/*")
	fortest.OK(t, err)
	names := strings.FieldsFunc(list, func(r rune) bool { return r == 0 })
	assets := fortest.Must(filepath.Glob(filepath.Join(from, "static", "dist", "*")))(t)
	for _, path := range assets {
		names = append(names, "static/dist/"+filepath.Base(path))
	}
	for _, name := range names {
		err := copyFile(filepath.Join(root, name), filepath.Join(from, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // deleted, and not committed yet
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		fortest.Must(compile.Git(root, args...))(t)
	}
	return root
}

// copyFile copies a file with its permissions, but for those that the umask takes away.
func copyFile(to, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}

// made makes a release of one platform and returns its files by name.
func made(t *testing.T, root, platform string) map[string][]byte {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "1764000000")
	r := release{root: root, out: filepath.Join(t.TempDir(), "dist")}
	fortest.OK(t, r.resolveVersion("v1.2.3", strings.Repeat("c", 40), false))
	fortest.OK(t, r.run([]string{platform}))
	files := map[string][]byte{}
	found := fortest.Must(os.ReadDir(r.out))(t)
	for _, f := range found {
		files[f.Name()] = fortest.Must(os.ReadFile(filepath.Join(r.out, f.Name())))(t)
	}
	return files
}

// Other folders, another time zone, another umask and other times of files make the same bytes.
// (That an empty build cache does is not tried here: it takes minutes. docs/deploy.md says how to.)
func TestSameBytes(t *testing.T) {
	need.Long(t, "it builds two releases")
	platform := runtime.GOOS + "/" + runtime.GOARCH
	first := made(t, checkout(t), platform)
	t.Setenv("TZ", "Asia/Kolkata")
	t.Setenv("GOFLAGS", "-buildvcs=true")
	t.Setenv("GOAMD64", "v2")
	defer restoreUmask()()
	again := made(t, checkout(t), platform)
	if string(first["SHA256SUMS"]) != string(again["SHA256SUMS"]) || len(first) != 3 {
		t.Errorf("two releases of one commit:\n%s\n%s", first["SHA256SUMS"], again["SHA256SUMS"])
	}
	t.Run("contents", func(t *testing.T) { contents(t, first) })
}

// contents looks into the archive and the list of parts.
func contents(t *testing.T, files map[string][]byte) {
	name := "coinslot_v1.2.3_" + runtime.GOOS + "_" + runtime.GOARCH
	packed := unpacked(t, files[name+".tar.gz"])
	for _, want := range []string{"coinslot", "README.md", "docs/api.md", "deploy/compose.yaml", "docs/examples/go/main.go"} {
		if len(packed[name+"/"+want]) == 0 {
			t.Errorf("the archive lacks %s", want)
		}
	}
	for _, not := range []string{"docs/images/gallery/every-screen-light-ltr.webp", "deploy/deploy_test.go"} {
		if len(packed[name+"/"+not]) != 0 {
			t.Errorf("the archive has %s, which is of no use there or too large", not)
		}
	}
	showsPictures(t, name+"/", packed)
	program := filepath.Join(t.TempDir(), "coinslot")
	fortest.OK(t, os.WriteFile(program, packed[name+"/coinslot"], 0o755))
	said, err := exec.Command(program, "version").Output()
	want := fmt.Sprintf("coinslot v1.2.3\ncommit   %s of 2025-11-24T16:00:00Z\ngo       %s\nplatform %s/%s\n",
		strings.Repeat("c", 40), strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH)
	if err != nil || string(said) != want {
		t.Errorf("version says %v\n%s\nwant\n%s", err, said, want)
	}
	notices, err := exec.Command(program, "licenses").Output()
	if err != nil || !bytes.Equal(notices, packed[name+"/THIRD_PARTY_NOTICES.txt"]) || !bytes.Contains(notices, []byte("modernc.org/sqlite")) {
		t.Errorf("coinslot licenses: %v, or not what THIRD_PARTY_NOTICES.txt says: %.300s", err, notices)
	}
	var parts sbom
	if err := json.Unmarshal(files[name+".cdx.json"], &parts); err != nil || parts.Format != "CycloneDX" || parts.Spec != "1.5" {
		t.Fatalf("the list of parts: %v %.200s", err, files[name+".cdx.json"])
	}
	for _, c := range parts.Components {
		if len(c.Licenses) == 0 {
			t.Errorf("%s has no license", c.Purl)
		}
		if c.Name != "std" && !bytes.Contains(notices, []byte(c.Name+" ")) {
			t.Errorf("%s is linked and not among the third-party notices", c.Purl)
		}
	}
	self := parts.Metadata.Component
	if len(self.Licenses) != 0 || !slices.Contains(self.Properties, property{"coinslot:license", "none chosen yet: all rights reserved"}) {
		t.Errorf("coinslot itself is under %v, %v; its owner has chosen no license", self.Licenses, self.Properties)
	}
	if !slices.ContainsFunc(parts.Components, func(c component) bool { return strings.HasPrefix(c.Purl, "pkg:golang/modernc.org/sqlite@v") }) {
		t.Error("SQLite is no part of the program")
	}
	if bytes.Contains(packed[name+"/coinslot"], []byte("/coinslot-release-")) {
		t.Error("the program holds the folder that it was built in")
	}
}

// showsPictures looks for every picture that a page of the archive shows.
func showsPictures(t *testing.T, folder string, packed map[string][]byte) {
	t.Helper()
	found := 0
	for name, text := range packed {
		if path.Ext(name) != ".md" {
			continue
		}
		for _, m := range regexp.MustCompile(`!\[[^\]]*\]\(([^)\s]+)`).FindAllStringSubmatch(string(text), -1) {
			found++
			if target := path.Join(path.Dir(name), m[1]); len(packed[target]) == 0 {
				t.Errorf("%s shows %s, which the archive lacks", name, m[1])
			}
		}
	}
	if found == 0 || len(packed[folder+"docs/images/checkout.png"]) == 0 {
		t.Errorf("%d pictures are shown, README's among them", found)
	}
}

// What pages only link to is no picture of theirs.
func TestImagesShown(t *testing.T) {
	got := imagesShown([]entry{
		{"README.md", 0o644, []byte("![A](docs/images/a.png) and [b](docs/images/b.webp)\n| ![C](docs/images/c.png \"title\") |")},
		{"docs/d.md", 0o644, []byte(`<img alt="" src="images/d.png"><source srcset="../e.png">`)},
		{"docs/f.yaml", 0o644, []byte("![F](f.png)")},
	})
	want := []string{"docs/images/a.png", "docs/images/c.png", "docs/images/d.png", "e.png"}
	fortest.Diff(t, got, want, "pictures")
}

func unpacked(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	compressed := fortest.Must(gzip.NewReader(bytes.NewReader(archive)))(t)
	files := map[string][]byte{}
	for list, last := tar.NewReader(compressed), ""; ; {
		head, err := list.Next()
		if errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		if head.Name <= last || head.Uid != 0 || head.Gid != 0 || head.ModTime.Unix() != 1764000000 || head.Mode != 0o644 && head.Mode != 0o755 {
			t.Errorf("%+v is not sorted, or has an owner, a time or a mode of this machine", head)
		}
		last = head.Name
		files[head.Name] = fortest.Must(io.ReadAll(list))(t)
	}
}

// Zip archives keep to the same.
func TestZip(t *testing.T) {
	var a, b bytes.Buffer
	files := []entry{{"coinslot.exe", 0o755, []byte("x")}, {"docs/a.md", 0o644, []byte("y")}}
	for _, to := range []*bytes.Buffer{&a, &b} {
		fortest.OK(t, (&release{}).zip(to, "folder", files))
	}
	z, err := zip.NewReader(bytes.NewReader(a.Bytes()), int64(a.Len()))
	if err != nil || len(z.File) != 2 || z.File[0].Name != "folder/coinslot.exe" || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("zip: %v, %+v", err, z)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ version, platform, says string }{
		{"1.2.3", "linux/amd64", "like v1.2.3"}, {"v1.2", "linux/amd64", "like v1.2.3"}, {"v1.2.3", "plan9/mips", "unknown platform"},
	} {
		t.Setenv("SOURCE_DATE_EPOCH", "1764000000")
		r := release{root: filepath.Join("..", ".."), out: t.TempDir()}
		err := r.resolveVersion(c.version, "c", false)
		if err == nil {
			err = r.run([]string{c.platform})
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
