package order

import (
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

func TestLanguage(t *testing.T) {
	for name, want := range map[string]string{
		"de": "de", "DE": "de", "de-AT": "de-AT", "de_DE": "de-DE", "pt_BR": "pt-BR", " en ": "en",
		"th-TH-u-ca-buddhist": "th-TH-u-ca-buddhist", "en-US-x-foo": "en-US-x-foo",
		"zh_Hans_CN": "zh-Hans-CN", "de_DE.UTF-8": "de-DE", "de_DE@euro": "de-DE",
		"sr_RS@latin": "sr-Latn-RS", "sr_RS.UTF-8@latin": "sr-Latn-RS", "sr@cyrillic": "sr-Cyrl",
		// the rest is unknown
		"de-DE-formal": "de-DE", "de-x": "de", "nb-NO-": "nb-NO", "en-": "en", "de-*": "de",
		"de-a1-b2-c3-d4": "de",
		// a language that is not there stays; what is no tag does not
		"xx": "xx", "xx-YY": "xx-YY",
		"": "", "C": "", "*": "", "english": "", "../en": "", "<b>": "", "\u0435n": "", "en\x00": "",
		"{{ lang }}": "", "x-foo": "", "@": "", strings.Repeat("e", 1000): "",
		"en-" + strings.Repeat("x-", 100): "",
	} {
		fortest.Equal(t, Language(name), want, "Language(%.40q)", name)
		fortest.Equal(t, Language(want), want, "Language(%q), once more", want)
	}
}
