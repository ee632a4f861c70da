package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// godebug is the one file of the standard library that is exchanged: with it
// come a search for bugs by bisection and all the runtime's metrics, 20 kB.
const godebug = "src/internal/godebug/godebug.go"

// overlay returns the flag that makes the compiler use slim/std.
func (b *build) overlay(folder string) ([]string, error) {
	root, err := goroot()
	if err != nil {
		return nil, err
	}
	replacement := filepath.Join(folder, "godebug.go")
	if err := unpack("slim/std/godebug.go.txt", replacement); err != nil {
		return nil, err
	}
	replaced := map[string]string{filepath.Join(root, filepath.FromSlash(godebug)): replacement}
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
