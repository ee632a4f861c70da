package main

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/scanner"
	"unicode"

	"coinslot/bff/fortest"
)

// wording is one row of testdata/words.txt for one of its phrases.
type wording struct {
	phrase  []string // words in lower case
	instead string
	where   []string // beginnings of paths; empty = everywhere
}

// wordings reads the list: phrases of sentences and of names, by their first words, and the paths
// that are exempt.
func wordings(t *testing.T) (sentences, names map[string][]wording, exempt []string) {
	t.Helper()
	text := fortest.Must(os.ReadFile("testdata/words.txt"))(t)
	kinds := map[string]map[string][]wording{"sentence": {}, "name": {}}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) < 3 || strings.HasPrefix(line, "#") {
			continue
		}
		if cells[0] == "except" {
			exempt = append(exempt, cells[1])
			continue
		}
		w := wording{instead: cells[2]}
		if len(cells) > 3 {
			w.where = strings.Split(cells[3], ", ")
		}
		for phrase := range strings.SplitSeq(cells[1], ", ") {
			w.phrase = strings.Fields(phrase)
			list := kinds[cells[0]]
			list[w.phrase[0]] = append(list[w.phrase[0]], w)
		}
	}
	return kinds["sentence"], kinds["name"], exempt
}

// word is one word of a file, in lower case, without the punctuation around it.
type word struct {
	text string
	line int
}

func words(text string, line int) (list []word) {
	for row := range strings.Lines(text) {
		for _, field := range strings.Fields(row) {
			field = strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) })
			field = strings.ToLower(strings.TrimSuffix(field, "'s"))
			if list = append(list, word{field, line}); field == "" {
				list = list[:len(list)-1]
			}
		}
		line++
	}
	return list
}

var (
	// code is what is no sentence in Markdown: blocks, code, targets of links, comments.
	code = regexp.MustCompile("(?ms)^```.*?^```|<!--.*?-->|`[^`\n]*`|\\]\\([^)\n]*\\)")
	// members are the names in JSON.
	members = regexp.MustCompile(`"\w+":`)
	humps   = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
)

// texts returns the words of a file's sentences, and those of its identifiers. A string of one
// word is a value, and so are the strings of tests.
func texts(name, content string) (sentences, names []word) {
	switch path.Ext(name) {
	case ".md":
		lines := func(s string) string { return " " + strings.Repeat("\n", strings.Count(s, "\n")) }
		return words(code.ReplaceAllStringFunc(content, lines), 1), nil
	case ".yml", ".yaml", ".sh", ".service", ".html", ".conf", ".env", "":
		return words(content, 1), nil
	case ".json":
		if strings.HasPrefix(name, "bff/") { // the console's texts; the checkout's are static/text
			return words(members.ReplaceAllString(content, ""), 1), nil
		}
	case ".go", ".js", ".mjs", ".jsx", ".ts":
		return textsOfProgram(content, strings.HasSuffix(name, "_test.go"))
	}
	return nil, nil
}

// textsOfProgram returns them for a program in Go or JavaScript: comments, strings, identifiers.
func textsOfProgram(content string, test bool) (sentences, names []word) {
	var tokens scanner.Scanner
	tokens.Init(strings.NewReader(content))
	tokens.Mode = scanner.ScanIdents | scanner.ScanChars | scanner.ScanStrings |
		scanner.ScanRawStrings | scanner.ScanComments
	tokens.Error = func(*scanner.Scanner, string) {} // what JavaScript writes in another way

	seen := map[string]bool{}
	for kind := tokens.Scan(); kind != scanner.EOF; kind = tokens.Scan() {
		text := tokens.TokenText()
		line := tokens.Position.Line
		switch kind {
		case scanner.Comment:
			sentences = append(sentences, words(text, line)...)

		case scanner.Char, scanner.String, scanner.RawString:
			if !test && strings.ContainsRune(text, ' ') {
				sentences = append(sentences, words(text, line)...)
			}

		case scanner.Ident:
			if seen[text] { // an identifier counts once in a file
				continue
			}
			seen[text] = true
			spaced := strings.Join(humps.FindAllString(text, -1), " ")
			names = append(names, words(spaced, line)...)
			names = append(names, word{"", line}) // phrases end here
		}
	}
	return sentences, names
}

// TestWords: sentences and identifiers use the terms of docs/glossary.md, and those of the field.
func TestWords(t *testing.T) {
	sentencePhrases, namePhrases, exempt := wordings(t)
	starts := func(name string, paths []string) bool {
		return slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	for _, name := range sources(t) {
		if starts(name, exempt) || strings.Contains(name, "/testdata/") {
			continue
		}
		content := fortest.Must(os.ReadFile("../" + name))(t)
		sentences, names := texts(name, string(content))
		for _, found := range append(
			findPhrases(sentences, sentencePhrases), findPhrases(names, namePhrases)...,
		) {
			if found.where == nil || starts(name, found.where) {
				t.Errorf("%s:%d: %q: say %s", name, found.line, strings.Join(found.phrase, " "),
					found.instead)
			}
		}
	}
}

// foundWording is a phrase in a file.
type foundWording struct {
	wording
	line int
}

// findPhrases finds the phrases that are in a text, by their first words.
func findPhrases(text []word, phrases map[string][]wording) (list []foundWording) {
	same := func(w word, s string) bool { return w.text == s }
	for i, first := range text {
		for _, w := range phrases[first.text] {
			if slices.EqualFunc(text[i:min(i+len(w.phrase), len(text))], w.phrase, same) {
				list = append(list, foundWording{w, first.line})
			}
		}
	}
	return list
}

// TestTexts: what TestWords reads of a file.
func TestTexts(t *testing.T) {
	plain := func(list []word) string {
		var all []string
		for _, w := range list {
			all = append(all, w.text)
		}
		return strings.Join(strings.Fields(strings.Join(all, " ")), " ")
	}
	for _, c := range []struct{ name, content, sentences, names string }{
		{
			"a.md",
			"It's `told` *[so*](told.md).\n```\ntold\n```\n<!-- told --> Yes",
			"it so yes",
			"",
		},
		{
			"a.go",
			"// Wish is\n// told.\nvar aWish = \"one two\" + \"x\"",
			"wish is told one two",
			"var a wish",
		},
		{"a_test.go", "x(\"one\", 'x', `y`) // a.two: two", "a.two two", "x"},
		{"a.mjs", "/* one\n * two */ const oneWish = `3 four`", "one two four", "const one wish"},
		{"bff/a.json", `{"one": "two three"}`, "two three", ""},
		{"a.yml", "a: one # two", "a one two", ""},
		{"a.png", "one", "", ""},
	} {
		sentences, names := texts(c.name, c.content)
		if s, n := plain(sentences), plain(names); s != c.sentences || n != c.names {
			t.Errorf("texts(%s) = %q, %q; want %q, %q", c.name, s, n, c.sentences, c.names)
		}
	}
}
