package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

const (
	// godebug is the one file of the standard library that is exchanged: with it
	// come a search for bugs by bisection and all the runtime's metrics, 20 kB.
	godebug = "src/internal/godebug/godebug.go"
	// godebugOf is the hash of the original that slim/std was written for.
	// Another one is left as it is, which only costs size.
	godebugOf = "cd492e76ae63872a"
)

// overlay returns the flag that makes the compiler use slim/std; none if Go is
// not the one that it was written for.
func (b *build) overlay(folder string) ([]string, error) {
	original, sum, err := godebugSum()
	if err != nil {
		return nil, err
	}
	if sum != godebugOf {
		fmt.Fprintf(os.Stderr, "assets: Go's internal/godebug has changed (%s): tools/assets/slim/std is not used\n", sum)
		return nil, nil
	}
	replacement := filepath.Join(folder, "godebug.go")
	if err := unpack("slim/std/godebug.go.txt", replacement); err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {original: replacement}})
	if err != nil {
		return nil, fmt.Errorf("encoding an overlay: %w", err)
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return nil, fmt.Errorf("writing an overlay: %w", err)
	}
	return []string{"-overlay=" + file}, nil
}

// godebugSum returns where the original is and its hash.
func godebugSum() (file, sum string, err error) {
	root, err := goroot()
	if err != nil {
		return "", "", err
	}
	file = filepath.Join(root, filepath.FromSlash(godebug))
	content, err := os.ReadFile(file)
	if err != nil {
		return "", "", fmt.Errorf("reading the standard library: %w", err)
	}
	hash := sha256.Sum256(content)
	return file, hex.EncodeToString(hash[:8]), nil
}
