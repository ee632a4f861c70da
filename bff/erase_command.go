package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"coinslot/bff/config"
	"coinslot/bff/payment"
	"coinslot/bff/server"
)

// runErase erases the personal data of sessions, by id or by e-mail address, also while a
// server uses the database. Errors: no subject; an unknown session; the database's.
func runErase(ctx context.Context, args []string, s streams) (err error) {
	flags := flag.NewFlagSet("erase", flag.ContinueOnError)
	overrides := map[string]string{}
	for _, name := range []string{"database", "database-file"} {
		flags.Func(name, "overrides COINSLOT_DATABASE", func(v string) error {
			overrides[name] = v
			return nil
		})
	}

	list := flags.Bool("list", false,
		"print the sessions erased on request; keep the list apart from backups")
	from := flags.String("from", "",
		"file of sessions, as printed by -list, to erase again after a restore")
	if err := parseFlags(flags, args, func() { printFlags(s.out, flags) }); err != nil {
		return err
	}
	if flags.NArg() == 0 && *from == "" && !*list {
		return errors.New("erasing: name a session or an e-mail address: " +
			"coinslot erase cs_… or coinslot erase ann@shop.example")
	}

	database, err := config.Lookup(s.env, overrides, "COINSLOT_DATABASE")
	if err != nil {
		return err
	}

	eraser, err := server.NewEraser(ctx, database, "coinslot erase")
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, eraser.Close()) }()
	for _, subject := range flags.Args() {
		ids, err := eraser.Erase(ctx, subject)
		for _, id := range ids {
			fmt.Fprintf(s.out, "%s: personal data erased\n", id)
		}
		if err != nil {
			return fmt.Errorf("erasing %q: %w", subject, err)
		}
		if len(ids) == 0 {
			fmt.Fprint(s.out, "No session has this e-mail address: nothing was erased.\n")
		}
	}
	if *from != "" {
		if err := eraseListed(ctx, eraser, *from, s); err != nil {
			return err
		}
	}
	if !*list {
		return nil
	}

	ids, err := eraser.Recorded(ctx)
	for _, id := range ids {
		fmt.Fprintln(s.out, id)
	}

	return err
}

// eraseListed erases the sessions in a file, one per line. It reports and skips unknown ones:
// the backup may be older.
func eraseListed(ctx context.Context, eraser *server.Eraser, path string, s streams) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("-from: %w", err)
	}

	for line := range strings.Lines(string(text)) {
		id := strings.TrimSpace(line)
		if id == "" {
			continue
		}

		_, err := eraser.Erase(ctx, id)
		switch {
		case errors.Is(err, payment.ErrNotFound):
			fmt.Fprintf(s.out, "%s: not in this database\n", id)
		case err != nil:
			return fmt.Errorf("erasing %q: %w", id, err)
		default:
			fmt.Fprintf(s.out, "%s: personal data erased\n", id)
		}
	}

	return nil
}
