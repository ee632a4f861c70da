package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"coinslot/tools/compile"
	"coinslot/tools/licenses/spdx"
)

// module is a module of which at least one package is linked.
type module struct {
	path, version string
	license       string // SPDX identifier; empty = see the texts
	texts         []text
}

// text is a license or notice file of a module.
type text struct {
	name    string // from the module's folder, like LICENSE
	content string
}

// goPackage is the output of go list.
type goPackage struct {
	Dir    string
	Module *goModule // nil = of the standard library
}

type goModule struct {
	Path, Version, Dir string
	Main               bool
	Replace            *goModule
}

// linkedModules returns the modules of the server on all platforms of a release and of the browser
// program, sorted by path.
//
// Errors: the Go command failed; a module has no license file.
func linkedModules(root string) ([]module, error) {
	var packages []goPackage
	for _, platform := range compile.Platforms() {
		system, arch, _ := strings.Cut(platform, "/")
		found, err := listPackages(root, system, arch, "./bff")
		if err != nil {
			return nil, err
		}
		packages = append(packages, found...)
	}
	found, err := listPackages(root, "js", "wasm", "./app")
	if err != nil {
		return nil, err
	}
	return readLicenses(append(packages, found...))
}

// listPackages returns a package and its dependencies.
func listPackages(root, system, arch, pkg string) ([]goPackage, error) {
	args := append([]string{"list", "-deps", "-json=Dir,Module"}, compile.Flags()...)
	cmd := exec.Command("go", append(args, pkg)...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = root, compile.Env(system, arch), &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages of %s for %s/%s: %w\n%s",
			pkg, system, arch, err, stderr.Bytes())
	}
	var packages []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("decoding the output of go list: %w", err)
		}
		packages = append(packages, p)
	}
}

// readLicenses reads the license files of the packages' modules: those in the module's folder, and
// those between it and a package, which are for code from elsewhere.
func readLicenses(packages []goPackage) ([]module, error) {
	modules, seen := map[string]*module{}, map[string]bool{}
	for _, p := range packages {
		if p.Module == nil || p.Module.Main { // the standard library, or ours
			continue
		}
		root := filepath.Clean(p.Module.Dir)
		folder := filepath.Clean(p.Dir)
		for ; len(folder) >= len(root) && !seen[folder]; folder = filepath.Dir(folder) {
			seen[folder] = true
			if modules[root] == nil {
				m := &module{path: p.Module.Path, version: p.Module.Version}
				if r := p.Module.Replace; r != nil {
					m.path, m.version = r.Path, r.Version
				}
				modules[root] = m
			}
			if err := modules[root].addLicenses(root, folder); err != nil {
				return nil, err
			}
		}
	}
	var all []module
	for root, m := range modules {
		license, err := spdx.Module(root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: without a license it can't be shipped", m.name(), err)
		}
		m.license = license
		slices.SortStableFunc(m.texts, func(a, b text) int {
			return cmp.Compare(filepath.Dir(a.name), filepath.Dir(b.name))
		})
		all = append(all, *m)
	}
	slices.SortFunc(all, func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return all, nil
}

// addLicenses adds the license files of one folder of the module in root.
func (m *module) addLicenses(root, folder string) error {
	names, err := spdx.Files(folder)
	if err != nil {
		return fmt.Errorf("looking for licenses of %s: %w", m.path, err)
	}
	for _, name := range names {
		path := filepath.Join(folder, name)
		content, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading a license of %s: %w", m.path, err)
		}
		if name, err = filepath.Rel(root, path); err != nil {
			return err
		}
		m.texts = append(m.texts, text{filepath.ToSlash(name), normalize(content)})
	}
	return nil
}

// normalize converts line endings to LF and trims empty lines.
func normalize(content []byte) string {
	return strings.Trim(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n") + "\n"
}
