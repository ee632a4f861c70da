// Package spdx finds the license files of a Go module and names the licenses by their SPDX
// identifiers, like MIT (spdx.org/licenses).
package spdx

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Files lists the license and notice files in folder, those of the whole (LICENSE.txt) before those
// of parts (LICENSE-SQLITE).
//
// Errors: folder cannot be read.
func Files(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() && isLicense(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return strings.Count(a, "-") - strings.Count(b, "-")
	})
	return names, nil
}

func isLicense(name string) bool {
	name = strings.ToUpper(name)
	if filepath.Ext(name) == ".GO" { // source code, like notice_response.go
		return false
	}
	prefixes := []string{"LICENSE", "LICENCE", "UNLICENSE", "COPYING", "NOTICE"}
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Module returns the SPDX identifier of the license of the module in folder, as Identify does.
//
// Errors: there is no license file, or it cannot be read.
func Module(folder string) (string, error) {
	names, err := Files(folder)
	if err != nil {
		return "", err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return strings.HasPrefix(strings.ToUpper(name), "NOTICE")
	})
	if len(names) == 0 {
		return "", fmt.Errorf("%s: no license file", folder)
	}
	text, err := os.ReadFile(filepath.Join(folder, names[0]))
	return Identify(text), err
}

// Identify returns the SPDX identifier of a license text; empty = unknown.
func Identify(text []byte) string {
	words := string(bytes.Join(bytes.Fields(text), []byte(" ")))
	has := func(s string) bool { return strings.Contains(words, s) }
	switch {
	case has("Apache License Version 2.0"):
		return "Apache-2.0"
	case has("Mozilla Public License Version 2.0"):
		return "MPL-2.0"
	case has("Permission is hereby granted, free of charge, to any person obtaining a copy"):
		return "MIT"
	case has("Permission to use, copy, modify, and/or distribute this software"),
		has("Permission to use, copy, modify, and distribute this software"):
		return "ISC"
	case !has("Redistribution and use in source and binary forms"):
		return ""
	case has("Neither the name"), has("may not be used to endorse"), has("may be used to endorse"):
		return "BSD-3-Clause"
	}
	return "BSD-2-Clause"
}
