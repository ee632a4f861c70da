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

// runAdminPassword prints the hash of a password, which comes from the terminal,
// twice and unseen, or else is the first line of the standard input.
func runAdminPassword(_ context.Context, args []string, s streams) error {
	if slices.Equal(args, []string{"-h"}) || slices.Equal(args, []string{"--help"}) {
		printFlags(s.out, flag.NewFlagSet("admin-password", flag.ContinueOnError))
		return nil
	}
	if len(args) > 0 {
		return errors.New(
			"a password is no argument: others could read it in the list of processes",
		)
	}
	read := func() (string, error) { return readLine(os.Stdin) }
	if term.IsTerminal(int(os.Stdin.Fd())) {
		read = func() (string, error) { return promptTwice(s.errors) }
	}
	word, err := read()
	if err != nil {
		return fmt.Errorf("reading a password: %w", err)
	}
	hash, err := password.New(word)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, hash)
	return nil
}

// promptTwice reads a password twice from the terminal, which does not show it.
func promptTwice(prompt io.Writer) (string, error) {
	var words [2]string
	for i, ask := range []string{"Password for the console: ", "The same again: "} {
		fmt.Fprint(prompt, ask)
		word, err := term.ReadPassword(int(os.Stdin.Fd()))
		fmt.Fprintln(prompt)
		if err != nil {
			return "", err
		}
		words[i] = string(word)
	}
	if words[0] != words[1] {
		return "", errors.New("the two are not the same")
	}
	return words[0], nil
}

// readLine is the first line of in.
func readLine(in io.Reader) (string, error) {
	text, err := bufio.NewReader(io.LimitReader(in, password.MaxLength+2)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(text, "\r\n"), nil
}
