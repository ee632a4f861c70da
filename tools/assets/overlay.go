package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"coinslot/tools/originals"
)

// overlay returns the flag that makes the compiler use slim/std in place of the one file of
// the standard library that is replaced: with it come a search for bugs by bisection and all
// the runtime's metrics, 20 kB.
func (b *build) overlay(folder string) ([]string, error) {
	root, err := originals.GOROOT()
	if err != nil {
		return nil, err
	}
	replacement := filepath.Join(folder, "godebug.go")
	if err := unpack("slim/std/godebug.go.txt", replacement); err != nil {
		return nil, err
	}
	original := filepath.Join(root, filepath.FromSlash(originals.Godebug))
	replaced := map[string]string{original: replacement}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	if err != nil {
		return nil, fmt.Errorf("encoding an overlay: %w", err)
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return nil, fmt.Errorf("writing an overlay: %w", err)
	}
	return []string{"-overlay=" + file}, nil
}
