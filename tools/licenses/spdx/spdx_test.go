package spdx

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

func TestIdentify(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                                        "Apache-2.0",
		"Mozilla Public License Version 2.0":                                                                  "MPL-2.0",
		"Permission is hereby granted, free of charge, to any\nperson obtaining a copy":                       "MIT",
		"Redistribution and use in source and binary forms … Neither the name of X":                           "BSD-3-Clause",
		"Redistribution and use in source and binary forms, with or without modification, are permitted":      "BSD-2-Clause",
		"Permission to use, copy, modify, and distribute this software for any purpose with or without fee …": "ISC",
		"all rights reserved": "",
	} {
		fortest.Equal(t, Identify([]byte(text)), want, "Identify(%q)", text)
	}
}

// folder has files with these names and the MIT license's words in each.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		text := "Permission is hereby granted, free of charge, to any person obtaining a copy"
		fortest.OK(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	return root
}

func TestFiles(t *testing.T) {
	root := folder(t, "LICENSE-SQLITE", "LICENSE.txt", "NOTICE", "README.md", "license_test.go", "PATENTS", "Licence.md", "COPYING")
	got, err := Files(root)
	want := []string{"COPYING", "LICENSE.txt", "Licence.md", "NOTICE", "LICENSE-SQLITE"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Files = %v, %v; want %v", got, err, want)
	}
}

func TestModule(t *testing.T) {
	if got, err := Module(folder(t, "COPYING", "NOTICE")); got != "MIT" || err != nil {
		t.Errorf("with COPYING: %q, %v; want MIT", got, err)
	}
	if _, err := Module(folder(t, "NOTICE", "README.md")); err == nil || !strings.Contains(err.Error(), "no license file") {
		t.Errorf("with a notice alone: %v; want an error", err)
	}
}
