package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"

	"coinslot/tools/licenses/spdx"
)

// sbom is a software bill of materials of a program in CycloneDX 1.5, read from the program itself.
//
// Source: cyclonedx.org/docs/1.5/json.
type sbom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Purl       string     `json:"purl"`
	Hashes     []object   `json:"hashes,omitempty"`
	Licenses   []object   `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type object map[string]any

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn,omitempty"`
}

// sbom returns the bill of materials of the program at path.
func (r *release) sbom(path string, binary []byte, system, arch string) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the program's build information: %w", err)
	}
	sum := sha256.Sum256(binary)
	self := library("coinslot", r.version.Name, "")
	self.Type = "application"
	self.Hashes = []object{{"alg": "SHA-256", "content": fmt.Sprintf("%x", sum)}}
	self.Properties = []property{
		{"coinslot:commit", r.version.Commit},
		{"coinslot:license", "none chosen yet: all rights reserved"}, // so there are no Licenses
		{"coinslot:platform", system + "/" + arch},
	}
	b := sbom{
		Format: "CycloneDX", Spec: "1.5", Version: 1, Serial: uuid(sum),
		Metadata: metadata{r.version.Time.Format(time.RFC3339), self},
	}
	goRelease := strings.TrimPrefix(info.GoVersion, "go")
	std := library("std", goRelease, "BSD-3-Clause")
	std.Purl = "pkg:golang/stdlib@" + goRelease
	linked, err := r.components(info.Deps)
	if err != nil {
		return nil, err
	}
	b.Components = append([]component{std}, linked...)
	all := dependency{Ref: self.Ref}
	for _, c := range b.Components {
		all.On = append(all.On, c.Ref)
	}
	b.Dependencies = []dependency{all}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// uuid derives a UUID from the program's hash. Source: RFC 9562, 5.8.
func uuid(sum [32]byte) string {
	u := sum[:16]
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

func library(name, version, id string) component {
	c := component{
		Type: "library", Name: name, Version: version, Purl: "pkg:golang/" + name + "@" + version,
	}
	c.Ref = c.Purl
	if id != "" {
		c.Licenses = []object{{"license": object{"id": id}}}
	}
	return c
}

// components returns the linked modules.
func (r *release) components(linked []*debug.Module) ([]component, error) {
	query := []string{"list", "-m", "-f", "{{.Dir}}"}
	for i, m := range linked {
		if m.Replace != nil {
			linked[i] = m.Replace
		}
		query = append(query, linked[i].Path+"@"+linked[i].Version)
	}
	cmd := exec.Command("go", query...)
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("finding the sources of %d modules: %w", len(linked), err)
	}
	folders := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(folders) != len(linked) {
		return nil, fmt.Errorf("finding the sources of %d modules: %d found",
			len(linked), len(folders))
	}
	var list []component
	for i, m := range linked {
		if folders[i] == "" {
			return nil, fmt.Errorf("finding the sources of %s: not downloaded", m.Path)
		}
		license, err := spdx.Module(folders[i])
		if err != nil {
			return nil, fmt.Errorf("reading the license of %s: %w", m.Path, err)
		}
		c := library(m.Path, m.Version, license)
		if m.Sum != "" {
			c.Properties = []property{{"go:sum", m.Sum}}
		}
		list = append(list, c)
	}
	return list, nil
}
