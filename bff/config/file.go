package config

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// ReadFile reads a file of settings: lines NAME=value, as systemd and shells read them. A value may
// be in single or double quotes, and then holds neither a quote of this kind nor a backslash. Empty
// lines and those that begin with # are left out. It returns the entries as os.Environ has them.
//
// Errors: the file cannot be read, or every user can read it; a line is no setting. They name the
// line and do not show it.
func ReadFile(path string) ([]string, error) {
	if err := checkClosed(path); err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, errUnreadable
	}

	var entries []string
	for i, line := range strings.Split(string(raw), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, prefix) || name != strings.TrimSpace(name) {
			return nil, fmt.Errorf("line %d: it is not %s…=value", i+1, prefix)
		}
		value, err := unquote(value)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		entries = append(entries, name+"="+value)
	}
	return entries, nil
}

// unquote returns a value without its quotes. Errors: what a shell or systemd reads otherwise.
func unquote(value string) (string, error) {
	value = strings.TrimSpace(value)
	for _, quote := range []string{`'`, `"`} {
		inner, quoted := strings.CutPrefix(value, quote)
		if !quoted {
			continue
		}
		inner, closed := strings.CutSuffix(inner, quote)
		if !closed || strings.ContainsAny(inner, quote+`\`) {
			return "", errors.New("its quotes do not match")
		}
		return inner, nil
	}
	if strings.ContainsAny(value, "'\"\\ \t$`") {
		return "", errors.New("put the value in single quotes")
	}
	return value, nil
}

// Quote returns a line of a file of settings; value has no single quote and no line break.
func Quote(name, value string) string {
	plain, err := unquote(value)
	if err == nil && plain == value {
		return name + "=" + value
	}
	return name + "='" + value + "'"
}
