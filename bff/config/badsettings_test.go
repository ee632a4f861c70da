package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// leak is part of each value below that could be a secret: no error may hold it.
const leak = "CANARY4711"

// setting is one way to set something wrongly.
type setting struct {
	name, value string
	flags       map[string]string // instead of the variable, if not nil
	names       string            // what the error has to name; empty = name
}

// B82, B91, B93 and B96: each is rejected by the setting's name, and no error shows a value.
func TestBadSettings(t *testing.T) {
	list := append(badAddresses(), badSecrets(t)...)
	list = append(list, badOthers()...)
	for _, c := range list {
		id := strings.TrimSpace(c.name + " " + c.value)
		if len(c.value) > 500 {
			id = fmt.Sprintf("%s of %d letters", c.name, len(c.value))
		}
		t.Run(fmt.Sprintf("%.60s", id), func(t *testing.T) {
			fortest.Equal(t, refused(c), "", "%s", id)
		})
	}
	t.Logf("%d settings", len(list))
}

// A flag without a value, as from an unset shell variable, does not count.
func TestEmptyFlags(t *testing.T) {
	env := minimal("COINSLOT_GATEWAY_RPS=7")
	want := fortest.Must(Load(env, nil))(t)
	for _, s := range Settings() {
		got, err := Load(env, map[string]string{s.Flag(): "", s.Flag() + "-file": ""})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("-%s '' = %+v, %v; want %+v", s.Flag(), got, err, want)
		}
	}
	fortest.Equal(t, want.GatewayRPS, 7, "GatewayRPS (that of the variable)")
}

// refused returns what is wrong with how c is refused.
func refused(c setting) string {
	env := []string{}
	for _, entry := range minimal("COINSLOT_WEBHOOK_SECRET="+whsec,
		"COINSLOT_WEBHOOK_URL=https://hook.example/") {
		if name, _, _ := strings.Cut(entry, "="); name != c.name {
			env = append(env, entry)
		}
	}
	if c.flags == nil {
		env = append(env, c.name+"="+c.value)
	}
	_, err := Load(env, c.flags)
	want := c.names
	if want == "" {
		want = c.name
	}
	switch {
	case err == nil:
		return "it is taken"
	case !strings.Contains(err.Error(), want):
		return fmt.Sprintf("the error does not name %s: %v", want, err)
	case strings.Contains(err.Error(), leak) || strings.Contains(err.Error(), canary) ||
		strings.Contains(err.Error(), whsec):
		return fmt.Sprintf("the error shows the value: %v", err)
	}
	return ""
}

func each(name string, values ...string) (list []setting) {
	for _, v := range values {
		list = append(list, setting{name: name, value: v})
	}
	return list
}

// badAddresses are addresses, origins and URLs.
func badAddresses() []setting {
	list := each(
		"COINSLOT_LISTEN",
		leak,
		"127.0.0.1",
		":",
		":x",
		":70000",
		":-1",
		"::1:8080",
		"[::1",
		"http://127.0.0.1:8080",
		"127.0.0.1:8080/",
		"127.0.0.1:80:80",
		"127.0.0.1:8080 ",
		"127.0.0.1:http",
		"127.0.0.1:-0",
		"127.0.0.1:+80",
		":1e3",
		leak+":x",
	)
	list = append(list,
		each("COINSLOT_OPS_LISTEN", leak, "--", "off", ":x", ":99999", "9090", leak+":x")...)
	for _, name := range []string{"COINSLOT_PUBLIC_URL", "COINSLOT_ORIGINS"} {
		list = append(list, each(name, leak, "shop.example", "//shop.example", "https://", "https://"+
			leak+"/path", "https://shop.example/?"+
			leak, "https://shop.example?", "https://shop.example/#x", "https://"+leak+
			"@shop.example", "https://u:"+leak+
			"@shop.example", "ftp://shop.example", "ws://shop.example", "javascript:alert(1)", "file:///"+
			leak, "null", "*", "https://*.shop.example", "https://*", "https://shop.example:0",
			"https://shop.example:65536", "https://shop.example:x", "https://shop.example:08", "https://b\u00fccher.example", "https://sh\u043ep.example", "https://shop.example\\@"+
				leak, "https://shop.example\r\nX-A: b", "https://shop .example", "https://shop.example;script-src *", "https://'self'", "https://shop.example//", "https://shop.example/.", "https://[::1", "https://[fe80::1%25eth0]", "https://%73hop.example", "https://-", "https:shop.example", "data:,"+
				leak)...)
	}
	list = append(list, each("COINSLOT_PUBLIC_URL", "https://shop.example\n",
		"https://a.example,https://b.example", "https://a..b", "https://pay.example#")...)
	list = append(list, each(
		"COINSLOT_ORIGINS",
		",",
		"https://shop.example,*",
		"https://shop.example https://b.example",
		"https://shop.example,,",
		"https://..",
		"https://a..b",
		"https://999.1.1.1",
		"https://shop.example;https://b.example",
		"*://shop.example",
	)...)
	for _, name := range []string{"COINSLOT_GATEWAY_URL", "COINSLOT_GATEWAY_PAGE_URL"} {
		list = append(list, each(
			name,
			leak,
			"gateway.example",
			"//gateway.example",
			"http://gateway.example",
			"http://10.0.0.1",
			"http://localhost.example",
			"http://127.0.0.1.example",
			"http://localhost."+leak,
			"http://LOCALHOST@gateway.example",
			"http://2130706433",
			"https://u:"+leak+"@gateway.example",
			"https://"+leak+"@gateway.example",
			"https://gateway.example?key="+leak,
			"https://gateway.example/#"+leak,
			"https://gateway.example?",
			"https://gateway.example#",
			"https://",
			"https:///x",
			"https://:443",
			"ftp://gateway.example",
			"file:///"+leak,
			"javascript:"+leak,
			"https://gateway.example:x",
			"https://gate way.example",
			"https://gateway.example\n",
			"https://[::1",
		)...)
	}
	return append(list, each(
		"COINSLOT_GATEWAY_URL",
		"https://gateway.example:0",
		"https://gateway.example:99999",
		"https://gateway..example",
		"https://gateway.example:",
		"https://[fe80::1%25eth0]",
	)...)
}

// badSecrets are keys, tokens and their files.
func badSecrets(t *testing.T) []setting {
	var list []setting
	for _, name := range []string{"COINSLOT_SECRET_KEY", "COINSLOT_ORDER_KEY"} {
		list = append(list, each(
			name,
			"x",
			"changeme",
			leak,
			strings.Repeat("k", 31),
			strings.Repeat("k", 31)+" ",
			" "+strings.Repeat("k", 32),
			strings.Repeat("k", 16)+" "+strings.Repeat("k", 16),
			strings.Repeat("k", 32)+"\n",
			strings.Repeat("k", 32)+"\t",
			strings.Repeat("k", 32)+"\x00",
			strings.Repeat("\u00e9", 20),
			leak+strings.Repeat("k", 30)+"\u202e",
		)...)
	}
	list = append(list, each(
		"COINSLOT_GATEWAY_KEY",
		leak+"'quote",
		leak+" x",
		leak+"\n",
		leak+"\r\nX-A: b",
		leak+"\x00",
		leak+"\u00e9",
		" "+leak,
		leak+"\x7f",
		leak+`"quote`,
		leak+"`tick",
		leak+`\back`,
		strings.Repeat("k", 600),
	)...)
	list = append(list, each(
		"COINSLOT_HOOK_TOKEN",
		"x",
		"15-letters-long",
		leak+"/x-0123456789",
		leak+" 0123456789",
		leak+"%2f0123456789",
		leak+".0123456789",
		leak+"\u00e90123456789",
		leak+"?0123456789",
		leak+"\n0123456789",
	)...)
	list = append(list, each(
		"COINSLOT_WEBHOOK_SECRET",
		"x",
		"changeme",
		leak,
		"whsec_",
		"whsec_AAAA",
		"whsec_changeme",
		"whsec_"+leak,
		"WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA==",
		"whsec-MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA==",
		"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA==",
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw_-AAAAAAAAAA==",
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA",
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA=",
		"whsec_MfKQ9r8GKYqr\nTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA==",
		"whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA==",
		"whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA==",
		"whsec_"+strings.Repeat("A", 88),
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAB==",
		whsec+","+leak,
		leak+","+whsec,
		",",
	)...)
	return append(list, badFiles(t)...)
}

// badFiles are NAME_FILE variables.
func badFiles(t *testing.T) []setting {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		fortest.OK(t, os.WriteFile(path, []byte(text), 0o600))
		fortest.OK(t, os.Chmod(path, mode))
		return path
	}
	key := leak + strings.Repeat("k", 40)
	link := filepath.Join(dir, "link")
	fortest.OK(t, os.Symlink(file("behind", key, 0o644), link))
	list := each(
		"COINSLOT_ORDER_KEY_FILE",
		filepath.Join(dir, leak),
		dir,
		"/dev/zero",
		"/dev/null",
		link,
		file("world", key, 0o644),
		file("writable", key, 0o602),
		file("executable", key, 0o601),
		file("large", strings.Repeat("k", 5000), 0o600),
		dir+"/behind/x",
		leak+"\x00",
		strings.Repeat("a", 6000),
	)
	list = append(list, setting{
		name:  "COINSLOT_ORDER_KEY_FILE",
		value: "/proc/self/environ",
		names: "COINSLOT_ORDER_KEY",
	})
	for name, text := range map[string]string{
		"short":     leak,
		"two lines": key + "\n" + key,
		"space":     key + " ",
		"mark":      "\ufeff" + key,
		"UTF-16":    "\xff\xfe" + key,
		"binary":    key + "\x00",
	} {
		list = append(list, setting{
			name:  "COINSLOT_ORDER_KEY_FILE",
			value: file(name, text, 0o600),
			names: "COINSLOT_ORDER_KEY",
		})
	}
	list = append(list, setting{
		name:  "COINSLOT_SECRET_KEY_FILE",
		value: file("empty", "", 0o600),
		names: "COINSLOT_SECRET_KEY",
	}, setting{
		name:  "COINSLOT_SECRET_KEY_FILE",
		value: file("lines", "\n\n", 0o600),
		names: "COINSLOT_SECRET_KEY",
	})
	for _, name := range []string{
		"COINSLOT_ORDER_KEY_FILE", "COINSLOT_HOOK_TOKEN_FILE", "COINSLOT_ADMIN_PASSWORD_FILE",
		"COINSLOT_DATABASE_FILE",
	} { // which are off without, or have a default
		list = append(list, each(name, file("empty", "", 0o600), file("lines", "\n\n", 0o600))...)
	}
	for _, name := range []string{
		"COINSLOT_LISTEN_FILE", "COINSLOT_CATALOG_FILE", "COINSLOT_TOKENS_FILE", "COINSLOT_FILE",
		"COINSLOT__FILE", "COINSLOT_SECRET_KEY_FILE_FILE",
	} {
		list = append(list, each(name, file("good", key, 0o600))...)
	}
	good := file("other", key, 0o600)
	return append(list, setting{
		name:  "-secret-key and -secret-key-file",
		flags: map[string]string{"secret-key": key, "secret-key-file": good},
		names: "COINSLOT_SECRET_KEY",
	},
		setting{
			name:  "COINSLOT_GATEWAY_KEY_FILE",
			value: good,
			flags: nil,
			names: "COINSLOT_GATEWAY_KEY",
		}) // both: least sets the key itself
}

// badOthers are numbers, switches, lists and names.
func badOthers() []setting {
	list := each("COINSLOT_DRAIN", leak, "-1s", "11m", "10", "x")
	list = append(list, each("COINSLOT_LOG_FORMAT", leak, "JSON", "xml", "text,json")...)
	list = append(list, each("COINSLOT_TIMEZONE", leak, "Local", "Europe/Atlantis", "../UTC")...)
	list = append(list, each("COINSLOT_ALERTS", leak, "owner@shop.example,"+leak,
		"https://user:"+leak+"@ntfy.example/", "http://ntfy.example/"+leak,
		"https://10.0.0.1/"+leak, "slack+http://localhost/"+leak)...)
	list = append(list, each("COINSLOT_ALERTS_DAILY", leak, "8", "24:00", "8 am", "08:00")...)
	list = append(list, each("COINSLOT_SMTP", leak, "https://mail.example/"+leak,
		"smtps://user:"+leak+"@mail.example", "smtp://"+leak+"%@mail.example")...)
	list = append(list, setting{
		name: "COINSLOT_ALERTS", value: "owner@shop.example", names: "COINSLOT_SMTP",
	})
	list = append(list, each("COINSLOT_LOG_LEVEL", leak, "INFO", "all", "0", "-4")...)
	list = append(list, each(
		"COINSLOT_TRACES",
		leak,
		"on",
		"127.0.0.1:4318",
		"grpc://127.0.0.1:4317",
		"http://u:"+leak+"@collector",
		"http://u:1#"+leak+"@collector",
		"http://u:1?"+leak+"@collector",
		"http://u:%"+leak+"@collector",
		"http://collector/?key="+leak,
		"http://collector/#x",
		"http://",
		"file:///x",
	)...)
	list = append(list, each("COINSLOT_POLL_INTERVAL", leak, "0", "3", "-3s", "3 s", "99ms", "11m",
		"1e3s", "3s ", "NaN", "9999999999h", "3S", "\u0663s")...)
	list = append(list, each("COINSLOT_GATEWAY_RPS", leak, "0", "-1", "1.5", "10001", "1e2", "0x10",
		"1_000", " 10", "+10", "9223372036854775808", "\u0661\u0660")...)
	list = append(list, each("COINSLOT_ALLOW_PRIVATE_WEBHOOKS", leak, "1", "yes", "TRUE", "True",
		"on", "true ", "t", "0", "no")...)
	list = append(list, each(
		"COINSLOT_TRUSTED_PROXIES",
		leak,
		"10.0.0.1",
		"10.0.0.0/33",
		"10.0.0.0/-1",
		"10.0.0.0/08",
		"10.0.0/8",
		"*",
		"localhost/8",
		"fe80::1%eth0/64",
		"10.0.0.0/8,"+leak,
		"10.0.0.0/255.0.0.0",
		"::/129",
		",",
	)...)
	list = append(list, each(
		"COINSLOT_SUPPORT",
		leak,
		"http://shop.example/"+leak,
		"javascript:"+leak,
		"data:text/html,"+leak,
		"ask "+leak,
		leak+"@",
		"@shop.example",
		"a@b",
		"a@b.example,c@d.example",
		"a@b.example?subject=x",
		"https://shop.example/#"+leak,
		"https://shop.example/\u202e",
	)...)
	for _, name := range []string{"COINSLOT_RETENTION", "COINSLOT_PAGES_FOR"} {
		list = append(list, each(name, leak, "-1", "+30", "1.5", "30d", "720h", "3651")...)
	}
	list = append(list, each("COINSLOT_SHOP_NAME", "two\nlines", "a\x00b", "\u202eb", "\xff",
		strings.Repeat("é", 81))...)
	list = append(list, each("COINSLOT_SUPPORT", "mailto:help@shop.example", "help@localhost",
		"Help <help@shop.example>", "https://u:p@shop.example", "a b@shop.example",
		"help@shop..example", "help@shop.example\n")...)
	// The address as COINSLOT_DATABASE is a file; X-Forwarded-User for want of proxies.
	list = append(list, each("COINSLOT_ADMIN_PASSWORD", leak, "correct horse battery",
		"$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$"+leak, "$2a$04$"+leak)...)
	list = append(list, each("COINSLOT_ADMIN_PROXY_HEADER", "two words", "Cookie",
		"x-forwarded-for", "X-User:", "X-Forwarded-User")...)
	for _, name := range []string{
		"COINSLOT_", "COINSLOT_PUBLIC_ULR", "COINSLOT_SECRET_KEYS", "COINSLOT_GATEWAY",
		"COINSLOT_DEBUG", "COINSLOT_ORIGIN", "COINSLOT_listen", "COINSLOT_LISTEN ",
		"COINSLOT_WEBHOOK_URLS", "COINSLOT_WEBHOOK_SECRET_OLD", "COINSLOT_PORT",
	} {
		list = append(list, setting{name: name, value: leak, names: strings.TrimSpace(name)})
	}
	for _, u := range []string{
		leak, "http://hook.example/" + leak, "ftp://hook.example/",
		"https://u:" + leak + "@hook.example/", "https://127.0.0.1/" + leak, "https://localhost/",
		"https://hook.example:22/", "https://hook.example/#" + leak,
		"https://u:12#" + leak + "@hook.example/", "https://u:1/" + leak + "@hook",
		"https://u:1?" + leak + "@hook", "https://u:%" + leak + "@hook.example/",
		"https://u:a@" + leak + "@hook.example/", "https://hook.example./",
		"https://hook.example/" + strings.Repeat("a", 3000), "https://169.254.169.254/",
		"https://[::1]/", "https://2130706433/", "https://hook.example/,http://" + leak,
		"https://b\u00fccher.example/", ",",
	} {
		list = append(list, setting{name: "COINSLOT_WEBHOOK_URL", value: u})
	}
	for _, name := range []string{
		"COINSLOT_GATEWAY_URL", "COINSLOT_GATEWAY_KEY", "COINSLOT_SECRET_KEY",
	} {
		list = append(list, setting{name: name, value: ""}) // needed, and empty
	}
	return list
}
