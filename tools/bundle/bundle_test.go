package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// module writes a file of a script under root.
func module(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	fortest.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	fortest.OK(t, os.WriteFile(path, []byte(text), 0o644))
}

func TestScript(t *testing.T) {
	root := t.TempDir()
	module(t, root, "page/main.js", `
		import { greeting } from '../shared/words.js';
		import styles from './page.css';
		document.title = greeting + styles; // not for the browser`)
	module(t, root, "shared/words.js", `export const greeting = 'hello '; export const unused = 'spare';`)
	module(t, root, "page/page.css", "/* why */\np > a { color: #ff0000; }\n")
	got := fortest.Must(Script(root, "page", true))(t)
	for _, want := range []string{"(()=>{", `"hello "`, `"p>a{color:red}"`, "document.title="} {
		if !strings.Contains(string(got), want) || strings.Contains(string(got), "spare") {
			t.Errorf("minified: %s; want one script with %s and without what is not used", got, want)
		}
	}
	got, err := Script(root, "page", false)
	if err != nil || !strings.Contains(string(got), "document.title = greeting +") {
		t.Errorf("for development: %s, %v; want names and layout as they are written", got, err)
	}
}

// TestCheckoutStyleSheet: the checkout's stylesheet can be imported by its name.
func TestCheckoutStyleSheet(t *testing.T) {
	root := t.TempDir()
	module(t, root, "page/main.js", `import styles from 'checkout.css'; document.title = styles`)
	module(t, root, "css/1.css", "p { color: blue }")
	module(t, root, "css/2.css", "a { color: '</script>' }")
	got, err := Script(root, "page", true)
	const want = "p{color:#00f}a{color:\"<\\/script>\"}"
	if err != nil || !strings.Contains(string(got), want) {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func TestScriptReportsErrors(t *testing.T) {
	for name, file := range map[string]struct{ module, text, want string }{
		"syntax":   {"page/main.js", "let = ;", "page/main.js"},
		"import":   {"page/main.js", "import './gone.js'", "gone.js"},
		"no entry": {"other/main.js", "", "page"},
	} {
		root := t.TempDir()
		module(t, root, file.module, file.text)
		if _, err := Script(root, "page", true); err == nil || !strings.Contains(err.Error(), file.want) {
			t.Errorf("%s: error %v; want one that names %s", name, err, file.want)
		}
	}
}
