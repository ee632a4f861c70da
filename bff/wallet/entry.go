package wallet

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"coinslot/bff/internal/yamlfile"

	"github.com/goccy/go-yaml/ast"
)

// file is the YAML of wallets as it is written.
type file struct {
	Wallets []walletEntry `yaml:"wallets"`
	Hide    []text        `yaml:"hide"`
}

// walletEntry is one entry of wallets. Members that are not written are nil or empty.
type walletEntry struct {
	line int

	ID        text        `yaml:"id"`
	Name      text        `yaml:"name"`
	Mark      text        `yaml:"mark"`
	Platforms []text      `yaml:"platforms"`
	Sends     []formEntry `yaml:"sends"`
	Opens     *pageEntry  `yaml:"opens"`
}

// formEntry is one entry of sends.
type formEntry struct {
	Networks networkNames `yaml:"networks"`
	Coin     text         `yaml:"coin"`
	Token    text         `yaml:"token"`
	Tokens   []text       `yaml:"tokens"`
	Source   text         `yaml:"source"`
}

// pageEntry is opens.
type pageEntry struct {
	Networks networkNames `yaml:"networks"`
	Link     text         `yaml:"link"`
	Source   text         `yaml:"source"`
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (e *walletEntry) UnmarshalYAML(node ast.Node) error {
	type members walletEntry // without this method
	e.line = yamlfile.Line(node)
	err := yamlfile.Decode(node, (*members)(e))
	fault, ok := errors.AsType[*yamlfile.Error](err)
	if !ok {
		return err
	}

	_, member, deeper := strings.Cut(fault.Member, "].") // "wallets[3].sends[0].coin"
	if !deeper {
		return e.fail("%s", fault.Reason)
	}
	return e.fail("%s: %s", member, fault.Reason)
}

// fail returns a problem of the entry in words.
func (e *walletEntry) fail(format string, args ...any) error {
	return fmt.Errorf("line %d: wallet %s: %w", e.line, short(e.ID), fmt.Errorf(format, args...))
}

// networkNames are a wallet's own names of networks by our ids. A list is read as a mapping of
// each id to itself.
type networkNames map[string]string

// UnmarshalYAML reads a mapping or a list.
func (n *networkNames) UnmarshalYAML(node ast.Node) error {
	*n = networkNames{}
	if node.Type() != ast.SequenceType {
		var named map[string]text
		err := yamlfile.Decode(node, &named)
		for id, name := range named {
			(*n)[id] = string(name)
		}
		return err
	}

	var ids []text
	if err := yamlfile.Decode(node, &ids); err != nil {
		return err
	}
	for _, id := range ids {
		if _, twice := (*n)[string(id)]; twice {
			return yamlfile.Errorf(node, "%s is listed twice", short(id))
		}
		(*n)[string(id)] = string(id)
	}
	return nil
}

// text is what the file has, never blank; to YAML, 60 is a number.
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

// short is text for an error; it may be anything.
func short(t text) string {
	if t == "" {
		return "?"
	}
	return strings.Trim(strconv.Quote(fmt.Sprintf("%.32s", t)), `"`)
}
