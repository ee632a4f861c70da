package token

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"coinslot/bff/internal/yamlfile"

	"github.com/goccy/go-yaml/ast"
)

// file is the YAML of coins and networks as it is written.
type file struct {
	Networks []networkEntry `yaml:"networks"`
	Tokens   []tokenEntry   `yaml:"tokens"`
}

// networkEntry is one entry of networks. Members that are not written are nil or empty.
type networkEntry struct {
	line int

	ID        text    `yaml:"id"`
	Name      text    `yaml:"name"`
	Codes     []text  `yaml:"codes"`
	Family    text    `yaml:"family"`
	ChainID   *number `yaml:"chain_id"`
	Coins     []text  `yaml:"coins"`
	Exchanges *flag   `yaml:"exchanges"`
	Source    text    `yaml:"source"`
}

// tokenEntry is one entry of tokens. Members that are not written are nil or empty.
type tokenEntry struct {
	line int

	Symbol    text    `yaml:"symbol"`
	Symbols   []text  `yaml:"symbols"` // those that it had before
	Name      text    `yaml:"name"`
	Former    text    `yaml:"former"` // the name that it had before
	Network   text    `yaml:"network"`
	Decimals  *number `yaml:"decimals"`
	Contract  text    `yaml:"contract"`
	Exchanges *flag   `yaml:"exchanges"`
	Source    text    `yaml:"source"`
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (e *networkEntry) UnmarshalYAML(node ast.Node) error {
	type members networkEntry // without this method
	e.line = yamlfile.Line(node)
	return inEntry(e, yamlfile.Decode(node, (*members)(e)))
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (e *tokenEntry) UnmarshalYAML(node ast.Node) error {
	type members tokenEntry // without this method
	e.line = yamlfile.Line(node)
	return inEntry(e, yamlfile.Decode(node, (*members)(e)))
}

// fail returns a problem of the entry in words.
func (e *networkEntry) fail(format string, args ...any) error {
	return fmt.Errorf("line %d: network %s: %w", e.line, short(e.ID), fmt.Errorf(format, args...))
}

// fail returns a problem of the entry in words.
func (e *tokenEntry) fail(format string, args ...any) error {
	return fmt.Errorf("line %d: token %s on %s: %w",
		e.line, short(e.Symbol), short(e.Network), fmt.Errorf(format, args...))
}

// inEntry returns an error of decoding an entry as one of the entry's member.
func inEntry(e interface{ fail(string, ...any) error }, err error) error {
	fault, ok := errors.AsType[*yamlfile.Error](err)
	if !ok {
		return err
	}
	_, member, deeper := strings.Cut(fault.Member, ".") // "tokens[3].symbol"
	if !deeper {
		return e.fail("%s", fault.Reason)
	}
	return e.fail("%s: %s", member, fault.Reason)
}

// text is what the file has, never blank; to YAML, an address in hexadecimal is a number.
type text string

// UnmarshalYAML reads a text, or a number and the like as it is written.
func (t *text) UnmarshalYAML(node ast.Node) error {
	written, err := yamlfile.Text(node)
	if err != nil {
		return err
	}
	if strings.TrimSpace(written) == "" {
		return yamlfile.Errorf(node, "is empty")
	}
	*t = text(written)
	return nil
}

// number is a whole number from zero, of 18 digits at most.
type number uint64

// UnmarshalYAML reads digits, without a sign or leading zeros.
func (n *number) UnmarshalYAML(node ast.Node) error {
	written, err := yamlfile.Text(node)
	if err != nil {
		return err
	}
	if !numberText.MatchString(written) {
		return yamlfile.Errorf(node, "must be a whole number")
	}
	value, err := strconv.ParseUint(written, 10, 64)
	*n = number(value)
	return err
}

// flag is true or false.
type flag bool

// UnmarshalYAML reads "true" and "false".
func (f *flag) UnmarshalYAML(node ast.Node) error {
	written, err := yamlfile.Text(node)
	if err != nil {
		return err
	}
	if written != "true" && written != "false" {
		return yamlfile.Errorf(node, "must be true or false")
	}
	*f = written == "true"
	return nil
}

// short is text for an error; it may be anything.
func short(t text) string {
	if t == "" {
		return "?"
	}
	return strings.Trim(strconv.Quote(fmt.Sprintf("%.32s", t)), `"`)
}
