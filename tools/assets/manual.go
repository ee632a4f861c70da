package main

import (
	"fmt"
	"os"
	"path/filepath"

	"coinslot/bff/web/problems"
	"coinslot/tools/reference"
)

// manual renders the API's documentation: openapi.json, and the pages api.html and errors.html with
// the stylesheet that styles has built. The server puts its own origin into them.
func (b *build) manual() error {
	css := "/assets/" + b.manifest.Files["docs.css"].File
	openAPI, err := b.readDocs("openapi.yaml")
	if err != nil {
		return err
	}
	document, err := reference.Load(openAPI, problems.Answers)
	if err != nil {
		return fmt.Errorf("describing the API: %w", err)
	}
	if err := b.add("openapi.json", document.JSON(), false); err != nil {
		return err
	}

	api, err := document.Page(css)
	if err != nil {
		return fmt.Errorf("writing the page of the API: %w", err)
	}
	if err := b.add("api.html", api, false); err != nil {
		return err
	}

	codes, err := b.readDocs("errors.md")
	if err != nil {
		return err
	}
	page, err := reference.Errors(codes, css)
	if err != nil {
		return fmt.Errorf("writing the page of errors: %w", err)
	}
	return b.add("errors.html", page, false)
}

// readDocs reads a file under docs.
func (b *build) readDocs(name string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(b.root, "docs", name))
	if err != nil {
		return nil, fmt.Errorf("reading a source: %w", err)
	}
	return content, nil
}
