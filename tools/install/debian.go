package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// installPackages installs Debian's packages of the tools in one go. It does nothing where there is
// no apt-get, or where it would have to ask for a password.
func installPackages(out io.Writer, list []tool) error {
	root, ok := asRoot()
	if len(list) == 0 || !ok {
		return nil
	}

	var packages []string
	for _, tool := range list {
		packages = append(packages, strings.Fields(tool.packages)...)
	}
	fmt.Fprintf(out, "  install   %s from Debian, which the tests run (log: %s)\n", names(list), logPath)

	allow, err := forbidStarts(root)
	if err != nil {
		return err
	}

	before := startLinks()
	err = logged(append(root, "apt-get", "update", "-q")...)
	if err == nil {
		arguments := []string{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install",
			"-y", "-q", "--no-install-recommends"}
		err = logged(slices.Concat(root, arguments, packages)...)
	}

	for _, link := range startLinks() {
		if !slices.Contains(before, link) {
			err = errors.Join(err, logged(append(root, "rm", link)...))
		}
	}

	return errors.Join(err, allow())
}

// asRoot returns what precedes a command that only root may run: nothing, or sudo. ok is false
// where there is no apt-get, or no right to use it without a password.
func asRoot() (prefix []string, ok bool) {
	if !inPath("apt-get")() {
		return nil, false
	}
	if os.Geteuid() == 0 {
		return nil, true
	}
	return []string{"sudo", "-n"}, runs("sudo", "-n", "true")()
}

// policy is the script that packages ask whether they may start a service.
// Source: https://people.debian.org/~hmh/invokerc.d-policyrc.d-specification.txt
const policy = "/usr/sbin/policy-rc.d"

// forbidStarts keeps packages from starting their services until allow is called. A machine with a
// policy of its own keeps that.
func forbidStarts(root []string) (allow func() error, err error) {
	if _, err := os.Stat(policy); err == nil {
		return func() error { return nil }, nil
	}
	script := fmt.Sprintf("printf '#!/bin/sh\\nexit 101\\n' >%s && chmod 755 %s", policy, policy)
	if err := logged(append(root, "sh", "-c", script)...); err != nil {
		return nil, err
	}
	return func() error { return logged(append(root, "rm", policy)...) }, nil
}

// startLinks returns the links that start services with the machine, systemd's and System V's. A
// service without its link stays disabled when its package is upgraded.
func startLinks() (list []string) {
	for _, pattern := range []string{"/etc/systemd/system/*.wants/*.service", "/etc/rc[2-5].d/S*"} {
		links, _ := filepath.Glob(pattern) // the pattern is right
		list = append(list, links...)
	}
	return list
}

// logged runs a command and appends what it prints to the log.
//
// Errors: the command failed; the last lines that it printed are in the error.
func logged(command ...string) error {
	log, err := os.OpenFile(logPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	fmt.Fprintln(log, "$", strings.Join(command, " "))

	var said bytes.Buffer
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdout = io.MultiWriter(log, &said)
	cmd.Stderr = cmd.Stdout
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, lastLines(said.String(), 20))
	}
	return nil
}

// lastLines returns the last n lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
