package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"coinslot/bff/config"
)

// addSettingsFile reads the file that -settings, a flag of every command, names, and returns env
// with its settings, args without the flag, and the path. A variable of env goes before a line of
// the file.
func addSettingsFile(env, args []string) (all, rest []string, path string, err error) {
	all = env
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if name != "-settings" && name != "--settings" {
			rest = append(rest, args[i])
			continue
		}
		if !joined && i+1 < len(args) {
			i++
			value = args[i]
		}

		path = value
		entries, err := config.ReadFile(path)
		if err != nil {
			return nil, nil, "", fmt.Errorf("-settings %s: %w", path, err)
		}
		for _, entry := range entries {
			variable, _, _ := strings.Cut(entry, "=")
			isSame := func(e string) bool { return strings.HasPrefix(e, variable+"=") }
			if !slices.ContainsFunc(all, isSame) {
				all = append(slices.Clip(all), entry)
			}
		}
	}
	return all, rest, path, nil
}

// parse reads the flags of the command that flags is named after. Requested help goes to the
// output; a mistake is one line.
//
// Errors: flag.ErrHelp, after the help; an unknown flag; an argument.
func parse(flags *flag.FlagSet, args []string, s streams) error {
	return noArguments(flags, parseFlags(flags, args, func() { printFlags(s.out, flags) }))
}

// noArguments returns err, or an error if flags are followed by arguments.
func noArguments(flags *flag.FlagSet, err error) error {
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q; see coinslot %s -h", flags.Arg(0), flags.Name())
	}
	return err
}

// parseFlags is parse for a command that takes arguments.
func parseFlags(flags *flag.FlagSet, args []string, help func()) error {
	flags.SetOutput(io.Discard) // it would print all flags for each mistake
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		help()
	case err != nil:
		err = fmt.Errorf("%w; see coinslot %s -h", err, flags.Name())
	}
	return err
}

// printFlags describes a command and its flags.
func printFlags(w io.Writer, flags *flag.FlagSet) {
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == flags.Name() })
	fmt.Fprintf(w, "coinslot %s: %s\n\n", all[i].name, all[i].help)
	flags.SetOutput(w)
	flags.PrintDefaults()
}

func printUsage(w io.Writer) {
	fmt.Fprintf(w, "Coinslot %s: a drop-in crypto checkout\n\n"+
		"Usage: coinslot [command] [flags]\n\n", release())
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-14s  %s\n", c.name, c.help)
	}
	fmt.Fprint(w, "\nSettings of serve, check, reconcile and statement (environment variables, or "+
		"flags of the same name;\nwith every command, -settings FILE reads them from lines NAME=value):\n\n")
	config.Print(w)
}

// loadSettings loads the configuration, with flags over the environment; own adds flags of the
// command's own.
func loadSettings(
	name string, args []string, s streams, own func(*flag.FlagSet),
) (config.Config, error) {
	overrides, err := parseSettings(name, args, s, own)
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(s.env, overrides)
}

// parseSettings reads the flags of settings, and those that own adds. A command with own flags
// prints those alone as its help: the others are fifty lines.
func parseSettings(
	name string, args []string, s streams, own func(*flag.FlagSet),
) (map[string]string, error) {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	overrides := map[string]string{}
	for _, setting := range config.Settings() {
		names := []string{setting.Flag()}
		if setting.File {
			names = append(names, setting.Flag()+"-file")
		}
		for _, name := range names {
			flags.Func(name, setting.Help, func(v string) error {
				overrides[name] = v
				return nil
			})
		}
	}

	help := func() { printUsage(s.out) }
	if own != nil {
		own(flags)
		help = func() {
			alone := flag.NewFlagSet(name, flag.ContinueOnError)
			own(alone)
			printFlags(s.out, alone)
			fmt.Fprintln(s.out, "\nand the settings of coinslot serve: see coinslot -h")
		}
	}

	return overrides, noArguments(flags, parseFlags(flags, args, help))
}
