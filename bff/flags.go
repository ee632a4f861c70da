package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"coinslot/bff/config"
)

// parse reads the flags of the command that flags is named after. Help that was
// asked for goes where output goes, to be searched; a mistake is one line.
//
// Errors: flag.ErrHelp, after the help; a flag or an argument that there is not.
func parse(flags *flag.FlagSet, args []string, s streams) error {
	own := func() { printFlags(s.out, flags) }
	return parseWithHelp(flags, args, own)
}

// parseWithHelp is parse with a help of the caller's.
func parseWithHelp(flags *flag.FlagSet, args []string, help func()) error {
	err := parseFlags(flags, args, help)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q; see coinslot %s -h", flags.Arg(0), flags.Name())
	}
	return err
}

// parseFlags is parseWithHelp for a command that takes arguments behind its flags.
func parseFlags(flags *flag.FlagSet, args []string, help func()) error {
	flags.SetOutput(io.Discard) // it would tell all flags at each mistake
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		help()
	case err != nil:
		err = fmt.Errorf("%w; see coinslot %s -h", err, flags.Name())
	}
	return err
}

// printFlags says what a command does, and its flags.
func printFlags(w io.Writer, flags *flag.FlagSet) {
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == flags.Name() })
	fmt.Fprintf(w, "coinslot %s: %s\n\n", all[i].name, all[i].help)
	flags.SetOutput(w)
	flags.PrintDefaults()
}

func printUsage(w io.Writer) {
	fmt.Fprintf(
		w, "Coinslot %s: a drop-in crypto checkout\n\nUsage: coinslot [command] [flags]\n\n",
		release(),
	)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-14s  %s\n", c.name, c.help)
	}
	fmt.Fprint(w,
		"\nSettings of serve, check and reconcile (environment, or the flag of the same name):\n\n")
	config.Print(w)
}

// settings loads the configuration with flags over the environment.
func settings(name string, args []string, s streams) (config.Config, error) {
	return loadSettings(name, args, s, func(*flag.FlagSet) {})
}

// loadSettings is settings for a command with flags of its own, which own adds.
func loadSettings(
	name string, args []string, s streams, own func(*flag.FlagSet),
) (config.Config, error) {
	overrides, err := parseSettings(name, args, s, own)
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(s.env, overrides)
}

// parseSettings reads the flags of settings, and those that own adds.
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
			flags.Func(name, setting.Help, func(v string) error { overrides[name] = v; return nil })
		}
	}
	own(flags)
	return overrides, parseWithHelp(flags, args, func() { printSettingsHelp(s.out, name, own) })
}

// printSettingsHelp is the help of a command that takes settings: with flags of its own
// those alone, since the others are fifty lines.
func printSettingsHelp(w io.Writer, name string, own func(*flag.FlagSet)) {
	alone := flag.NewFlagSet(name, flag.ContinueOnError)
	own(alone)
	few := 0
	alone.VisitAll(func(*flag.Flag) { few++ })
	if few == 0 {
		printUsage(w)
		return
	}
	printFlags(w, alone)
	fmt.Fprintln(w, "\nand the settings of coinslot serve: see coinslot -h")
}
