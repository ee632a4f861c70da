package widget

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	cldrplural "golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"coinslot/bff/fortest"
)

// wantLanguages is the least number of languages of the page.
const wantLanguages = 48

// catalogs reads the sentences of every language, by tag.
func catalogues(tb testing.TB) map[string]map[string]string {
	tb.Helper()
	files := fortest.Must(filepath.Glob("../../static/text/*.json"))(tb)
	all := map[string]map[string]string{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		fortest.OK(tb, err)
		text, err := ReadText(raw)
		if err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = text
	}
	return all
}

var cldr = map[cldrplural.Form]string{
	cldrplural.Zero:  "zero",
	cldrplural.One:   "one",
	cldrplural.Two:   "two",
	cldrplural.Few:   "few",
	cldrplural.Many:  "many",
	cldrplural.Other: "other",
}

// category is CLDR's for a whole number. golang.org/x/text has CLDR 32; since
// then Hebrew has lost "many" (CLDR 42).
func category(tag string, n int) string {
	form := cldr[cldrplural.Cardinal.MatchPlural(language.MustParse(tag), n, 0, 0, 0, 0)]
	if tag == "he" && form == "many" {
		return "other"
	}
	return form
}

// categories returns what a language's whole numbers up to 1,000 can be, with
// "other", which everybody falls back to.
func categories(tag string) map[string]bool {
	found := map[string]bool{"other": true}
	for n := range 1001 {
		found[category(tag, n)] = true
	}
	return found
}

func TestPluralsMatchCLDR(t *testing.T) {
	for tag := range catalogues(t) {
		for n := range 1001 {
			want := category(tag, n)
			if got := plural(tag, n); got != want {
				t.Errorf("%d in %s is %q; CLDR says %q", n, tag, got, want)
				break
			}
		}
	}
}

var placeholder = regexp.MustCompile(`\{\w*\}`)

func placeholders(sentence string) []string {
	found := placeholder.FindAllString(sentence, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// counted returns the keys of sentences that depend on a number, without form.
func counted(text map[string]string) map[string]bool {
	keys := map[string]bool{}
	for key := range text {
		if base, _, found := strings.Cut(key, "#"); found {
			keys[base] = true
		}
	}
	return keys
}

// Every language has every sentence, in every form that its numbers need, with
// the placeholders of the English one.
func TestLanguagesAreComplete(t *testing.T) {
	all := catalogues(t)
	if len(all) < wantLanguages {
		t.Errorf("%d languages; want %d", len(all), wantLanguages)
	}
	en := all["en"]
	plain := counted(en)
	for tag, text := range all {
		want := map[string]string{} // key to the English sentence that it is made of
		for key, sentence := range en {
			if base, _, form := strings.Cut(key, "#"); !form {
				want[key] = sentence
			} else {
				for category := range categories(tag) {
					want[base+"#"+category] = en[base+"#other"]
				}
			}
		}
		fortest.Diff(t, slices.Sorted(maps.Keys(text)), slices.Sorted(maps.Keys(want)),
			"keys of %s", tag)
		for key, sentence := range text {
			base, form, _ := strings.Cut(key, "#")
			optional := plain[base] && (form == "zero" || form == "one" || form == "two") // which may say the number in a word
			got := placeholders(sentence)
			need := placeholders(want[key])
			if !slices.Equal(got, need) && (!optional || !slices.Equal(append(got, "{n}"), need)) {
				t.Errorf("%s in %s has %v; want %v: %q", key, tag, got, need, sentence)
			}
		}
	}
}

// Sentences are sentences: nothing is empty, left over or far too long for its button.
func TestLanguagesAreWellFormed(t *testing.T) {
	all := catalogues(t)
	buttons := []string{"choose.continue", "choose.keep", "pay.recheck", "pay.change", "pay.cancel", "copy.amount", "copy.address", "copy.link",
		"ended.recheck", "ended.another", "ended.choose", "time.extend", "time.extend.sure", "ask.copy", "close", "lang.set", "done.receipt", "pay.check.button"}
	names := map[string]string{}
	for tag, text := range all {
		for key, sentence := range text {
			if sentence == "" || sentence != strings.TrimSpace(sentence) && !strings.HasPrefix(key, "number.") || !utf8.ValidString(sentence) ||
				strings.ContainsAny(sentence, "\n\t\u200e\u200f\u202a\u202b\u202c\u202d\u202e<>") {
				t.Errorf("%s in %s is %q", key, tag, sentence)
			}
		}
		for _, key := range buttons {
			n := utf8.RuneCountInString(text[key])
			most := 12 + 2*utf8.RuneCountInString(all["en"][key])
			if n > most {
				t.Errorf("the button %s in %s has %d characters, more than %d: %q", key, tag, n, most, text[key])
			}
		}
		if other, taken := names[text["lang.name"]]; taken {
			t.Errorf("%s and %s are both called %q", tag, other, text["lang.name"])
		}
		names[text["lang.name"]] = tag
		d := text["number.decimal"]
		g := text["number.group"]
		if d == g || !strings.Contains(".,٫", d) || !strings.Contains(",.’ \u00a0\u202f٬'", g) {
			t.Errorf("numbers in %s have %q and %q", tag, d, g)
		}
	}
}

// misread are phrases that native readers took for something else: for "you can't afford this",
// a report to the police, "protect my payment", a payment that is completed, "nothing can be
// done", and "send the change".
var misread = map[string][]string{
	"en": {"You can’t pay", "reported", "Keep my payment", "has ended", "find this checkout",
		"find this payment.", "Nothing to do", "nothing left to do", "Send the rest", "remaining"},
	"ca": {"notifica", "no ho pots pagar", "res a fer", "Mantén", "la resta a"},
	"cs": {"nahlášen", "nemůžete zaplatit", "není co dělat", "Nerušit", "Zbytek pošlete"},
	"da": {"meldt ind", "Behold", "er afsluttet", "ikke noget at gøre", "Send resten"},
	"de": {"können das gerade nicht bezahlen", "Sie wurde gemeldet", "Zahlung behalten", "behalten Sie diese", "ist beendet",
		"finden diese Zahlung nicht", "nichts zu tun", "Senden Sie den Rest"},
	"es": {"notificado", "no puedes pagar", "Mantener mi", "ha terminado", "nada que hacer",
		"Envía el resto"},
	"fr": {"signalé", "Garder mon", "est clos", "Rien à faire", "Envoyez le reste"},
	"hu": {"jelezték", "nem tudja kifizetni", "tartsa meg", "véget ért", "Itt nincs teendő.",
		"Küldje el a többit"},
	"it": {"segnalato", "non puoi pagare", "Mantieni", "è terminato", "nulla da fare",
		"Invia il resto"},
	"nb": {"meldt inn", "Behold", "er avsluttet", "ingenting å gjøre", "Send resten"},
	"nl": {"gemeld", "kunt dit nu niet betalen", "behouden", "is beëindigd", "valt niets te doen",
		"Verstuur de rest"},
	"pl": {"zgłoszon", "Nie możesz teraz", "Zachowaj moją", "została zakończona",
		"nic do zrobienia", "Wyślij resztę"},
	"pt": {"comunicado", "Não pode pagar", "Manter o meu", "foi encerrado", "nada para fazer",
		"Envie o resto"},
	"ru": {"сообщили", "это нельзя оплатить", "Оставить мой", "завершилась", "остаток"},
	"sv": {"rapportera", "kan inte betala", "Behåll", "är avslutad", "inget att göra",
		"Skicka resten"},
	"tr": {"bildirildi", "ödeyemezsiniz", "koru", "sona erdi", "yapılacak bir şey yok",
		"Kalanı gönder"},
	"zh": {"上报", "保留我的付款", "这笔付款已结束", "找不到这笔付款", "剩余金额"},
	"ja": {"報告", "支払いを続ける", "残りを"},
}

// TestMisreadTexts: a shopper who fears for their money reads what is meant.
func TestMisreadTexts(t *testing.T) {
	all := catalogues(t)
	for tag, phrases := range misread {
		for key, sentence := range all[tag] {
			for _, phrase := range phrases {
				if strings.Contains(sentence, phrase) {
					t.Errorf("%s in %s says %q again: %q", key, tag, phrase, sentence)
				}
			}
		}
	}
	for key, want := range map[string]string{
		"closed.title":          "Zahlung derzeit nicht möglich",
		"choose.keep":           "Bei dieser Zahlung bleiben",
		"choose.network":        "Über welches Netzwerk senden Sie?",
		"done.text":             "Um alles Weitere kümmert sich der Shop.",
		"pay.check.differs#one": "{n} Zeichen weicht ab. Senden Sie nichts. Kopieren Sie die Adresse noch einmal.",
		"pay.exchange.network":  "Wählen Sie dort „Auszahlen“ (Withdraw) für {coin} und als Netzwerk {network}.",
		"seen.title":            "Ihre Zahlung wurde erkannt",
		"title.pending":         "{price} noch offen",
		"steps.choose":          "Auswahl",
		"steps.send":            "Zahlung",
		"steps.confirm":         "Bestätigung",
	} {
		fortest.Equal(t, all["de"][key], want, "%s in German", key)
	}
}

func TestAmountsAreIsolated(t *testing.T) {
	all := catalogues(t)
	p := Page{Text: all["ar"], Lang: "ar", Dir: "rtl"}
	title := p.T("pay.title", "amount", "25.03 USDT", "network", "TRON")
	fortest.Has(t, "an amount in Arabic is not set apart", title, "\u206825.03 USDT\u2069")
	got := p.Plural("time.minutes", 3)
	if !strings.Contains(got, "3") || got == p.Plural("time.minutes", 11) {
		t.Errorf("3 and 11 minutes in Arabic: %q, %q", got, p.Plural("time.minutes", 11))
	}
}
