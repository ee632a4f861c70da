package store

import (
	"errors"
	"strings"
)

// errAddress is why the address of a PostgreSQL database is refused.
var errAddress = errors.New("the address is not valid: use " +
	"postgres://user:password@host/database, and percent-encode special characters of user and " +
	"password: @ as %40, # as %23, / as %2F, ? as %3F, : as %3A and % as %25")

var errPasswordParameter = errors.New("the address has a password among its parameters: " +
	"put it in front of the host, as in postgres://user:password@host/database, percent-encoded")

// checkPostgresAddress refuses an address in which a part of the password could pass for a host, a
// port, a database, a user or a parameter: errors and the log name these.
func checkPostgresAddress(dsn string) error {
	_, address, _ := strings.Cut(dsn, "://")
	authority := address
	rest := ""
	end := strings.IndexAny(address, "/?#")
	if end >= 0 {
		authority = address[:end]
		rest = address[end:]
	}
	// The only @ is between password and host, and there is no fragment.
	if strings.Count(authority, "@") > 1 || strings.ContainsAny(rest, "@#") {
		return errAddress
	}

	login, _, _ := strings.Cut(authority, "@")
	user, _, _ := strings.Cut(login, ":")
	if strings.Contains(strings.ToLower(user), "%3a") { // the colon before the password
		return errAddress
	}

	// A password's & would begin another parameter.
	if strings.Contains(strings.ToLower(rest), "password=") {
		return errPasswordParameter
	}
	return nil
}
