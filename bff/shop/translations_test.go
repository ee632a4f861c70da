package shop

import (
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/web/problems"
	"coinslot/static"
)

// catalogs makes text files of languages with one sentence each.
func catalogues(tags ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, tag := range tags {
		files["text/"+tag+".json"] = &fstest.MapFile{Data: fmt.Appendf(nil,
			`{"lang.name": "name of %s", "reason.minimum": "at least {amount}", "number.decimal": ",", "number.group": "."}`, tag)}
	}
	return files
}

func TestMatchLanguage(t *testing.T) {
	w, err := readTranslations(catalogues("en", "de", "es", "fr", "pt", "pt-BR", "nb", "he", "zh", "zh-TW", "ar", "sr", "sr-Latn"), slog.New(slog.DiscardHandler))
	fortest.OK(t, err)
	for _, c := range []struct{ lang, accept, want, dir string }{
		{"", "", "en", "ltr"}, {"de", "fr", "de", "ltr"}, {"DE-at", "", "de", "ltr"}, {"", "fr-CA,fr;q=0.9,en;q=0.8", "fr", "ltr"},
		{"", "en;q=0.1, de;q=0.9", "de", "ltr"}, {"be", "de", "de", "ltr"}, {"be", "", "en", "ltr"},
		{"pt", "", "pt", "ltr"}, {"pt-br", "", "pt-BR", "ltr"}, {"pt-AO", "", "pt", "ltr"}, {"no", "", "nb", "ltr"}, {"nn", "", "nb", "ltr"},
		{"iw", "", "he", "rtl"}, {"ar-EG", "", "ar", "rtl"}, {"zh-Hans", "", "zh", "ltr"}, {"zh-CN", "", "zh", "ltr"},
		{"sr", "", "sr", "ltr"}, {"sr-Latn", "", "sr-Latn", "ltr"}, {"sr-Latn-RS", "", "sr-Latn", "ltr"}, {"sr-RS", "", "sr", "ltr"}, {"sh", "", "sr-Latn", "ltr"},
		{"de_DE", "", "de", "ltr"}, {"pt_BR", "", "pt-BR", "ltr"}, {"ar-EG-u-nu-latn", "", "ar", "rtl"}, {"de-x-foo", "", "de", "ltr"},
		{"zh-Hant", "", "zh-TW", "ltr"}, {"zh-HK", "", "zh-TW", "ltr"}, {"es-419", "", "es", "ltr"},
		{"", "*", "en", "ltr"}, {"", "de;q=2,;;=", "de", "ltr"}, {"", "fr-FR-formal, de", "fr", "ltr"}, {"", strings.Repeat("x-", 5000), "en", "ltr"}, {"\x00", "\xff", "en", "ltr"},
	} {
		lang, dir, text := w.match(c.lang, c.accept)
		if lang != c.want || dir != c.dir || text["lang.name"] != "name of "+c.want {
			t.Errorf("in(%.20q, %.20q) = %s, %s with %q; want %s, %s", c.lang, c.accept, lang, dir, text["lang.name"], c.want, c.dir)
		}
	}
	if len(w.menu) != 13 || !slices.Contains(w.tags, w.menu[0].Tag) || w.menu[0].Name != "name of "+w.menu[0].Tag {
		t.Errorf("menu = %+v", w.menu)
	}
}

func TestWords(t *testing.T) {
	w, err := readTranslations(catalogues("en", "ar"), slog.New(slog.DiscardHandler))
	fortest.OK(t, err)
	for _, c := range []struct{ lang, want string }{{"en", "at least 1.000,50"}, {"ar", "at least \u20681.000,50\u2069"}, {"xx", "at least 1.000,50"}} {
		fortest.Equal(t, w.words(c.lang)("reason.minimum", "amount", "1000.50"), c.want,
			"saying in %s", c.lang)
	}
	fortest.Equal(t, w.words("en")("nothing"), "", "an unknown sentence")
}

func TestBrokenTexts(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"no English":     catalogues("de"),
		"no language":    catalogues("en", "12345"),
		"not JSON":       {"text/en.json": {Data: []byte(`{`)}},
		"a number":       {"text/en.json": {Data: []byte(`{"a": 1}`)}},
		"a form is null": {"text/en.json": {Data: []byte(`{"a": ["x"]}`)}},
	} {
		if _, err := readTranslations(files, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "text/") {
			t.Errorf("%s: %v; want an error that names the file", name, err)
		}
	}
}

// A start reads the names of languages, and only the fallback's texts.
func TestStartReadsOneLanguage(t *testing.T) {
	allocations := testing.AllocsPerRun(2, func() {
		if _, err := readTranslations(static.Files, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > 6000 { // 83,000 with all of them
		t.Errorf("%.0f allocations; want those of one language", allocations)
	}
}

// Where a language turns out to be unreadable, the fallback is shown.
func TestLanguageThatCannotBeRead(t *testing.T) {
	files := catalogues("en", "de")
	files["text/de.json"] = &fstest.MapFile{Data: []byte(`{"lang.name": "Deutsch", "a": 1}`)}
	var log strings.Builder
	w, err := readTranslations(files, slog.New(slog.NewTextHandler(&log, nil)))
	fortest.OK(t, err)
	for range 2 {
		if tag, _, text := w.match("de"); tag != "de" || text["lang.name"] != "name of en" {
			t.Errorf("in(de) = %s, %q; want the fallback's sentences", tag, text)
		}
	}
	if n := strings.Count(log.String(), "text/de.json"); n != 1 {
		t.Errorf("the file was named %d times in the log; want once:\n%s", n, log.String())
	}
}

// A shopper reads a sentence for every code that a page can show.
func TestShoppersReadWords(t *testing.T) {
	w, err := readTranslations(static.Files, slog.New(slog.DiscardHandler))
	fortest.OK(t, err)
	say := w.words("en")
	for _, key := range []string{
		"problem.session_unknown", "problem.session_expired", "problem.session_paid", "problem.order_invalid", "problem.item_unknown",
		"problem.gateway_unavailable", "problem.network_unsupported", "problem.network_required", "problem.amount_below_minimum",
		"problem.amount_above_maximum", "problem.amount_invalid", "problem.payment_in_progress", "problem.too_many_attempts",
		"problem.not_possible", "problem.invalid", "problem.rate_limited", "problem.storage_unavailable", "problem.cross_site_refused",
		"problem.internal", "problem.payment_refused",
		"reason.minimum", "reason.maximum", "return.neutral",
	} {
		if say(key) == "" {
			t.Errorf("text/en.json has no sentence for %q", key)
		}
	}
}

// placeholder matches what a text has for a value.
var placeholder = regexp.MustCompile(`\{[a-z_]*\}`)

// No notice, whatever its code and language, reaches a view with a placeholder.
func TestNoticesAreFilledIn(t *testing.T) {
	w, err := allWords()
	fortest.OK(t, err)
	p := pages{texts: w}
	refused := payment.Attempt{
		Number: 1, State: payment.Refused, CurrencySymbol: "USDT", NetworkName: "TRON",
	}
	for _, lang := range w.tags {
		for code := range problems.Answers {
			messages := []string{p.notice(code, lang).Message}
			erased := payment.Attempt{Number: 1, State: payment.Refused}
			for _, attempts := range [][]payment.Attempt{nil, {erased}, {refused}} {
				session := payment.Session{
					Status: wire.Open, Notice: payment.Notice{Code: code}, Attempts: attempts,
				}
				view := checkout.View(&session, checkout.ViewOptions{Translate: w.words(lang)})
				messages = append(messages, view.Notice.Message)
			}
			for _, message := range messages {
				if placeholder.MatchString(message) {
					t.Errorf("%s, %s: %q", lang, code, message)
				}
			}
			full := messages[len(messages)-1]
			if code == wire.CodePaymentRefused &&
				(!strings.Contains(full, "USDT") || !strings.Contains(full, "TRON")) {
				t.Errorf("%s: %q names no coin or network", lang, full)
			}
		}
	}
}

// TestPriceInASentence: a finished price stays as it is, whatever language it is in.
func TestPriceInASentence(t *testing.T) {
	translations := fortest.Must(readTranslations(static.Files, slog.New(slog.DiscardHandler)))(t)
	for lang, want := range map[string]string{
		"en": "charged as 27,31\u00a0$",
		"de": "wird mit 27,31\u00a0$ abgerechnet",
	} {
		got := translations.words(lang)("order.charge", "price", "27,31\u00a0$")
		fortest.Equal(t, got, want, "in %s", lang)
	}
}
