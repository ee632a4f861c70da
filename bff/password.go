package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"coinslot/bff/console/auth/password"
)

// runAdminPassword prints the hash of a password, which it prompts for twice on a terminal, and
// else reads from the first line of the standard input.
func runAdminPassword(_ context.Context, args []string, s streams) error {
	if slices.Equal(args, []string{"-h"}) || slices.Equal(args, []string{"--help"}) {
		printFlags(s.out, flag.NewFlagSet("admin-password", flag.ContinueOnError))
		return nil
	}
	if len(args) > 0 {
		return errors.New("reading a password: it cannot be an argument, which others could see " +
			"in the process list")
	}

	read := func() (string, error) { return readLine(os.Stdin) }
	if term.IsTerminal(int(os.Stdin.Fd())) {
		read = func() (string, error) { return promptTwice(s.errors) }
	}

	text, err := read()
	if err != nil {
		return fmt.Errorf("reading a password: %w", err)
	}

	hash, err := password.New(text)
	if err != nil {
		return err
	}

	fmt.Fprintln(s.out, hash)
	return nil
}

// promptTwice reads a password twice from the terminal, without echo.
func promptTwice(prompt io.Writer) (string, error) {
	var typed [2]string
	for i, ask := range []string{"Password for the console: ", "Repeat the password: "} {
		fmt.Fprint(prompt, ask)
		text, err := term.ReadPassword(int(os.Stdin.Fd()))
		fmt.Fprintln(prompt)
		if err != nil {
			return "", err
		}
		typed[i] = string(text)
	}
	if typed[0] != typed[1] {
		return "", errors.New("the passwords differ")
	}

	return typed[0], nil
}

func readLine(in io.Reader) (string, error) {
	text, err := bufio.NewReader(io.LimitReader(in, password.MaxLength+2)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(text, "\r\n"), nil
}
