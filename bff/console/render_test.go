package console

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// part is the HTML of one of the parts that pages share.
func part(t *testing.T, name string, value any) string {
	t.Helper()
	var out bytes.Buffer
	fortest.OK(t, templates(time.UTC)["message"].ExecuteTemplate(&out, name, value))
	return out.String()
}

// Nothing but http and https is a link to elsewhere.
func TestExternal(t *testing.T) {
	fortest.Equal(t, part(t, "email", "ann@<b>\u202e@x"),
		`<bdi class="foreign" translate="no">ann@<wbr>&lt;b&gt;`+"\ufffd@x</bdi>", "email")
	for to, isLink := range map[string]bool{
		"https://scan.example/tx/1": true, "http://127.0.0.1/x": true,
		"javascript:alert(1)": false,
		" https://x":          false,
		"data:text/html,x":    false,
		"//evil.example":      false,
		"":                    false,
		"HTTPS://x":           false,
	} {
		for _, got := range []string{
			part(t, "external", link{to, "x"}), part(t, "tx", tx{ID: "x", URL: to}),
		} {
			if strings.Contains(got, "<a ") != isLink ||
				isLink && !strings.Contains(got, `rel="noopener noreferrer"`) {
				t.Errorf("a link to %q = %s", to, got)
			}
		}
	}
}

// A text is shortened in its middle and keeps the whole as its title.
func TestShort(t *testing.T) {
	for text, want := range map[string]string{
		"":                    part(t, "none", nil),
		"cs_0123456789abcd":   `<bdi class="code" dir="ltr" translate="no">cs_0123456789abcd</bdi>`,
		"cs_0123456789abcdef": `<bdi class="code" dir="ltr" title="cs_0123456789abcdef" translate="no">cs_01234…abcdef</bdi>`,
	} {
		fortest.Equal(t, part(t, "short", text), want, "short %q", text)
	}
}

// rendered is the HTML of a page.
func rendered(t *testing.T, p page) string {
	t.Helper()
	c := &console{
		css:       "/assets/console.css",
		templates: templates(time.UTC),
		Log:       slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	w := httptest.NewRecorder()
	all := sections()
	all[2].Alarms, all[1].Current = 1200, true
	c.write(w,
		frame{page: p, Who: hostile, Token: hostile, Notice: note{"good", hostile}, Sections: all})
	fortest.Answer(t, p.template, w, 200)
	return w.Body.String()
}

const hostile = "javascript:alert('x')//\"'><script>x</script>\u202e&"

// fill sets every text in v, however deep, and puts one element into every list.
func fill(v reflect.Value) {
	if !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(hostile)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

// filled returns a view in which every text is hostile.
func filled[V any]() any {
	v := reflect.New(reflect.TypeFor[V]()).Elem()
	fill(v)
	return v.Interface()
}

// Whatever is put into a page stays text, and the page has nothing that its policy forbids.
func TestHostileViews(t *testing.T) {
	views := map[string]any{
		"alerts":          filled[alertsView](),
		"audit":           filled[auditView](),
		"confirm":         filled[confirmation](),
		"gateway_records": filled[gatewayRecordsView](),
		"message":         filled[messageView](),
		"origins":         filled[originsView](),
		"overview":        filled[overviewView](),
		"payment":         filled[paymentView](),
		"payments":        filled[paymentsView](),
		"rates":           filled[ratesView](),
		"reconciliation":  filled[reconciliationView](),
		"signin":          filled[signInView](),
		"statement":       filled[statementView](),
		"test_message":    filled[testView](), "webhooks": filled[webhooksView](),
	}
	address := regexp.MustCompile(`(href|action|src)="([^"]*)"`)
	for name := range templates(time.UTC) {
		if views[name] == nil {
			t.Errorf("%s is not tested", name)
			continue
		}
		got := rendered(t, page{
			template: name,
			Title:    hostile,
			Lead:     hostile,
			Back:     link{hostile, hostile},
			Tools:    []tool{{To: hostile, Label: hostile, Part: hostile}},
			View:     views[name],
		})
		if strings.Contains(got, "<script") || strings.Count(got, "<h1>") != 1 ||
			strings.Count(got, `aria-current="page"`) != 1 || !strings.Contains(got, "1,200") {
			t.Errorf("the page %s is %s", name, got)
		}
		fortest.Lacks(t, "the page "+name+" has", got,
			" style=", " onclick", "</html>\n<", "<no value>")
		for _, to := range address.FindAllStringSubmatch(got, -1) {
			if !strings.HasPrefix(to[2], "/") && !strings.HasPrefix(to[2], "#") {
				t.Errorf("the page %s leads to %s", name, to[2])
			}
		}
	}
}
