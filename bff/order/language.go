package order

import (
	"errors"
	"strings"

	"golang.org/x/text/language"
)

// maxLanguage bounds the names of languages; the longest tag that people use has 35 characters.
const maxLanguage = 100

// Language returns the BCP 47 tag of a language as shops name it, "de-DE" of "de_DE.UTF-8" and
// "sr-Latn-RS" of "sr_RS@latin", without what is unknown behind the language. A tag of an unknown
// language stays; "" if it is no tag. What it returns is a tag for itself.
func Language(name string) string {
	name, modifier, _ := strings.Cut(strings.TrimSpace(name), "@")
	name, _, _ = strings.Cut(name, ".")
	if len(name) > maxLanguage {
		return ""
	}
	tag, err := language.Parse(name)
	base, _, _ := tag.Raw()
	if base.String() == "und" {
		_, isTag := errors.AsType[language.ValueError](err)
		if isTag {
			return name
		}
		return ""
	}

	script, isScript := scripts[strings.ToLower(modifier)]
	if isScript {
		written, err := language.Compose(tag, language.MustParseScript(script))
		if err == nil {
			tag = written
		}
	}
	return tag.String()
}

// scripts are the modifiers of POSIX locales that name one.
// Source: https://www.gnu.org/software/gettext/manual/html_node/Locale-Names.html
var scripts = map[string]string{"latin": "Latn", "cyrillic": "Cyrl"}
