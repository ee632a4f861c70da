package order

import (
	"strconv"

	"coinslot/bff/internal/yamlfile"

	"github.com/goccy/go-yaml/ast"
)

// catalogFile is the catalog as it is written. Scalars are text, with quotes or without.
type catalogFile struct {
	// Currency is that of amounts and limits of items that name none; empty = USD.
	Currency string                `yaml:"currency"`
	Items    map[string]itemRecord `yaml:"items"`
}

// itemRecord is one entry of the catalog as it is written; [itemRecord.item] gives it its meaning.
type itemRecord struct {
	Title       texts           `yaml:"title"`
	Description texts           `yaml:"description"`
	AmountUSD   *string         `yaml:"amount_usd"`
	Amount      *string         `yaml:"amount"`
	Currency    string          `yaml:"currency"`
	Open        *openRecord     `yaml:"open"`
	Quantity    *quantityRecord `yaml:"quantity"`
	Currencies  []string        `yaml:"currencies"`
	TTLMinutes  count           `yaml:"ttl_minutes"`
	SuccessURL  string          `yaml:"success_url"`
	CancelURL   string          `yaml:"cancel_url"`
}

type openRecord struct {
	Minimum   string    `yaml:"minimum"`
	Maximum   string    `yaml:"maximum"`
	Suggested oneOrMore `yaml:"suggested"`
}

type quantityRecord struct {
	Minimum count `yaml:"minimum"`
	Maximum count `yaml:"maximum"`
}

// texts is a text for shoppers: one for all languages, or one by language tag.
type texts struct {
	all        string
	byLanguage map[string]string // nil if there is one for all
}

// UnmarshalYAML reads a text, or a mapping of language tag and text.
func (t *texts) UnmarshalYAML(decode func(any) error) error {
	if isText(decode) {
		return decode(&t.all)
	}
	return decode(&t.byLanguage)
}

// oneOrMore is a list of texts.
type oneOrMore []string

// UnmarshalYAML reads a list, or a single text.
func (o *oneOrMore) UnmarshalYAML(decode func(any) error) error {
	if isText(decode) {
		*o = make([]string, 1)
		return decode(&(*o)[0])
	}
	return decode((*[]string)(o))
}

// isText reports whether the value that decode decodes is one text.
func isText(decode func(any) error) bool {
	var text string
	return decode(&text) == nil
}

// count is a whole number from 1; zero if it is not set.
type count int

// UnmarshalYAML reads a whole number of up to nine digits.
func (c *count) UnmarshalYAML(node ast.Node) error {
	text, err := yamlfile.Text(node)
	if err != nil {
		return err
	}
	if !wholeText.MatchString(text) {
		return yamlfile.Errorf(node, "must be a whole number from 1")
	}
	n, err := strconv.Atoi(text)
	*c = count(n)
	return err
}
